"""The workers of a host agent: started, told, listened to, and ended."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from formicary.processes.words import last_line
from formicary_bench.remote.host_agent.protocol import CHUNK, Data, Ended, Said, Started
from formicary_bench.worker.messages import Done, Failed, Job, decode_order, decode_report, encode

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary_bench.remote.host_agent.protocol import AgentMessage, Start

_COMMAND = (sys.executable, "-P", "-m", "formicary_bench.worker.worker")
_LONGEST_LINE = 1 << 22  # bytes of what a worker says at once
_SECONDS_TO_END = 5.0
_NOT_STARTED = 126  # exit code of what could not be started, as shells have it


class Workers:
    """All workers of a host agent.

    Args:
        say: tells the controller something, and waits until there is room for more.
    """

    def __init__(self, say: Callable[[AgentMessage], Awaitable[None]]) -> None:
        self._say = say
        self._workers: dict[int, _Worker] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, order: Start) -> None:
        """Start a worker, and say that it is there, or how it ended."""
        task = asyncio.create_task(self._attend(order))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._workers[order.worker] = _Worker()

    def send(self, worker: int, line: bytes) -> None:
        """Hand an order on; it never waits for the worker to read, and does nothing if there is none."""
        if process := self._workers.get(worker):
            process.send(line)

    def kill(self, worker: int) -> None:
        """End a worker with all that it has started, at once."""
        if process := self._workers.get(worker):
            process.kill()

    async def end(self) -> None:
        """End all workers, and wait until they are gone."""
        for process in self._workers.values():
            process.kill()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=_SECONDS_TO_END)

    async def _attend(self, order: Start) -> None:
        number = order.worker
        process = self._workers[number]
        try:
            with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as handover:
                try:
                    if not process.is_killed:  # right after it was asked for
                        await process.start(errors.fileno(), handover.fileno() if order.handover else -1)
                        await self._say(Started(number, process.pid))
                        await self._listen(number, process)
                finally:
                    code = await process.gone()
                await self._say(Ended(number, code, last_line(errors)))
        except OSError as error:  # no memory, no disk, no file descriptor
            await self._say(Ended(number, _NOT_STARTED, f"{error.strerror or error}"))
        finally:
            del self._workers[number]

    async def _listen(self, number: int, process: _Worker) -> None:
        """Say what it says, and before its last word what it has handed over."""
        while True:
            try:
                line = await process.said.readline()
            except ValueError:
                failed = Failed(f"it said more than {_LONGEST_LINE >> 20} MiB at once")
                await self._say(Said(number, encode(failed)))
                process.kill()
                return
            if not line:
                return
            if process.handover >= 0 and _is_done(line):
                await self._hand_over(number, process.handover)
            await self._say(Said(number, line.rstrip(b"\n")))

    async def _hand_over(self, number: int, file: int) -> None:
        position = 0
        while part := os.pread(file, CHUNK, position):
            await self._say(Data(number, part))
            position += len(part)


def _is_done(line: bytes) -> bool:
    with suppress(msgspec.DecodeError):  # what it is not is for the controller to say
        return isinstance(decode_report(line), Done)
    return False


class _Worker:
    """One worker."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._orders: asyncio.WriteTransport | None = None
        self._words: asyncio.ReadTransport | None = None
        self._before: list[bytes] = []  # what it was told before it was there
        self.is_killed = False
        self.handover = -1
        self.said = asyncio.StreamReader(_LONGEST_LINE)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    async def start(self, errors: int, handover: int) -> None:
        """Start it; what it writes to standard error and hands over goes to these files."""
        self.handover = handover
        self._process = process = subprocess.Popen(  # noqa: ASYNC220, S603 -- quick; arguments of our own
            _COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            bufsize=0,
            pass_fds=[handover] if handover >= 0 else [],
            start_new_session=True,  # so that it ends with all that it has started
        )
        loop = asyncio.get_running_loop()
        self._words, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(self.said), process.stdout
        )
        self._orders, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, process.stdin)
        for line in self._before:
            self.send(line)

    def send(self, line: bytes) -> None:
        if self._orders is None:
            self._before.append(line)
        else:
            self._orders.write(self._for_it(line) + b"\n")

    def _for_it(self, line: bytes) -> bytes:
        """Say in a job which file descriptor here is the one to hand over to."""
        order = decode_order(line)
        if isinstance(order, Job) and self.handover >= 0:
            return encode(msgspec.structs.replace(order, handover=self.handover))
        return line

    def kill(self) -> None:
        self.is_killed = True
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def gone(self) -> int:
        """Wait for its end, which it does not put off for long, and return its exit code."""
        if self._process is None:
            return -signal.SIGKILL
        try:
            return await asyncio.to_thread(self._process.wait, _SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self.kill()
            return await asyncio.to_thread(self._process.wait)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)  # what it may have started and left
            for pipe in (self._orders, self._words):
                if pipe is not None:
                    pipe.close()
