"""What page and server say to each other over their web socket: JSON, one object in each message."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from formicary.live.feed import Act  # noqa: TC001 -- msgspec reads the types
from formicary.observe import events
from formicary.observe.events import Event, Filters, MessageSeen  # noqa: TC001 -- msgspec reads the types

LONGEST = 1 << 21
"""How many bytes a page may say at once: a conversation that it exports is said as it was shown."""


class FromPage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """What all that a page says has in common."""


class Taken(FromPage, frozen=True, tag="taken"):
    """The page has drawn all parcels up to this number."""

    number: int


class Narrow(FromPage, frozen=True, tag="narrow"):
    """The page wants to see these messages only."""

    filters: Filters


class Do(FromPage, frozen=True, tag="act"):
    """Something is to be done to the platform; it is answered by `Done` with the same `id`."""

    id: int
    act: Act
    arguments: dict[str, Any] = {}


class Export(FromPage, frozen=True, tag="export"):
    """Messages are to be written as a file of this name; the answer's result is its content."""

    id: int
    name: str
    messages: list[MessageSeen]


class Play(FromPage, frozen=True, tag="play"):
    """A recording is to be played otherwise: `value` is the speed, or the time in seconds since 1970."""

    action: Literal["pause", "resume", "speed", "seek"]
    value: float = 0.0


Said = Taken | Narrow | Do | Export | Play


class Playing(msgspec.Struct, frozen=True):
    """Where a recording is."""

    begins: float
    ends: float
    position: float
    speed: float
    is_paused: bool


class ToPage(msgspec.Struct, frozen=True, tag_field="kind"):
    """What all that a page is told has in common."""


class Hello(ToPage, frozen=True, tag="hello"):
    """What is watched: the first that a page is told.

    Args:
        title: the name of the platform, or of the recording's file.
        may_act: whether the page can change something there.
        playing: of a recording, where it is.
        fields: of each kind of event, the names of what stands in it, in order.
    """

    title: str
    may_act: bool
    playing: Playing | None
    fields: dict[str, tuple[str, ...]]


class Parcel(ToPage, frozen=True, tag="parcel"):
    """Some events, to be answered by `Taken`.

    Args:
        number: of the parcel, one more than the last one's.
        events: as their classes write themselves.
        left_out: how many messages were seen and are not here.
        begins_again: whether what was told before holds no more, as where a recording goes on elsewhere.
        playing: of a recording, where it is.
    """

    number: int
    events: list[Event]
    left_out: int = 0
    begins_again: bool = False
    playing: Playing | None = None


class Alive(ToPage, frozen=True, tag="alive"):
    """There is nothing to tell, and the server is there: a page that hears nothing knows that it is not."""


class Done(ToPage, frozen=True, tag="done"):
    """What was asked for is done, or why it is not."""

    id: int
    result: str | None = None
    error: str | None = None


class Ended(ToPage, frozen=True, tag="ended"):
    """Nothing more comes, and why."""

    reason: str


FIELDS = {
    kind.__name__: kind.__struct_fields__
    for kind in (
        events.MessageSeen,
        events.MessageTaken,
        events.AgentSeen,
        events.DeadLetter,
        events.LeftOut,
        events.Figures,
    )
}
"""The names of what stands in an event's list, behind the name of its class."""

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Said).decode
