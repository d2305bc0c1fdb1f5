"""The process that we are to the one that has started us: it has our standard streams, and we end with it."""

from __future__ import annotations

import os
import select
import threading
from typing import IO, Final

_NO_OUTPUT: Final = 2  # the descriptor of standard error


def take_standard_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Take the standard streams for what is said: what is printed from now on goes to standard error.

    Returns:
        Where our parent's orders come from, and where our answers go.
    """
    incoming, outgoing = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb")
    os.dup2(_NO_OUTPUT, 1)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 -- a device
        os.dup2(nothing.fileno(), 0)
    return incoming, outgoing


def end_with_parent(descriptor: int, seconds: float) -> None:
    """End this process some time after its parent has gone, whatever the event loop is busy with.

    Args:
        descriptor: of what the parent has the other end of.
        seconds: how long this process then gets to end by itself.
    """
    threading.Thread(target=_watch, args=(os.dup(descriptor), seconds), daemon=True).start()


def _watch(descriptor: int, seconds: float) -> None:
    watched = select.poll()
    watched.register(descriptor, select.POLLRDHUP if hasattr(select, "POLLRDHUP") else select.POLLHUP)
    watched.poll()
    threading.Event().wait(seconds)
    os._exit(1)
