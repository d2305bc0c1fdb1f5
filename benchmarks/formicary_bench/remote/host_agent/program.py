"""The host agent's program on a host: greeted, read and written, and ended."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from formicary.processes.lines import Line, LineError
from formicary.processes.words import ended_how
from formicary_bench.remote.errors import HostError
from formicary_bench.remote.host_agent.handshake import HandshakeReader
from formicary_bench.remote.host_agent.protocol import LONGEST_LINE, AgentMessage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary_bench.remote.host_agent.protocol import Handshake
    from formicary_bench.remote.inventory import Host

_SECONDS_TO_EXIT = 1.0
_LAST_WORDS = 4000  # bytes of standard error that are kept
AGENT = ("-P", "-m", "formicary_bench.remote.host_agent.agent")
"""What stands behind a Python's name in the command of a host agent."""


class HostProgram:
    """A host agent's program; once it has greeted, `line` carries the conversation with it.

    Args:
        host: where it runs.
        process: what asyncio or asyncssh gives for it: both have the same streams.
        wait: waits for its end.
        kill: ends it if it may still be there, given the number of the host agent's process.
        errors: what its streams raise when they are lost.
        advice: what to do where its code is not ours; by default what helps where SSH has started it.
    """

    def __init__(
        self,
        host: Host,
        process: Any,
        wait: Callable[[], Awaitable[object]],
        kill: Callable[[int], Awaitable[object]],
        *,
        errors: tuple[type[Exception], ...] = (OSError,),
        advice: str = "",
    ) -> None:
        self._host = host
        self._process = process
        self._wait = wait
        self._kill = kill
        self._errors = errors
        self._advice = advice
        self._pid = 0
        self._said = b""
        self._listening = asyncio.create_task(self._keep_last_words())

    async def greet(self) -> Handshake:
        """Hear that it is there and that its code is ours.

        Raises:
            HostError: it is not, and what to do; it is let go of.
        """
        greeting = HandshakeReader(self._host, self._advice)
        try:
            handshake, unread = await greeting.hear(self._process.stdout)
        except EOFError as error:
            code = await self._exit_code()
            self.close()
            raise greeting.failure(code, self._last_words) from error
        except self._errors as error:
            self.close()
            sentence = f"the connection was lost before its host agent was there ({error}); try again"
            raise HostError(f"host {self._host.name}: {sentence}") from error
        except BaseException:
            self.close()
            raise
        self._pid = handshake.pid
        streams = self._process.stdout, self._process.stdin
        self.line: Line[AgentMessage] = Line(*streams, AgentMessage, longest=LONGEST_LINE, unread=unread)
        return handshake

    async def receive(self) -> AgentMessage | None:
        """Return what it says next; None if it has ended.

        Raises:
            HostError: the connection is lost, or it says what cannot be understood; says only why.
        """
        try:
            return await self.line.receive()
        except LineError as error:
            raise HostError(f"its host agent said what cannot be understood: {error}") from error
        except self._errors as error:
            reason = getattr(error, "strerror", "") or getattr(error, "reason", "")
            raise HostError(reason or str(error) or type(error).__name__) from error

    async def how_it_ended(self) -> str:
        """Return why there is nothing more to read."""
        code = await self._exit_code()
        if code is None:
            return "it was closed by the other side"
        words = f"; its last words: {self._last_words}" if self._last_words else ""
        return f"its host agent {ended_how(code)}{words}"

    async def end(self, seconds: float) -> None:
        """Wait for its end; end it if that takes longer than these seconds, whatever it is doing."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wait()
        await self.kill()
        self.close()

    async def kill(self) -> None:
        """End it if it may still be there."""
        if self._process.returncode is None:
            await self._kill(self._pid)

    def close(self) -> None:
        """Let go of it: its standard input ends, and so does it."""
        self._process.stdin.close()
        self._listening.cancel()

    @property
    def _last_words(self) -> str:
        """The last line that it wrote to standard error."""
        lines = self._said.decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    async def _exit_code(self) -> int | None:
        """Wait for the exit code, and the last words, which come soon or not at all."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_EXIT):
                await self._wait()
                await asyncio.wait([self._listening])
        code: int | None = self._process.returncode
        return code

    async def _keep_last_words(self) -> None:
        with suppress(*self._errors):
            while data := await self._process.stderr.read(_LAST_WORDS):
                self._said = (self._said + data)[-_LAST_WORDS:]
