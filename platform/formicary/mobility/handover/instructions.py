"""What the state machines of a hand-over want done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary.mobility.handover.exchange import Targets


@dataclass(slots=True, frozen=True)
class _OfAgent:
    address: str
    number: int  # of the hand-over


# -- at the source -------------------------------------------------------------------------------------------


@dataclass(slots=True, frozen=True)
class Stay(_OfAgent):
    """The agent does not move, and goes on here."""

    reason: str


@dataclass(slots=True, frozen=True)
class Leave(_OfAgent):
    """The agent is at `place` now: take it apart, call `left`, and send its messages behind that."""

    place: str


@dataclass(slots=True, frozen=True)
class Settled(_OfAgent):
    """The agent runs at `place`: who asked for the move can be told; `message` is for the services here."""

    place: str
    message: bytes


@dataclass(slots=True, frozen=True)
class Perished(_OfAgent):
    """The agent is lost with `place`, which has ended before it said that the agent runs."""

    place: str


# -- at the destination --------------------------------------------------------------------------------------


@dataclass(slots=True, frozen=True)
class Build(_OfAgent):
    """Make the agent, do not start it, and say so by `built` or `refuse`."""

    source: str
    snapshot: bytes


@dataclass(slots=True, frozen=True)
class Wake(_OfAgent):
    """Start the agent that was made, and call `started`.

    `targets` says who gets some of the first messages that follow from `source`.
    """

    source: str
    targets: Targets


@dataclass(slots=True, frozen=True)
class Discard(_OfAgent):
    """Forget the agent that was made."""


@dataclass(slots=True, frozen=True)
class Terminate(_OfAgent):
    """End the agent, which lives here."""

    reason: str


# -- at the home ---------------------------------------------------------------------------------------------


@dataclass(slots=True, frozen=True)
class Placed(_OfAgent):
    """One of this home's agents lives at `place`."""

    place: str


@dataclass(slots=True, frozen=True)
class Missing(_OfAgent):
    """One of this home's agents was at `place`, which is not there any more."""

    place: str


@dataclass(slots=True, frozen=True)
class Freed(_OfAgent):
    """One of this home's agents has ended at `place`: nobody has its name."""

    place: str


Instruction = (
    Stay | Leave | Settled | Perished | Build | Wake | Discard | Terminate | Placed | Missing | Freed
)
