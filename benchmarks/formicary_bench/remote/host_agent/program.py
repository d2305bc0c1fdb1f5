"""The host agent's program on a host: greeted, read and written, and ended."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

import formicary
from formicary.processes.lines import Line, LineError
from formicary.processes.words import ended_how
from formicary_bench.remote import HostError
from formicary_bench.remote.folders import code_digest, interpreter
from formicary_bench.remote.host_agent.protocol import HANDSHAKE_BEGINS, LONGEST_LINE, AgentMessage, Handshake

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary_bench.remote.inventory import Host


HANDSHAKE_SECONDS = 20.0
"""How long a host agent may take until it is there."""

_LONGEST = 1 << 16  # bytes of a login shell's noise and the handshake
_SHOWN = 200  # characters of what was said instead
_SHOWN_DIGITS = 8  # of a digest
_CANNOT_RUN, _NOT_FOUND = 126, 127  # exit codes of shells


class Readable(Protocol):
    """What bytes come from: a stream of SSH's, or of asyncio's."""

    async def read(self, n: int, /) -> bytes:
        """Return at most so many bytes; none at the end."""


class HandshakeReader:
    """The beginning of what comes from a host on which a host agent was started.

    Args:
        host: the host.
        advice: what to do where the code there is not ours; by default what helps where SSH has started it.
    """

    def __init__(self, host: Host, advice: str = "") -> None:
        self._host = host
        self._advice = advice
        self._said = b""

    async def hear(self, stream: Readable) -> tuple[Handshake, bytes]:
        """Read the handshake, and what the login shell says before it, which is left aside.

        Returns:
            It, and what came behind it.

        Raises:
            HostError: the host agent says that it cannot work, is none of ours, or says nothing.
            EOFError: everything ended before a handshake; `failure` says what that means.
        """
        try:
            async with asyncio.timeout(HANDSHAKE_SECONDS):
                line, rest = await self._line(stream)
        except TimeoutError as error:
            waited = f"its host agent is not there after {HANDSHAKE_SECONDS:g} s{self._instead()}"
            raise self._error(
                f"{waited}; is it overloaded, or does a login script wait for something?"
            ) from error
        try:
            handshake = msgspec.json.decode(line, type=Handshake)
        except msgspec.DecodeError as error:
            raise self._error(
                f"its host agent said {_shown(line)!r}, which is no handshake; {self._prepare()}"
            ) from error
        self._check(handshake)
        return handshake, rest

    async def _line(self, stream: Readable) -> tuple[bytes, bytes]:
        while len(self._said) < _LONGEST:
            data = await stream.read(_LONGEST)
            if not data:
                raise EOFError
            self._said += data
            _, begins, behind = self._said.partition(HANDSHAKE_BEGINS)
            line, ends, rest = behind.partition(b"\n")
            if begins and ends:
                return begins + line, rest
        raise self._error(
            f"its login shell says more than {_LONGEST >> 10} KiB before our program{self._instead()}; "
            "make it say nothing where it is not used by a person"
        )

    def _check(self, handshake: Handshake) -> None:
        if handshake.failed:
            raise self._error(
                f"its host agent cannot work: {handshake.failed}; correct that there and try again"
            )
        ours = (formicary.__version__, code_digest())
        if (handshake.version, handshake.digest) != ours:
            theirs, here = (
                f"{version}, code {digest[:_SHOWN_DIGITS]}"
                for version, digest in ((handshake.version, handshake.digest), ours)
            )
            raise self._error(f"it has another formicary ({theirs}) than we ({here}); {self._prepare()}")

    def failure(self, code: int | None, last_words: str) -> HostError:
        """Return why there was no handshake.

        Args:
            code: the exit code of what ran instead; None if it is not known.
            last_words: what was written to standard error last.
        """
        how = ended_how(code) if code is not None else "ended"
        words = f"; its last words: {last_words}" if last_words else ""
        if self._advice:
            return self._error(f"its host agent {how} before it said anything{words}; {self._advice}")
        python = interpreter(self._host)
        if code in {_CANNOT_RUN, _NOT_FOUND}:
            return self._error(f"there is no Python at {python} that runs; {self._prepare()}")
        if "No module named" in last_words:
            return self._error(
                f"{python} has no formicary, or not all of it ({last_words}); {self._prepare()}"
            )
        if "nknown option" in last_words:
            return self._error(
                f"{python} is older than 3.11; name a newer one as `python` and {self._prepare()}"
            )
        return self._error(
            f"our program there {how} before it said anything{self._instead()}{words}; does the login shell "
            f"start programs? Try `ssh {self._host.address} {python} -V`, and {self._prepare()}"
        )

    def _instead(self) -> str:
        return f", which says {_shown(self._said)!r} instead" if self._said.strip() else ""

    def _prepare(self) -> str:
        if self._advice:
            return self._advice
        if self._host.venv:
            where = f"install our formicary in {self._host.venv} there"
            return f"{where}, or remove `venv` and run `formicary hosts prepare`"
        return "run `formicary hosts prepare`"

    def _error(self, sentence: str) -> HostError:
        return HostError(f"host {self._host.name}: {sentence}")


def _shown(said: bytes) -> str:
    text = " ".join(said.decode(errors="replace").split())
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


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
        """Close its standard input, which ends it."""
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
