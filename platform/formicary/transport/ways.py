"""What a link needs of the ways that its frames can go."""

from __future__ import annotations

from typing import Protocol


class Way(Protocol):
    """What carries frames to one other container."""

    @property
    def has_room(self) -> bool:
        """Whether more can be written now."""

    def send(self, frame: bytes) -> None:
        """Send a frame; it may get lost."""


class FarWay(Way, Protocol):
    """A way through a third party, which is there or not."""

    @property
    def kind(self) -> str:
        """What it is, as `LinkStatus.way` says it."""

    @property
    def is_up(self) -> bool:
        """Whether the third party can be reached."""

    def trouble(self) -> str:
        """Return why nothing can be written now, as part of a sentence."""
