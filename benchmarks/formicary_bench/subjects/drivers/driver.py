"""A driver's process, and the conversation with it."""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NoReturn, TypeVar

import msgspec
import psutil

from formicary.processes.child import Child
from formicary.processes.lines import LineError, LongLineError
from formicary.processes.messages import Failed, Progress, Stop
from formicary.processes.words import ended_how
from formicary_bench.subjects.drivers import DriverError
from formicary_bench.subjects.drivers.protocol import LONGEST_LINE, Report
from formicary_bench.worker import processes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from formicary.processes.lines import Line
    from formicary_bench.subjects.drivers.protocol import Order

HELLO_SECONDS = 20.0
"""Seconds that a driver may take to say hello."""

READY_SECONDS = 600.0
"""Seconds that it may take to prepare, as long as it reports progress."""

END_SECONDS = 5.0
"""Seconds that it may take to end when told to."""

_LONGEST_REASON = 2000  # characters that are shown
_SECONDS_BETWEEN_LOOKS = 0.05  # at what it has started, which may end a little later

Expected = TypeVar("Expected", bound=msgspec.Struct)


def _ignore(done: int) -> None:
    del done


class Driver:
    """A running driver; made by `started`."""

    def __init__(
        self,
        name: str,
        process: Child,
        line: Line[Report],
        advance: Callable[[int], None],
        mark: Mapping[str, str],
    ) -> None:
        self._name = name
        self._mark = mark
        self._process = process
        self._line = line
        self._advance = advance

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    def cpu_s(self) -> float:
        """Return the CPU time of its process so far; 0 if unknown."""
        pid = self.pid
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
        """Send it a message; if it has ended, `hear` reports that."""
        self._line.send(order)
        await self._line.drain()

    async def hear(self, kind: type[Expected], seconds: float | None = None) -> Expected:
        """Wait for a message of this kind, handling progress meanwhile.

        Args:
            kind: the kind of message.
            seconds: the timeout, regardless of progress; None for no timeout.

        Raises:
            DriverError: it sends another message, reports a failure, has ended, or takes longer.
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
        """Listen to a driver that only reports progress.

        Raises:
            DriverError: as of `hear`.
        """
        raise self._out_of_place(await self._report(), "unexpectedly")

    async def end(self, seconds: float = END_SECONDS) -> None:
        """End the driver, and wait until it and everything that it started are gone.

        Raises:
            DriverError: it does not end, or fails.
        """
        await self.say(Stop())
        try:
            async with asyncio.timeout(seconds):
                code = await self._process.ended()
        except TimeoutError:
            raise DriverError(
                f"{self._name} did not exit within {seconds:g} s of being told to, and was killed"
            ) from None
        if code:
            raise DriverError(self._obituary(code))
        await self._miss_nobody(seconds)

    async def _miss_nobody(self, seconds: float) -> None:
        until = asyncio.get_running_loop().time() + seconds
        while found := processes.running(self._mark):
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
                    said = _printable(reason[:_LONGEST_REASON]).rstrip(".")
                    raise DriverError(f"{self._name} failed: {said}")
                case report:
                    return report

    async def _next(self) -> Report:
        try:
            report = await self._line.receive()
        except LongLineError as error:
            raise DriverError(f"{self._name} sent {error}") from None
        except LineError as error:
            raise DriverError(
                f"{self._name} violated the driver protocol: {_printable(str(error))}"
            ) from None
        if report is None:
            raise DriverError(self._obituary(await self._exit_code()))
        return report

    async def _exit_code(self) -> int | None:
        try:
            async with asyncio.timeout(END_SECONDS):
                return await self._process.ended()
        except TimeoutError:  # it has only closed its standard output
            return None

    def _obituary(self, code: int | None) -> str:
        ended = "stopped talking" if code is None else ended_how(code)
        words = _printable(self._process.last_words())
        return f"{self._name} {ended}" + (f"; its last words: {words}" if words else "")

    def _out_of_place(self, report: Report, where: str) -> DriverError:
        said = _word(type(report))
        return DriverError(f"{self._name} said {said} {where}: its driver violates the protocol")


def _printable(text: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def _word(kind: type[msgspec.Struct]) -> str:
    return kind.__name__.lower()


@asynccontextmanager
async def started(
    name: str, command: Sequence[str], folder: str, advance: Callable[[int], None] = _ignore
) -> AsyncIterator[Driver]:
    """Start a driver; kill it with all that it has started after the block.

    Raises:
        DriverError: it cannot be started.
    """
    mark = processes.marked_environment()
    try:  # in our own session: it is ended with us, should we be killed
        process = Child(command, is_piped=True, keeps_words=True, is_apart=False, cwd=folder, env=mark)
    except (OSError, ValueError) as error:
        raise DriverError(
            f"{name} cannot be started: {error}; if it has moved, install it again: formicary bench platforms"
        ) from error
    with process:
        line = await process.line(Report, LONGEST_LINE)
        try:
            yield Driver(name, process, line, advance, mark)
        finally:
            process.kill()
            processes.end_all(mark)
            line.close()
