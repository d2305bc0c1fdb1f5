"""Fails a test that leaves behind threads, processes, sockets or other open files.

What longer-lived fixtures hold is there before the test starts and after it ends, so it does not count.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

# Processes inherit the environment even where they cut all other ties to the one that started them.
_MARK = "FORMICARY_TESTED_BY"
GRACE_SECONDS = 2.0  # for what is just ending; spent only where something looks left behind


@dataclass(frozen=True)
class Held:
    """What this process holds at one moment."""

    threads: frozenset[threading.Thread]
    processes: frozenset[psutil.Process]
    files: frozenset[tuple[int, str]]

    def since(self, before: Held) -> Held:
        """Give what is held now and was not before."""
        return Held(
            self.threads - before.threads, self.processes - before.processes, self.files - before.files
        )

    def __bool__(self) -> bool:
        return bool(self.threads or self.processes or self.files)

    def __str__(self) -> str:
        parts = [f"the thread {thread.name}" for thread in self.threads]
        parts += [f"the process {process.pid} ({_command(process)})" for process in self.processes]
        parts += [_describe_file(number, target) for number, target in self.files]
        return ", ".join(sorted(parts))


@pytest.fixture(autouse=True)
def _leaves_nothing_behind() -> Iterator[None]:
    """Compare what is held before and after: as an autouse fixture, outside all others of the test."""
    before = _held()
    yield
    left = _held().since(before)
    if left:
        gc.collect()
    until = time.monotonic() + GRACE_SECONDS
    while left and time.monotonic() < until:
        time.sleep(0.02)
        left = _held().since(before)
    if left:
        sentence = f"the test left behind: {left}"
        for process in left.processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        pytest.fail(sentence, pytrace=False)


def pytest_configure() -> None:
    """Mark everything that the tests start."""
    os.environ[_MARK] = str(os.getpid())


def _held() -> Held:
    threads = frozenset(thread for thread in threading.enumerate() if thread.is_alive())
    processes = frozenset(psutil.Process().children(recursive=True)) | frozenset(_detached())
    return Held(threads, processes, frozenset(_open_files()))


def _open_files() -> Iterator[tuple[int, str]]:
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the descriptor of the listing itself
            yield int(entry.name), str(entry.readlink())


def _detached() -> Iterator[psutil.Process]:
    mark = f"{_MARK}={os.getpid()}".encode()
    for pid in psutil.pids():
        with suppress(OSError, psutil.NoSuchProcess):  # it ended meanwhile, or is not ours
            if mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                yield psutil.Process(pid)


def _command(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return " ".join(process.cmdline())
    return "ended, and nobody waited for it"


def _describe_file(number: int, target: str) -> str:
    if not target.startswith("socket:"):
        return f"the open file {target}"
    for connection in psutil.Process().net_connections("all"):
        if connection.fd == number:
            ends = [f"{end.ip}:{end.port}" if end else "" for end in (connection.laddr, connection.raddr)]
            return f"the socket {' to '.join(filter(None, ends)) or target} {connection.status}"
    return f"the {target}"
