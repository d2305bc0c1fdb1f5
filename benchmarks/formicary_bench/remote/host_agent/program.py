"""The host agent's program on a host: greeted, read and written, and ended."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

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
"""How long a host agent may take to start."""

AGENT = ("-P", "-m", "formicary_bench.remote.host_agent.agent")
"""The arguments of Python that start a host agent."""

_LONGEST = 1 << 16  # bytes of a login shell's noise before the handshake
_SHOWN = 200  # characters of it in errors
_SHOWN_DIGITS = 8  # of a digest
_CANNOT_RUN, _NOT_FOUND = 126, 127  # exit codes of shells
_SECONDS_TO_EXIT = 1.0
_LAST_WORDS = 4000  # bytes of standard error that are kept


class HostProgram:
    """A host agent's program; after `greet`, `line` exchanges messages with it.

    Args:
        host: its host.
        process: its process, of asyncio or asyncssh: both have the same streams.
        wait: waits for its end.
        kill: ends it if it may still run, given the process id of the host agent.
        errors: what its streams raise when the connection is lost.
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
        self._noise = b""  # of a login shell
        self._said = b""  # on standard error
        self._listening = asyncio.create_task(self._keep_last_words())

    async def greet(self) -> Handshake:
        """Wait for the handshake, and check that its code is ours; otherwise close its streams.

        Raises:
            HostError: it does not start, or has other code; with what to do.
        """
        with ExitStack() as undo:
            undo.callback(self.close)
            try:
                async with asyncio.timeout(HANDSHAKE_SECONDS):
                    handshake = await self._handshake()
            except TimeoutError as error:
                waited = f"its host agent is not there after {HANDSHAKE_SECONDS:g} s{self._output()}"
                raise self._error(
                    f"{waited}; is it overloaded, or does a login script wait for something?"
                ) from error
            except self._errors as error:
                raise self._error(
                    f"the connection was lost before its host agent was there ({error}); try again"
                ) from error
            if handshake is None:
                raise self._failure(await self._exit_code())
            self._check(handshake)
            undo.pop_all()
        self._pid = handshake.pid
        self.line: Line[AgentMessage] = Line(
            self._process.stdout, self._process.stdin, AgentMessage, longest=LONGEST_LINE
        )
        return handshake

    async def _handshake(self) -> Handshake | None:
        """Return the handshake, after the output of the login shell; None if all ends without one."""
        while len(self._noise) < _LONGEST:
            try:
                line: bytes = await self._process.stdout.readline()
            except ValueError:  # longer than asyncio's limit
                break
            if not line:
                return None
            noise, begins, rest = line.partition(HANDSHAKE_BEGINS)
            if begins and rest.endswith(b"\n"):
                try:
                    return msgspec.json.decode(begins + rest, type=Handshake)
                except msgspec.DecodeError as error:
                    said = f"its host agent sent {_shown(begins + rest)!r}, which is not a handshake"
                    raise self._error(f"{said}; {self._prepare()}") from error
            self._noise += noise
        raise self._error(
            f"its login shell prints more than {_LONGEST >> 10} KiB before our program{self._output()}; "
            "make it print nothing in non-interactive sessions"
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
            raise self._error(
                f"it has another formicary ({theirs}) than this machine ({here}); {self._prepare()}"
            )

    def _failure(self, code: int | None) -> HostError:
        """Return why there was no handshake, from the exit code of what ran, if known."""
        how = ended_how(code) if code is not None else "ended"
        words = f"; its last words: {self._last_words}" if self._last_words else ""
        if self._advice:
            return self._error(f"its host agent {how} before it sent anything{words}; {self._advice}")
        python = interpreter(self._host)
        if code in {_CANNOT_RUN, _NOT_FOUND}:
            return self._error(f"there is no Python at {python} that runs; {self._prepare()}")
        if "No module named" in words:
            return self._error(
                f"{python} has no formicary, or not all of it ({self._last_words}); {self._prepare()}"
            )
        if "nknown option" in words:
            return self._error(
                f"{python} is older than 3.11; name a newer one as `python` and {self._prepare()}"
            )
        return self._error(
            f"our program there {how} before it sent anything{self._output()}{words}; does the login shell "
            f"start programs? Try `ssh {self._host.address} {python} -V`, and {self._prepare()}"
        )

    def _output(self) -> str:
        return f" (output: {_shown(self._noise)!r})" if self._noise.strip() else ""

    def _prepare(self) -> str:
        if self._advice:
            return self._advice
        if self._host.venv:
            where = f"install our formicary in {self._host.venv} there"
            return f"{where}, or remove `venv` and run `formicary hosts prepare`"
        return "run `formicary hosts prepare`"

    def _error(self, sentence: str) -> HostError:
        return HostError(f"host {self._host.name}: {sentence}")

    async def receive(self) -> AgentMessage | None:
        """Return its next message; None if it has ended.

        Raises:
            HostError: the connection is lost, or the message is invalid; says only why.
        """
        try:
            return await self.line.receive()
        except LineError as error:
            raise HostError(f"its host agent sent an invalid message: {error}") from error
        except self._errors as error:
            reason = getattr(error, "strerror", "") or getattr(error, "reason", "")
            raise HostError(reason or str(error) or type(error).__name__) from error

    async def how_it_ended(self) -> str:
        """Return how it ended, as part of a sentence."""
        code = await self._exit_code()
        if code is None:
            return "it was closed by the other side"
        words = f"; its last words: {self._last_words}" if self._last_words else ""
        return f"its host agent {ended_how(code)}{words}"

    async def end(self, seconds: float) -> None:
        """Wait for its end; kill it after these seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wait()
        await self.kill()
        self.close()

    async def kill(self) -> None:
        """Kill it if it may still run."""
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
        """Return the exit code, with all last words there; None if neither comes soon."""
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


def _shown(said: bytes) -> str:
    text = " ".join(said.decode(errors="replace").split())
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
