"""What the state machines of a hand-over want done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from formicary.mobility.handover.exchange import Targets


class _OfAgent(msgspec.Struct, frozen=True):
    address: str
    number: int  # of the hand-over


# -- at the source -------------------------------------------------------------------------------------------


class Stay(_OfAgent, frozen=True):
    """The agent does not move, and goes on here."""

    reason: str


class Drained(_OfAgent, frozen=True):
    """All that was sent before the agent came to rest has arrived: call `drained` when its ways are clear."""


class Leave(_OfAgent, frozen=True):
    """The agent is at `place` now: take it apart, call `left`, send its messages, and call `brought`."""

    place: str


class Settled(_OfAgent, frozen=True):
    """The agent runs at `place`: who asked for the move can be told; `message` is for the services here."""

    place: str
    message: bytes


class Perished(_OfAgent, frozen=True):
    """The agent is lost with `place`, which has ended before it said that the agent runs."""

    place: str


# -- at the destination --------------------------------------------------------------------------------------


class Build(_OfAgent, frozen=True):
    """Make the agent, do not start it, and say so by `built` or `refuse`."""

    source: str
    snapshot: bytes


class Wake(_OfAgent, frozen=True):
    """Start the agent that was made, and call `started`.

    `targets` says who gets some of the first messages that follow from `source`; `brings`, whether any do:
    then it is started when all have come, which `Complete` says, or the link to `source` has ended.
    """

    source: str
    targets: Targets
    brings: bool = False


class Complete(_OfAgent, frozen=True):
    """All has come that the agent brings along."""


class Discard(_OfAgent, frozen=True):
    """Forget the agent that was made."""


class Known(msgspec.Struct, frozen=True):
    """A home has seen which of its agents live here, and has had those ended that are another's by now."""

    home: str


class Terminate(_OfAgent, frozen=True):
    """End the agent, which lives here."""

    reason: str


# -- at the home ---------------------------------------------------------------------------------------------


class Moving(_OfAgent, frozen=True):
    """One of this home's agents leaves `source`: hold what comes for it until it is placed, or gone."""

    source: str


class Placed(_OfAgent, frozen=True):
    """One of this home's agents lives at `place`."""

    place: str


class Missing(_OfAgent, frozen=True):
    """One of this home's agents was at `place`, which is not there any more."""

    place: str


class Freed(_OfAgent, frozen=True):
    """One of this home's agents has ended at `place`: nobody has its name."""

    place: str


Instruction = (
    Stay | Drained | Leave | Settled | Perished | Build | Wake | Complete | Discard | Terminate
    | Known | Moving | Placed | Missing | Freed
)  # fmt: skip
