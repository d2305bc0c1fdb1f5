"""A driver's process, and the conversation with it."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
import time
from contextlib import asynccontextmanager
from typing import IO, TYPE_CHECKING, NoReturn, TypeVar

import msgspec
import psutil

from formicary_bench.subjects.drivers.errors import DriverError
from formicary_bench.subjects.drivers.protocol import (
    LONGEST_LINE,
    Failed,
    Progress,
    Report,
    Stop,
    decode_report,
    encode,
)
from formicary_bench.worker import leftovers
from formicary_bench.worker.processes import ended_how, last_line

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from formicary_bench.subjects.drivers.protocol import Order

HELLO_SECONDS = 20.0
"""How long a driver may take to say hello."""

READY_SECONDS = 600.0
"""How long it may take to prepare, as long as it says that it gets on."""

END_SECONDS = 5.0
"""How long a driver may take to end when it is told to."""

_SECONDS_BETWEEN_LOOKS = 0.05  # at what it has started, which may end a little later

_SHOWN = 80  # characters of a line that nobody understands

Expected = TypeVar("Expected", bound=msgspec.Struct)


def _ignore(done: int) -> None:
    del done


class Driver:
    """A driver that runs; made by `started`.

    Args:
        name: what to call it in sentences.
        process: its process.
        errors: what its standard error goes to.
        advance: called with what it says of its progress.
        mark: the environment that it has, by which all that it starts is known.
    """

    def __init__(
        self,
        name: str,
        process: Process,
        errors: IO[bytes],
        advance: Callable[[int], None],
        mark: Mapping[str, str],
    ) -> None:
        self._name = name
        self._mark = mark
        self._process = process
        self._errors = errors
        self._advance = advance

    def cpu_s(self) -> float:
        """Return the CPU time that its process has used so far; 0 where that cannot be known."""
        pid = self._process.pid
        try:
            if (
                sys.platform == "linux"
            ):  # whose clock of a process (clock_getcpuclockid) counts in nanoseconds
                return time.clock_gettime((~pid << 3) | 2)
            used = psutil.Process(pid).cpu_times()
        except (OSError, psutil.Error):
            return 0.0
        return float(used.user + used.system)

    async def say(self, order: Order) -> None:
        """Tell it something; if it has ended, `hear` says so."""
        assert self._process.stdin is not None
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(encode(order) + b"\n")
            await self._process.stdin.drain()

    async def hear(self, kind: type[Expected], seconds: float | None = None) -> Expected:
        """Wait until it says something of this kind, however often it says how far it is meanwhile.

        Args:
            kind: what is waited for.
            seconds: how long, whatever it says of its progress; for ever if None.

        Raises:
            DriverError: it says something else, or that it has failed, or it has ended, or takes longer.
        """
        try:
            async with asyncio.timeout(seconds):
                report = await self._report()
        except TimeoutError:
            raise DriverError(
                f"{self._name} did not send {_word(kind)} within {seconds:g} s, and was ended"
            ) from None
        if isinstance(report, kind):
            return report
        raise self._out_of_place(report, f"instead of {_word(kind)}")

    async def watch(self) -> NoReturn:
        """Listen to one that has nothing to say but how far it is.

        Raises:
            DriverError: as of `hear`.
        """
        raise self._out_of_place(await self._report(), "unexpectedly")

    async def end(self, seconds: float = END_SECONDS) -> None:
        """Tell it to end, and wait until it has, with all that it has started.

        Args:
            seconds: how long.

        Raises:
            DriverError: it does not, or not well.
        """
        await self.say(Stop())
        try:
            async with asyncio.timeout(seconds):
                code = await self._process.wait()
        except TimeoutError:
            raise DriverError(
                f"{self._name} did not exit within {seconds:g} s of being told to, and was killed"
            ) from None
        if code:
            raise DriverError(self._obituary(code))
        await self._miss_nobody(seconds)

    async def _miss_nobody(self, seconds: float) -> None:
        until = asyncio.get_running_loop().time() + seconds
        while found := leftovers.running(self._mark):
            if asyncio.get_running_loop().time() > until:
                break
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
        if found:
            raise DriverError(f"{self._name} left behind {_printable(', '.join(found))}, which was killed")

    async def _report(self) -> Report:
        while True:
            match await self._next():
                case Progress(done):
                    self._advance(done)
                case Failed(reason):
                    raise DriverError(f"{self._name} failed: {_printable(reason).rstrip('.')}")
                case report:
                    return report

    async def _next(self) -> Report:
        assert self._process.stdout is not None
        try:
            line = await self._process.stdout.readuntil(b"\n")
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise self._nonsense(error.partial, "the line does not end") from None
            raise DriverError(self._obituary(await self._exit_code())) from None
        except asyncio.LimitOverrunError:
            raise DriverError(f"{self._name} sent a line of more than {LONGEST_LINE} bytes") from None
        try:
            report: Report = decode_report(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise self._nonsense(line, str(error)) from None
        return report

    async def _exit_code(self) -> int | None:
        try:
            async with asyncio.timeout(END_SECONDS):
                return await self._process.wait()
        except TimeoutError:  # it has only closed its standard output
            return None

    def _obituary(self, code: int | None) -> str:
        ended = "stopped talking" if code is None else ended_how(code)
        words = _printable(last_line(self._errors))
        return f"{self._name} {ended}" + (f"; its last words: {words}" if words else "")

    def _out_of_place(self, report: Report, where: str) -> DriverError:
        said = _word(type(report))
        return DriverError(f"{self._name} said {said} {where}: its driver violates the protocol")

    def _nonsense(self, line: bytes, why: str) -> DriverError:
        shown = line.decode(errors="replace").strip()[:_SHOWN]
        return DriverError(f"{self._name} violated the driver protocol: {shown!r} ({_printable(why)})")


def _printable(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _word(kind: type[msgspec.Struct]) -> str:
    return kind.__name__.lower()


@asynccontextmanager
async def started(
    name: str, command: Sequence[str], folder: str, advance: Callable[[int], None] = _ignore
) -> AsyncIterator[Driver]:
    """Start a driver; it and all that it has started are gone after the block, whatever they are doing.

    Args:
        name: what to call it in sentences.
        command: the program and its arguments.
        folder: where it runs, and may write what it likes.
        advance: called with what it says of its progress.

    Raises:
        DriverError: it cannot be started.
    """
    # A file, not a pipe: a driver that complains without end must not block.
    mark = leftovers.marked_environment()
    with tempfile.TemporaryFile() as errors:
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
                limit=LONGEST_LINE,
                cwd=folder,
                env=mark,
            )
        except (OSError, ValueError) as error:
            raise DriverError(
                f"{name} cannot be started: {error}; if it has moved, reinstall it: formicary bench platforms"
            ) from error
        try:
            yield Driver(name, process, errors, advance, mark)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            leftovers.end_all(mark)
            await process.wait()
