"""The result of one check of the machine."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class State(StrEnum):
    """The state of something."""

    GOOD = "good"
    LIMITED = "limited"  # all works except for something, or figures will be less certain
    MISSING = "missing"  # something required is missing


class Finding(msgspec.Struct, frozen=True):
    """The result of one check.

    Attributes:
        name: what was checked, in a word or two.
        state: its state.
        what: a sentence without a full stop: what was found, or the cause of a problem.
        next_step: what to do about it; empty if nothing.
    """

    name: str
    state: State
    what: str
    next_step: str = ""


def good(name: str, what: str) -> Finding:
    """Return a good finding."""
    return Finding(name, State.GOOD, what)


def limited(name: str, what: str, next_step: str = "") -> Finding:
    """Return a finding about something limited."""
    return Finding(name, State.LIMITED, what, next_step)


def missing(name: str, what: str, next_step: str) -> Finding:
    """Return a finding about something missing."""
    return Finding(name, State.MISSING, what, next_step)
