"""The workers of a host agent."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

import msgspec

from formicary.processes.child import Child
from formicary.processes.lines import LineError, encode
from formicary.processes.messages import Failed
from formicary_bench.remote.host_agent.protocol import CHUNK, Data, Ended, Said, Started
from formicary_bench.worker.messages import Done, Job, Report

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary.processes.lines import Line
    from formicary_bench.remote.host_agent.protocol import AgentMessage
    from formicary_bench.worker.messages import Order

_COMMAND = (sys.executable, "-P", "-m", "formicary_bench.worker.worker")
_LONGEST_LINE = 1 << 22  # bytes of a report
_SECONDS_TO_END = 5.0
_NOT_STARTED = 126  # exit code of shells


@dataclass
class _Worker:
    process: Child
    line: Line[Report]
    handover: IO[bytes]


class Workers:
    """All workers of a host agent."""

    def __init__(self, say: Callable[[AgentMessage], Awaitable[None]]) -> None:
        self._say = say
        self._workers: dict[int, _Worker] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, number: int) -> None:
        """Start a worker, and report that, or why not."""
        try:
            handover = tempfile.TemporaryFile()  # noqa: SIM115 -- closed by `_attend`
            process = Child(_COMMAND, is_piped=True, keeps_words=True, pass_fds=[handover.fileno()])
            worker = _Worker(process, await process.line(Report, _LONGEST_LINE), handover)
        except OSError as error:  # no memory, no disk, no file descriptor
            await self._say(Ended(number, _NOT_STARTED, error.strerror or str(error)))
            return
        self._workers[number] = worker
        task = asyncio.create_task(self._attend(number, worker))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def send(self, number: int, order: Order) -> None:
        """Pass an order on without waiting; do nothing if the worker is gone."""
        if worker := self._workers.get(number):
            if isinstance(order, Job):  # it gets the descriptor for its raw values here
                order = msgspec.structs.replace(order, handover=worker.handover.fileno())
            worker.line.send(order)

    def kill(self, number: int) -> None:
        """Kill a worker with all that it has started."""
        if worker := self._workers.get(number):
            worker.process.kill()

    async def end(self) -> None:
        """Kill all workers, and wait."""
        for number in self._workers:
            self.kill(number)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_SECONDS_TO_END)

    async def _attend(self, number: int, worker: _Worker) -> None:
        process, code, words = worker.process, _NOT_STARTED, ""
        try:
            with worker.handover, process:
                await self._say(Started(number, process.pid))
                try:
                    await self._listen(number, worker)
                    async with asyncio.timeout(_SECONDS_TO_END):
                        await process.ended()
                except (LineError, TimeoutError):
                    process.kill()
                code, words = await process.ended(), process.last_words()
        except OSError as error:
            words = error.strerror or str(error)
        finally:
            del self._workers[number]
            worker.line.close()
        await self._say(Ended(number, code, words))

    async def _listen(self, number: int, worker: _Worker) -> None:
        """Relay its reports, and its raw values before the last one; raise a LineError if one is invalid."""
        try:
            while (report := await worker.line.receive()) is not None:
                if isinstance(report, Done):
                    await self._hand_over(number, worker.handover.fileno())
                await self._say(_said(number, report))
        except LineError as error:
            await self._say(_said(number, Failed(f"it said {error}")))
            raise

    async def _hand_over(self, number: int, file: int) -> None:
        position = 0
        while part := os.pread(file, CHUNK, position):
            await self._say(Data(number, part))
            position += len(part)


def _said(number: int, report: Report) -> Said:
    return Said(number, msgspec.Raw(encode(report)))
