"""The child's side: exchange with the parent over standard streams, and ending with it."""

from __future__ import annotations

import os
import select
import threading
from typing import IO, Final

_NO_OUTPUT: Final = 2  # the descriptor of standard error


def take_standard_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Take over the standard streams for messages; later output goes to standard error.

    Returns:
        The streams for the parent's orders and our answers.
    """
    incoming, outgoing = os.fdopen(os.dup(0), "rb", 0), os.fdopen(os.dup(1), "wb")
    os.dup2(_NO_OUTPUT, 1)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 -- a device
        os.dup2(nothing.fileno(), 0)
    return incoming, outgoing


def end_with_parent(descriptor: int, seconds: float) -> None:
    """End this process some time after its parent is gone, even if the event loop is blocked.

    Args:
        descriptor: a file descriptor whose other end the parent holds.
        seconds: the time for this process to end by itself.
    """
    threading.Thread(target=_watch, args=(os.dup(descriptor), seconds), daemon=True).start()


def _watch(descriptor: int, seconds: float) -> None:
    watched = select.poll()
    watched.register(descriptor, select.POLLRDHUP if hasattr(select, "POLLRDHUP") else select.POLLHUP)
    watched.poll()
    threading.Event().wait(seconds)
    os._exit(1)
