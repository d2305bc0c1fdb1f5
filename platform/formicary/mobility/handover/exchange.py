"""The events that containers send each other about agents that move; see `docs/mobility-protocol.md`.

Each event of one agent has its full name, and the number of the hand-over: higher than any before of this
agent.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from formicary.fipa.control_codec import ControlDecoder, Number

Address = Annotated[str, Meta(min_length=3, max_length=3000)]
Domain = Annotated[str, Meta(min_length=1, max_length=1100)]
Count = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
"""The number of a hand-over."""
LONGEST_REASON: Final = 2000
"""How many characters a refusal may have."""
Targets = tuple[tuple[Address, tuple[Annotated[int, Meta(ge=0, lt=1 << 16)], ...]], ...]
Claim = tuple[Address, Count]
"""An agent, and the number of the hand-over that brought it there."""


class _Event(msgspec.Struct, frozen=True, array_like=True):
    address: Address
    number: Count


class Prepare(_Event, frozen=True, array_like=True, tag=1):
    """Source to destination: get this agent ready. `witness` is its home's incarnation, which decides."""

    witness: Number
    snapshot: bytes


class Prepared(_Event, frozen=True, array_like=True, tag=2):
    """Destination to source: the agent is ready; or it will not start here, for the reason in `refusal`."""

    refusal: Annotated[str, Meta(max_length=LONGEST_REASON)] | None = None


class Ask(_Event, frozen=True, array_like=True, tag=3):
    """Source or destination to home: repeat your decision; if there is none, decide.

    Args:
        address: the agent's full name.
        number: the hand-over's.
        source: the source's domain.
        source_incarnation: the source's.
        place: the destination's domain.
        incarnation: the destination's.
        witness: as of `Prepare`.
        is_ready: whether source and destination are both ready; otherwise the agent is to stay.
    """

    source: Domain
    source_incarnation: Number
    place: Domain
    incarnation: Number
    witness: Number
    is_ready: bool


class Outcome(IntEnum):
    """A home's decision."""

    STAYS = 0
    """The agent is at the source."""
    MOVES = 1
    """It is at the destination now."""
    ENDS = 2
    """Its name belongs to another agent now: end it."""


class Decided(_Event, frozen=True, array_like=True, tag=4):
    """Home to source, destination, or whoever has the agent: my decision."""

    outcome: Outcome


class Step(IntEnum):
    """What a destination is to do with an agent."""

    CANCEL = 0
    """Forget it; it stays at the source."""
    START = 1
    """Start it: its move is decided, and it no longer runs at the source."""
    BROUGHT = 2
    """Take its messages for complete: those that it had not received were sent before this."""
    KILL = 3
    """End it: its move was decided, and it was killed at the source."""


class Proceed(_Event, frozen=True, array_like=True, tag=5):
    """Source to destination: take the next step.

    Args:
        address: the agent's full name.
        number: the hand-over's.
        step: the step; the rest is for `START`.
        targets: senders of some of the first messages that follow, each with the numbers of the behaviours
            that get one; other behaviours have received it already.
        brings: whether messages follow, and then `BROUGHT`: the agent gets these before any others.
    """

    step: Step
    targets: Targets = ()
    brings: bool = False


class State(IntEnum):
    """The state of an agent in a container."""

    UNKNOWN = 0
    READY = 1
    STARTED = 2
    """It runs, whether or not its source knows."""
    CONFIRMED = 3
    """It runs, or was ended as its source asked; and the source is told."""
    GONE = 4
    """It has ended."""


class Report(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """What the source learns about an agent that has started.

    Args:
        successor: where its registrations are now, as returned by `AttachedState.take_over`.
        end: why it has ended already, as part of a sentence.
    """

    successor: Any = None
    end: str | None = None


class Status(_Event, frozen=True, array_like=True, tag=6):
    """Destination to source or home, or another container to a home: the state of your agent."""

    state: State
    report: Report | None = None


class Hosting(msgspec.Struct, frozen=True, array_like=True, tag=7):
    """Any container to a home: all your agents that are here.

    Args:
        living: those that live here.
        prepared: those that are ready to start here.
        in_doubt: those of which the decision was asked and is unknown.
        left: those that have left for another container, which has not confirmed their start.
    """

    living: list[Claim]
    prepared: list[Claim]
    in_doubt: list[Claim]
    left: list[tuple[Address, Count, Domain, Number]]


class Query(_Event, frozen=True, array_like=True, tag=8):
    """Home to destination: I was restarted; what do you know of this hand-over?"""


class Hello(msgspec.Struct, frozen=True, array_like=True, tag=9):
    """Any to any: I did not know you before now; repeat what I should know."""


class Flush(msgspec.Struct, frozen=True, array_like=True, tag=10):
    """Any to any: answer when this has arrived, and so has all that I sent before; or the answer."""

    number: Number
    is_answer: bool = False


Event = Prepare | Prepared | Ask | Decided | Proceed | Status | Hosting | Query | Hello | Flush


class Envelope(msgspec.Struct, frozen=True, array_like=True):
    """The events that a container sends another at once.

    Args:
        sender: the sender's incarnation.
        receiver: that of the receiver; a later process of its name ignores the envelope.
        events: in order.
    """

    sender: Number
    receiver: Number
    events: list[Event]


decode = ControlDecoder[Envelope](msgspec.msgpack.Decoder(Envelope), "events of agents that move").decode
