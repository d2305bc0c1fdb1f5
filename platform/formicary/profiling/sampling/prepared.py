"""The program that `formicary profile -- ...` profiles, from its first line on: it runs in here.

It waits for the sampler before it starts, its agents are visible, its garbage collector's time is counted,
and it waits at its end until its clocks have been read.
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

import msgspec

from formicary.profiling.sampling.collecting import Collections
from formicary.profiling.sampling.control import DONE, READY, START, TELL, Line, Told
from formicary.profiling.sampling.running import agents_shown

if TYPE_CHECKING:
    from collections.abc import Sequence

_INTERRUPTED = 130  # the exit code after Ctrl-C, or at the end of --for


def main(descriptor: int, shared: int, words: Sequence[str]) -> None:
    """Run a program; end as it ends.

    Args:
        descriptor: of the socket on which `formicary profile` listens.
        shared: of the memory whose first byte is 1 as long as the window lasts.
        words: the program: a script, or `-m` and a module, or `run`, which is `formicary run`; and its
            arguments.
    """
    os.set_inheritable(descriptor, False)
    line = Line(socket.socket(fileno=descriptor))
    with os.fdopen(shared, "rb") as file:
        collections = Collections(mmap.mmap(file.fileno(), 1, access=mmap.ACCESS_READ))
    line.say(READY)
    if line.hear() != START:
        return
    answering = threading.Thread(
        target=_answer, args=(line, collections), name="formicary profile", daemon=True
    )
    answering.start()
    with agents_shown(), collections.counted():
        try:
            _run(list(words))
        finally:
            _wait_for_threads()
            line.say(DONE)
            answering.join()


def _answer(line: Line, collections: Collections) -> None:
    while word := line.hear():
        if word == TELL:
            names = {thread.native_id or 0: thread.name for thread in threading.enumerate()}
            line.say(msgspec.json.encode(Told(names, tuple(collections.spent()))) + b"\n")


def _wait_for_threads() -> None:
    """Wait for the program's own threads, as Python does at the end: they are of the window as well."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()


def _run(words: list[str]) -> None:
    try:
        _run_words(words)
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)


def _run_words(words: list[str]) -> None:
    first = words[0]
    if first == "run":
        from formicary.cli import main as formicary

        formicary(words)
    elif first == "-m":
        sys.argv = words[1:]
        sys.path.insert(0, str(Path.cwd()))
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        sys.path.insert(0, str(Path(first).resolve().parent))
        runpy.run_path(first, run_name="__main__")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
