"""Fails a test that leaves behind threads, processes, sockets or other open files.

What longer-lived fixtures hold is there before the test starts and after it ends, so it does not count; nor
does what their processes start meanwhile, as a browser does for its pages.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

# Processes inherit the environment even where they cut all other ties to the one that started them.
_MARK = "FORMICARY_TESTED_BY"
GRACE_SECONDS = 60.0  # for what is just ending; spent only where something looks left behind


@dataclass(frozen=True)
class Held:
    """What this process holds at one moment, and which processes the machine runs."""

    threads: frozenset[threading.Thread]
    processes: frozenset[int]
    files: frozenset[tuple[int, str]]

    def since(self, before: Held) -> Held:
        """Give what is held now and was not before; of the processes, those that this one has started."""
        ours = frozenset(pid for pid in self.processes - before.processes if _is_ours(pid, before.processes))
        return Held(self.threads - before.threads, ours, self.files - before.files)

    def __bool__(self) -> bool:
        return bool(self.threads or self.processes or self.files)

    def __str__(self) -> str:
        parts = [f"the thread {thread.name}" for thread in self.threads]
        parts += [f"the process {pid} ({_command(pid)})" for pid in self.processes]
        parts += [_describe_file(number, target) for number, target in self.files]
        return ", ".join(sorted(parts))


@pytest.fixture(scope="session", autouse=True)
def _one_uvloop_before() -> None:
    """Open the pipe for signals that uvloop's first loop leaves to the process: no test is to blame."""
    with suppress(ImportError):
        import uvloop

        uvloop.new_event_loop().close()


@pytest.fixture(autouse=True)
def _leaves_nothing_behind() -> Iterator[None]:
    """Look at each test: as an autouse fixture, outside all others of it."""
    with leaving_nothing_behind():
        yield


@contextmanager
def leaving_nothing_behind() -> Iterator[None]:
    """Compare what is held before the block and after it; what it has left behind fails the test."""
    before = _held()
    yield
    left = _held().since(before)
    until = time.monotonic() + GRACE_SECONDS
    while left and time.monotonic() < until:
        gc.collect()  # again and again: a thread may be holding what is garbage a moment later
        time.sleep(0.02)
        left = _held().since(before)
    if left:
        sentence = f"the test left behind: {left}"
        for pid in left.processes:
            with suppress(psutil.NoSuchProcess):
                psutil.Process(pid).kill()
        pytest.fail(sentence, pytrace=False)


def pytest_configure() -> None:
    """Mark everything that the tests start."""
    os.environ[_MARK] = str(os.getpid())


def _held() -> Held:
    return Held(frozenset(threading.enumerate()), frozenset(psutil.pids()), frozenset(_open_files()))


def _open_files() -> Iterator[tuple[int, str]]:
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the descriptor of the listing itself
            yield int(entry.name), str(entry.readlink())


def _is_ours(pid: int, before: frozenset[int]) -> bool:
    mark = f"{_MARK}={os.getpid()}".encode()
    with suppress(OSError, psutil.NoSuchProcess):  # it ended meanwhile, or is somebody else's
        parents = [parent.pid for parent in psutil.Process(pid).parents()]
        if os.getpid() in parents:
            return before.isdisjoint(parents[: parents.index(os.getpid())])
        return mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    return False


def _command(pid: int) -> str:
    with suppress(psutil.Error):
        return " ".join(psutil.Process(pid).cmdline())
    return "ended, and nobody waited for it"


def _describe_file(number: int, target: str) -> str:
    if not target.startswith("socket:"):
        return f"the open file {target}"
    for connection in psutil.Process().net_connections("all"):
        if connection.fd == number:
            ends = [f"{end.ip}:{end.port}" if end else "" for end in (connection.laddr, connection.raddr)]
            return f"the socket {' to '.join(filter(None, ends)) or target} {connection.status}"
    return f"the {target}"
