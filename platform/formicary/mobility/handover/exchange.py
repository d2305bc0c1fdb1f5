"""What containers tell each other about agents that move; see `docs/mobility-protocol.md`."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from formicary.fipa.control_codec import ControlDecoder, Number

Address = Annotated[str, Meta(min_length=3, max_length=3000)]
Domain = Annotated[str, Meta(min_length=1, max_length=1100)]
Count = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
"""The number of a hand-over."""
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
    """Destination to source: it is ready."""


class Refused(_Event, frozen=True, array_like=True, tag=3):
    """Destination to source: it will not be started here."""

    reason: Annotated[str, Meta(max_length=2000)]


class Cancel(_Event, frozen=True, array_like=True, tag=4):
    """Source to destination: forget it; it goes on with me."""


class Ask(_Event, frozen=True, array_like=True, tag=5):
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


class Decided(_Event, frozen=True, array_like=True, tag=6):
    """Home to source or destination: it is at the destination now, or it stays at the source."""

    moves: bool


class Start(_Event, frozen=True, array_like=True, tag=7):
    """Source to destination: it is decided, and nothing of it runs here any more; start it.

    Args:
        address: as of `Prepare`, and so is `number`.
        number: see there.
        targets: for some of the first messages that follow, by sender, the numbers of the behaviours that are
            to get them: those that others of its behaviours have received already.
        brings: whether messages follow that it has not received, and `Brought` behind them: it gets those
            before any others, so it is started then.
    """

    targets: Targets = ()
    brings: bool = False


class Started(_Event, frozen=True, array_like=True, tag=8):
    """Destination to source, and to the home: it runs here.

    Args:
        address: as of `Prepare`, and so is `number`.
        number: see there.
        message: what the services of the destination tell those of the source.
    """

    message: bytes = b""


class Kill(_Event, frozen=True, array_like=True, tag=9):
    """Source to destination: it was decided that it is yours, and it was killed here; end it."""


class Hosting(msgspec.Struct, frozen=True, array_like=True, tag=10):
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


class Gone(_Event, frozen=True, array_like=True, tag=11):
    """A container to a home: your agent has ended here."""


class End(_Event, frozen=True, array_like=True, tag=12):
    """A home to a container: the name is another agent's now; end yours."""


class Query(_Event, frozen=True, array_like=True, tag=13):
    """A home to a destination: I was restarted; what do you know of this hand-over?"""


class Have(_Event, frozen=True, array_like=True, tag=14):
    """A destination to a home: it is ready here (1), or was started here (2), or I know nothing (0)."""

    state: Annotated[int, Meta(ge=0, le=2)]


class Hello(msgspec.Struct, frozen=True, array_like=True, tag=15):
    """Any to any: I have learned only now that you are there; say again what I should know."""


class Flush(msgspec.Struct, frozen=True, array_like=True, tag=16):
    """Any to any: say so when you have got this, and with it all that I have sent before."""

    number: Number


class Flushed(msgspec.Struct, frozen=True, array_like=True, tag=17):
    """The answer to `Flush`."""

    number: Number


class Brought(_Event, frozen=True, array_like=True, tag=18):
    """Source to destination: all that it has not received here was sent before this."""


Event = (
    Prepare | Prepared | Refused | Cancel | Ask | Decided | Start | Started | Kill
    | Hosting | Gone | End | Query | Have | Hello | Flush | Flushed | Brought
)  # fmt: skip


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
