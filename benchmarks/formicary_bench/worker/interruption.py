"""Ctrl-C and other requests to end, at safe moments.

Python raises KeyboardInterrupt anywhere, such as between starting a process and storing it. Within
`defer_interrupts` a request is only noted, and raised where permitted: before a repetition, and while waiting
for workers.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

_REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Request:
    """Whether there was a request to end, and whether requests are raised now."""

    made = False
    is_raised = False


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Raise requests to end only in `allow_interrupts` and `raise_if_interrupted`; for the main thread."""
    # Ignored signals, such as SIGHUP under nohup, stay ignored.
    before = {one: handler for one in _REQUESTS if (handler := signal.getsignal(one)) != signal.SIG_IGN}
    is_outermost = _note not in before.values()  # an outer block keeps its request
    if is_outermost:
        _Request.made = False
    for one in before:
        signal.signal(one, _note)
    try:
        yield
    finally:
        for one, handler in before.items():
            if signal.getsignal(one) != signal.SIG_IGN:
                signal.signal(one, handler)
        if is_outermost:
            _Request.made = False


@contextmanager
def end_on_interrupt() -> Iterator[None]:
    """Act as `defer_interrupts`, and ignore further requests if the block raises after one.

    They would end the program before its last message, and with another exit code.
    """
    with defer_interrupts():
        try:
            yield
        except BaseException:
            if _Request.made:
                for one in _REQUESTS:
                    signal.signal(one, signal.SIG_IGN)
            raise


@contextmanager
def allow_interrupts() -> Iterator[None]:
    """Raise KeyboardInterrupt anywhere in the block, for past and new requests."""
    before, _Request.is_raised = _Request.is_raised, True
    try:
        raise_if_interrupted()
        yield
    finally:
        _Request.is_raised = before and not _Request.made  # once: what follows cleans up


def raise_if_interrupted() -> None:
    """Raise KeyboardInterrupt if there was a request to end."""
    if _Request.made:
        raise KeyboardInterrupt


def _note(number: int, frame: FrameType | None) -> None:
    del number, frame
    _Request.made = True
    if _Request.is_raised:
        _Request.is_raised = False  # once: what follows cleans up
        raise KeyboardInterrupt
