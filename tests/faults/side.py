"""One of the two sides of a scene: a worker's process, seen from outside."""

from __future__ import annotations

import asyncio
import inspect
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import psutil
from tests.faults.ledger import Ledger
from tests.plugins.paths import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.faults.worker import Setting

_ANSWER_TIMEOUT = 60.0  # s
_END_TIMEOUT = 20.0  # s
_LOOK = 0.05  # s between two looks
_LINE = 1 << 20  # bytes of the longest answer
# What a worker must never log: a bug, whatever the fault.
_COMPLAINTS = ("Traceback", "please report this", "was never awaited", "never retrieved")


async def until(holds: Callable[[], Any], timeout: float) -> bool:  # noqa: ASYNC109 -- says whether it does
    """Wait until something holds; return False if it never does."""
    end = time.monotonic() + timeout
    while True:
        answer = holds()
        if await answer if inspect.isawaitable(answer) else answer:
            return True
        if time.monotonic() > end:
            return False
        await asyncio.sleep(_LOOK)


async def start_program(*command: str, **options: Any) -> asyncio.subprocess.Process:
    """Start a program with pipes to its stdin and from its stdout."""
    return await asyncio.create_subprocess_exec(
        *command,
        cwd=ROOT,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=_LINE,
        start_new_session=True,  # Ctrl-C is for who started it, who ends it
        **options,
    )


async def end_program(process: asyncio.subprocess.Process) -> None:
    """Kill a program, unless it has ended, and close its pipes."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
    async with asyncio.timeout(_END_TIMEOUT):
        await process.communicate()


class SideError(Exception):
    """A worker did not carry out an order."""


class Side:
    """A worker under orders.

    Args:
        setting: its task.
        folder: for its log.
        prefix: a prefix of its command, such as one that enters a network namespace.
    """

    program: ClassVar = "tests.faults.worker"

    def __init__(self, setting: Setting, folder: Path, prefix: Sequence[str] = ()) -> None:
        self.setting = setting
        self.prefix = list(prefix)
        self.ledger = Ledger(Path(setting.ledger), setting.agents, setting.limit)
        self.join: str | None = None
        self.pid = 0
        self._log = folder / f"{setting.name}.log"
        self._process: asyncio.subprocess.Process | None = None
        self._asking = asyncio.Lock()

    async def start(self) -> None:
        """Start the worker, and wait until its container and agents run."""
        with self._log.open("ab") as log:
            program = [sys.executable, "-m", self.program]
            self._process = await start_program(*self.prefix, *program, stderr=log)
        self._write(msgspec.json.encode(self.setting))
        ready = await self._answer("ready")
        self.join, self.pid = ready["join"], ready["pid"]

    async def order(self, do: str, **what: Any) -> dict[str, Any]:
        """Send the worker an order, and return its answer."""
        async with self._asking:
            self._write(msgspec.json.encode({"do": do, **what}))
            return await self._answer()

    def _write(self, line: bytes) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")

    async def _answer(self, expected: str | None = None) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        name = self.setting.name
        try:
            async with asyncio.timeout(_ANSWER_TIMEOUT):
                line = await self._process.stdout.readline()
        except TimeoutError:
            raise SideError(f"{name} has not answered for {_ANSWER_TIMEOUT:g} s") from None
        if not line:
            raise SideError(f"{name} has ended by itself: {self.log[-2000:]}")
        answer: dict[str, Any] = msgspec.json.decode(line)
        if expected not in {None, answer["event"]}:
            raise SideError(f"{name} says {answer} instead of {expected}")
        return answer

    def signal(self, number: signal.Signals) -> None:
        """Send the worker's own process a signal."""
        os.kill(self.pid, number)

    async def kill(self) -> None:
        """Kill the worker; return when it is gone."""
        self.signal(signal.SIGKILL)
        await self._gone()

    async def close(self) -> dict[str, Any]:
        """End the worker in order."""
        answer = await self.order("close")
        await self._gone()
        return answer

    async def end(self) -> None:
        """Kill the worker if it still runs, and release everything."""
        if self._process is not None:
            if self.pid and self.pid != self._process.pid:  # a time namespace makes it a child's child
                with suppress(ProcessLookupError):
                    self.signal(signal.SIGKILL)
            await end_program(self._process)
        self.ledger.close()

    async def _gone(self) -> None:
        assert self._process is not None
        async with asyncio.timeout(_END_TIMEOUT):
            await self._process.communicate()  # to the end of its pipes, which it closes with it
        self.pid = 0

    @property
    def own_memory(self) -> int:
        """Bytes of anonymous memory in use."""
        lines = Path(f"/proc/{self.pid}/status").read_text(encoding="ascii").splitlines()
        return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:"))

    @property
    def memory(self) -> int:
        """Bytes of memory in use (resident set size)."""
        return int(psutil.Process(self.pid).memory_info().rss)

    @property
    def open_files(self) -> int:
        """The number of open file descriptors."""
        return int(psutil.Process(self.pid).num_fds())

    @property
    def log(self) -> str:
        """The worker's log."""
        if not self._log.exists():
            return ""
        return self._log.read_text(encoding="utf-8", errors="replace")

    def complaints(self) -> list[str]:
        """Return the errors in the log."""
        log = self.log
        return [
            f"{self.setting.name} logged: {log[max(0, log.index(words) - 300) :][:1500]}"
            for words in _COMPLAINTS
            if words in log
        ]
