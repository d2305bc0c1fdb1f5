"""Ctrl-C, and other requests to end, at moments when nothing is half done.

Python raises KeyboardInterrupt wherever the program happens to be: between starting a process and noting that
there is one, for example. Within `defer_interrupts` a request is noted instead, and raised where the program
says that it may be: before a repetition, and while it waits for its workers.
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
    """Whether there was a request to end, and whether one is raised right now."""

    made = False
    is_raised = False


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Raise requests to end only in `allow_interrupts` and `raise_if_interrupted`; for the main thread."""
    # What is ignored already (SIGHUP under nohup, say) stays so.
    before = {one: handler for one in _REQUESTS if (handler := signal.getsignal(one)) != signal.SIG_IGN}
    is_outermost = _note not in before.values()  # what one around another has noted is not forgotten
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
            _Request.made = False  # what comes next is not asked to end


@contextmanager
def end_on_interrupt() -> Iterator[None]:
    """As `defer_interrupts`, for a program that ends with the block if there was a request and it raises.

    Further requests then change nothing: they would end the program before it has said what it has kept, and
    with another exit code.
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
    """Raise KeyboardInterrupt at any point of the block if there is, or was, a request to end."""
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
