"""What processes that work for another say, and are told, in the same words."""

from __future__ import annotations

from typing import Annotated

import msgspec

Text = Annotated[str, msgspec.Meta(max_length=1 << 16)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """All is prepared.

    Attributes:
        endpoint: how others reach the process, if they do.
    """

    endpoint: Text = ""


class Go(msgspec.Struct, frozen=True, tag="go"):
    """All who take part are ready: begin."""


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """The process lives; said a few times a second.

    Attributes:
        done: how many steps it has done so far.
    """

    done: Count


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """The process cannot continue.

    Attributes:
        reason: a sentence, best with what to do about it.
    """

    reason: Annotated[Text, msgspec.Meta(min_length=1)]


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """End."""
