"""What containers tell each other about agents that move; see `docs/mobility-protocol.md`."""

from __future__ import annotations

from enum import IntEnum
from typing import Annotated, Final

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
"""An agent, and the number of the hand-over that has brought it there."""


class _Event(msgspec.Struct, frozen=True, array_like=True):
    address: Address
    number: Count  # of the hand-over


class Prepare(_Event, frozen=True, array_like=True, tag=1):
    """Source to destination: make this agent ready, and start it when I say so.

    Args:
        address: the agent's full name.
        number: of the hand-over; higher than that of any other of this agent before.
        witness: the incarnation of its home, which decides.
        snapshot: the agent.
    """

    witness: Number
    snapshot: bytes


class Prepared(_Event, frozen=True, array_like=True, tag=2):
    """Destination to source: it is ready; or it will not be started here, for the reason in `refusal`."""

    refusal: Annotated[str, Meta(max_length=LONGEST_REASON)] | None = None


class Ask(_Event, frozen=True, array_like=True, tag=3):
    """Source or destination to home: say what was decided; if nothing was, decide.

    Args:
        address: as of `Prepare`, and so are `number` and `witness`.
        number: see there.
        source: the source's domain.
        source_incarnation: the source's.
        place: the destination's domain.
        incarnation: the destination's.
        witness: see there.
        is_ready: whether source and destination are both ready for it to move; otherwise it is to stay.
    """

    source: Domain
    source_incarnation: Number
    place: Domain
    incarnation: Number
    witness: Number
    is_ready: bool


class Outcome(IntEnum):
    """What a home has decided."""

    STAYS = 0
    """At the source."""
    MOVES = 1
    """It is at the destination now."""
    ENDS = 2
    """The name is another agent's now: end this one."""


class Decided(_Event, frozen=True, array_like=True, tag=4):
    """Home to source or destination, or to whoever has the agent: this is decided."""

    outcome: Outcome


class Step(IntEnum):
    """What a destination is to do with an agent."""

    CANCEL = 0
    """Forget it; it goes on at the source."""
    START = 1
    """Start it: it is decided, and nothing of it runs at the source any more."""
    BROUGHT = 2
    """All that it has not received at the source was sent before this."""
    KILL = 3
    """End it: it was decided that it moves, and it was killed at the source."""


class Proceed(_Event, frozen=True, array_like=True, tag=5):
    """Source to destination: take the next step.

    Args:
        address: as of `Prepare`, and so is `number`.
        number: see there.
        step: the step; the rest is for `START`.
        targets: for some of the first messages that follow, by sender, the numbers of the behaviours that are
            to get them: those that others of its behaviours have received already.
        brings: whether messages follow that it has not received, and `BROUGHT` behind them: it gets those
            before any others, so it is started then.
    """

    step: Step
    targets: Targets = ()
    brings: bool = False


class State(IntEnum):
    """What there is of an agent where it should be."""

    UNKNOWN = 0
    READY = 1
    STARTED = 2
    """It runs there; whether the source knows is not known."""
    CONFIRMED = 3
    """It runs there, or was ended as the source has asked; and the source is told."""
    GONE = 4
    """It has ended there."""


class Status(_Event, frozen=True, array_like=True, tag=6):
    """Destination to source or home, or another container to a home: what there is of your agent.

    Args:
        address: as of `Prepare`, and so is `number`.
        number: see there.
        state: what there is.
        message: what the services of the destination tell those of the source, when it is confirmed.
    """

    state: State
    message: bytes = b""


class Hosting(msgspec.Struct, frozen=True, array_like=True, tag=7):
    """A container to a home: all that I have of your agents.

    Args:
        living: those that live here.
        prepared: those that are ready to be started here, if it is so decided.
        in_doubt: those of which I have asked what was decided, and have no answer.
        left: those that have left for another container, which has not said that it has started them.
    """

    living: list[Claim]
    prepared: list[Claim]
    in_doubt: list[Claim]
    left: list[tuple[Address, Count, Domain, Number]]


class Query(_Event, frozen=True, array_like=True, tag=8):
    """A home to a destination: I was restarted; what do you know of this hand-over?"""


class Hello(msgspec.Struct, frozen=True, array_like=True, tag=9):
    """Any to any: I have learned only now that you are there; say again what I should know."""


class Flush(msgspec.Struct, frozen=True, array_like=True, tag=10):
    """Any to any: answer when you have got this, and with it all that I have sent before; or the answer."""

    number: Number
    is_answer: bool = False


Event = Prepare | Prepared | Ask | Decided | Proceed | Status | Hosting | Query | Hello | Flush


class Envelope(msgspec.Struct, frozen=True, array_like=True):
    """What one container tells another at once.

    Args:
        sender: the incarnation of who tells it.
        receiver: the incarnation that it is for: another one of the same name ignores it.
        events: what is told, in its order.
    """

    sender: Number
    receiver: Number
    events: list[Event]


decode = ControlDecoder[Envelope](msgspec.msgpack.Decoder(Envelope), "what containers say of moves").decode
