"""Runs the program that `formicary profile -- ...` profiles, from its first line on.

It waits for the sampler before the start, measures the garbage collector's time, and waits at the end until
its clocks have been read.
"""

from __future__ import annotations

import gc
import mmap
import os
import runpy
import socket
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.processes.messages import Go, Ready
from formicary.profiling.model.profile import Frame
from formicary.profiling.sampling.control import ControlChannel, Over, Report, WindowFacts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import CodeType, FrameType

_INTERRUPTED = 130  # the exit code after Ctrl-C, or at the end of --for


class GcClock:
    """Measures collections by the thread and stack that they interrupt.

    Args:
        is_open: its first byte is 1 while the window lasts; others may change it at any time.
    """

    def __init__(self, is_open: mmap.mmap) -> None:
        self._is_open = is_open
        self._began = 0
        self._spent: Counter[tuple[int, tuple[int, ...]]] = Counter()
        self._codes: dict[int, CodeType] = {}  # by identity: a code object's own hash covers all its contents

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Measure while the block lasts."""
        gc.callbacks.append(self._count)
        try:
            yield
        finally:
            gc.callbacks.remove(self._count)

    def spent(self) -> list[tuple[int, tuple[Frame, ...], float]]:
        """Return the CPU seconds for each thread and stack (outermost frame first)."""
        return [
            (tid, tuple(self._frame(code) for code in codes), nanoseconds / 1e9)
            for (tid, codes), nanoseconds in list(self._spent.items())
        ]

    def _count(self, phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            self._began = time.thread_time_ns()
            return
        spent = time.thread_time_ns() - self._began
        if not self._is_open[0]:
            return
        codes = []
        frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 -- there is no other way to a frame
        while frame is not None:
            self._codes[id(frame.f_code)] = frame.f_code
            codes.append(id(frame.f_code))
            frame = frame.f_back
        self._spent[threading.get_native_id(), tuple(reversed(codes))] += spent

    def _frame(self, code: int) -> Frame:
        found = self._codes[code]
        return Frame(found.co_qualname, found.co_filename, found.co_firstlineno)


def main(descriptor: int, shared: int, command: Sequence[str]) -> None:
    """Run a program, and exit as it does.

    Args:
        descriptor: of the socket to `formicary profile`.
        shared: of the memory whose first byte is 1 while the window lasts.
        command: the program: a script, or `-m` and a module, or `run`, which is `formicary run`; and its
            arguments.
    """
    os.set_inheritable(descriptor, False)
    channel = ControlChannel(socket.socket(fileno=descriptor))
    with os.fdopen(shared, "rb") as file:
        collections = GcClock(mmap.mmap(file.fileno(), 1, access=mmap.ACCESS_READ))
    channel.send(Ready())
    if not isinstance(channel.receive(), Go):
        return
    answering = threading.Thread(
        target=_answer, args=(channel, collections), name="formicary profile", daemon=True
    )
    answering.start()
    with collections.counted():
        try:
            run_program(command)
        finally:
            _wait_for_threads()
            channel.send(Over())
            answering.join()


def _answer(channel: ControlChannel, collections: GcClock) -> None:
    while message := channel.receive():
        if isinstance(message, Report):
            names = {thread.native_id or 0: thread.name for thread in threading.enumerate()}
            channel.send(WindowFacts(names, tuple(collections.spent())))


def _wait_for_threads() -> None:
    """Wait for the program's own threads, as Python does at exit: they belong to the window."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def run_program(command: Sequence[str]) -> None:
    """Run a program in this process; the command is as of `main`."""
    first, *rest = command
    try:
        if first == "run":
            sys.argv = ["formicary", first, *rest]
            runpy.run_module("formicary", run_name="__main__")
        elif first == "-m":
            sys.argv = rest
            sys.path.insert(0, str(Path.cwd()))
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        else:
            sys.argv = [first, *rest]
            sys.path.insert(0, str(Path(first).resolve().parent))
            runpy.run_path(first, run_name="__main__")
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
