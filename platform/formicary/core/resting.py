"""Decides from a coroutine's position whether a behaviour is at rest, so that its agent could move.

At rest, a behaviour has not begun, or waits in `receive`, until it is due or for a change of a subscription,
or is between two runs or two states of a machine. There it can end, and start again elsewhere, with nothing
half done. This needs no bookkeeping while it runs: the coroutine itself shows what it awaits.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from formicary.core.behaviour import Behaviour, Phase
from formicary.core.coroutines import pause, rest_until
from formicary.core.mailbox import Mailbox
from formicary.core.tracebacks import is_of_users, place

if TYPE_CHECKING:
    from collections.abc import Iterator

_POINTS = {
    Behaviour.receive.__code__,
    Mailbox.receive.__code__,
    Mailbox.receive_matching.__code__,
    pause.__code__,
    rest_until.__code__,
}


def is_at_rest(behaviour: Behaviour) -> bool:
    """Return whether a behaviour that is not running now is at rest."""
    strand = behaviour.mailbox.strand
    if strand is None:
        return True
    if behaviour.strand_phase >= Phase.ENDING:
        return False
    if not strand.has_begun or waits_for_time(behaviour):
        return True
    return any(_code(each) in _POINTS for each in _awaited(strand.coroutine))


def waits_for_time(behaviour: Behaviour) -> bool:
    """Return whether a behaviour that is not running now waits until it is due."""
    strand = behaviour.mailbox.strand
    if strand is None:
        return False
    waits = type(behaviour)._wait_for_time.__code__  # noqa: SLF001 -- it is one with behaviours
    return _code(getattr(strand.coroutine, "cr_await", None)) is waits


def what_it_does(behaviour: Behaviour) -> str:
    """Return what a behaviour is doing, such as `is awaiting sleep (market.py:12, in run)`."""
    strand = behaviour.mailbox.strand
    if strand is None or strand.done():
        return "has ended"
    what, where = "a future", ""
    for each, inner in pairwise(_awaited(strand.coroutine)):
        frame = getattr(each, "cr_frame", None) or getattr(each, "gi_frame", None)
        if frame is not None and (is_of_users(frame.f_code) or not where):
            code = _code(inner)
            what = "a future" if code is None else code.co_name
            where = f" ({place(frame.f_code, frame.f_lineno)})" if is_of_users(frame.f_code) else ""
    return f"is awaiting {what}{where}"


def _awaited(coroutine: Any) -> Iterator[Any]:
    """Iterate over a coroutine and what it awaits, to the innermost that can be seen."""
    while coroutine is not None:
        yield coroutine
        coroutine = getattr(coroutine, "cr_await", None) or getattr(coroutine, "gi_yieldfrom", None)


def _code(awaited: Any) -> Any:
    return getattr(awaited, "cr_code", None) or getattr(awaited, "gi_code", None)
