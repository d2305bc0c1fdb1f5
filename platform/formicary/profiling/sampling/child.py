"""Runs the program that `formicary profile -- ...` profiles, from its first line on.

It waits for the sampler before the start, measures the garbage collector's time, and waits at the end until
its clocks have been read.
"""

from __future__ import annotations

import mmap
import os
import runpy
import socket
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.processes.messages import Go, Ready
from formicary.profiling.sampling.control import ControlChannel, Over, Report, WindowFacts
from formicary.profiling.sampling.gc_clock import GcClock

if TYPE_CHECKING:
    from collections.abc import Sequence

_INTERRUPTED = 130  # the exit code after Ctrl-C, or at the end of --for


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
