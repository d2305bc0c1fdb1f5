"""What one look at the machine has found."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class State(StrEnum):
    """How well something is."""

    GOOD = "good"
    LIMITED = "limited"  # all works but something, or figures will be less certain
    MISSING = "missing"  # what is needed is not there


class Finding(msgspec.Struct, frozen=True):
    """What one look has found.

    Attributes:
        name: what was looked at, in a word or two.
        state: how well it is.
        what: a sentence without a full stop: what is there, or the cause of what is not.
        next_step: what to do about it; empty where there is nothing to do.
    """

    name: str
    state: State
    what: str
    next_step: str = ""


def good(name: str, what: str) -> Finding:
    """Return that something is well."""
    return Finding(name, State.GOOD, what)


def limited(name: str, what: str, next_step: str = "") -> Finding:
    """Return that something could be better."""
    return Finding(name, State.LIMITED, what, next_step)


def missing(name: str, what: str, next_step: str) -> Finding:
    """Return that something that is needed is not there."""
    return Finding(name, State.MISSING, what, next_step)
