"""The messages between page and server over their WebSocket: one JSON object each."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from formicary.live.feed import Act  # noqa: TC001 -- msgspec reads the types
from formicary.observe import events
from formicary.observe.events import Event, Filters, MessageSeen  # noqa: TC001 -- msgspec reads the types

LONGEST = 1 << 21
"""The longest message of a page in bytes: a conversation to export is sent as it was shown."""


class FromPage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """Base of all messages of a page."""


class Taken(FromPage, frozen=True, tag="taken"):
    """Acknowledges all parcels up to this number as drawn."""

    number: int


class Narrow(FromPage, frozen=True, tag="narrow"):
    """Limits the messages that the page is sent."""

    filters: Filters


class Do(FromPage, frozen=True, tag="act"):
    """Requests an action on the platform; answered by `Done` with the same `id`."""

    id: int
    act: Act
    arguments: dict[str, Any] = {}


class Export(FromPage, frozen=True, tag="export"):
    """Requests messages as a file of this name; the answer's result is its content."""

    id: int
    name: str
    messages: list[MessageSeen]


class Play(FromPage, frozen=True, tag="play"):
    """Changes how a recording is played: `value` is the speed, or the time in seconds since 1970."""

    action: Literal["pause", "resume", "speed", "seek"]
    value: float = 0.0


Said = Taken | Narrow | Do | Export | Play


class Playing(msgspec.Struct, frozen=True):
    """The position in a recording."""

    begins: float
    ends: float
    position: float
    speed: float
    is_paused: bool


class ToPage(msgspec.Struct, frozen=True, tag_field="kind"):
    """Base of all messages to a page."""


class Hello(ToPage, frozen=True, tag="hello"):
    """The first message to a page: what it shows.

    Args:
        title: the name of the platform, or of the recording's file.
        may_act: whether the page may act on the platform.
        playing: of a recording, its position.
        fields: the field names of each kind of event, in order.
    """

    title: str
    may_act: bool
    playing: Playing | None
    fields: dict[str, tuple[str, ...]]


class Parcel(ToPage, frozen=True, tag="parcel"):
    """Some events, to be answered by `Taken`.

    Args:
        number: the parcel's number, one more than the last one's.
        events: as encoded by their classes.
        left_out: how many messages were left out.
        begins_again: whether earlier parcels are void, as when a recording jumps to another time.
        playing: of a recording, its position.
    """

    number: int
    events: list[Event]
    left_out: int = 0
    begins_again: bool = False
    playing: Playing | None = None


class Alive(ToPage, frozen=True, tag="alive"):
    """Sent when there is nothing else, so that a page notices when the server is gone."""


class Done(ToPage, frozen=True, tag="done"):
    """The outcome of a request: done, or why not."""

    id: int
    result: str | None = None
    error: str | None = None


class Ended(ToPage, frozen=True, tag="ended"):
    """The end of the feed, and the reason."""

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
"""The names of the fields in an event's list, after the name of its class."""

encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Said).decode
