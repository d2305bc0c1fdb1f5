"""Messages common to all worker processes."""

from __future__ import annotations

from typing import Annotated

import msgspec

Text = Annotated[str, msgspec.Meta(max_length=1 << 16)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """The process is ready.

    Attributes:
        endpoint: how others reach the process, if at all.
    """

    endpoint: Text = ""


class Go(msgspec.Struct, frozen=True, tag="go"):
    """All participants are ready: begin."""


class Progress(msgspec.Struct, frozen=True, tag="progress"):
    """The process is alive; sent a few times a second.

    Attributes:
        done: steps completed so far.
    """

    done: Count


class Failed(msgspec.Struct, frozen=True, tag="failed"):
    """The process cannot continue.

    Attributes:
        reason: a sentence, preferably with a next step.
    """

    reason: Annotated[Text, msgspec.Meta(min_length=1)]


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """End."""
