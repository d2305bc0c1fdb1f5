"""What a link needs of the paths that its frames can take."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Path(Protocol):
    """What carries frames to one other container."""

    @property
    def has_room(self) -> bool:
        """Whether more can be written now."""

    def send(self, frame: bytes) -> None:
        """Send a frame; it may get lost."""


class IndirectPath(Path, Protocol):
    """A path through a third party, which is there or not."""

    @property
    def kind(self) -> str:
        """What it is, as `LinkStatus.way` says it."""

    @property
    def is_up(self) -> bool:
        """Whether the third party can be reached."""

    def trouble(self) -> str:
        """Return why nothing can be written now, as part of a sentence."""


class NoPath:
    """Stands where there is no path but a direct one: all that goes here comes back, for a `reason`."""

    kind = "none"
    has_room = True

    def __init__(self, reason: str, on_bounce: Callable[[str], None]) -> None:
        self._reason = reason
        self._on_bounce = on_bounce
        self.is_up = True
        """Whether the other container is known to be away; where it is only silent, nothing comes back."""

    def send(self, frame: bytes) -> None:
        """Return a frame: it cannot go."""
        del frame
        asyncio.get_running_loop().call_soon(self._on_bounce, self._reason)

    def trouble(self) -> str:
        """Return why nothing can be written now, as part of a sentence."""
        return self._reason
