"""The protocols of paths that a link's frames can take."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Path(Protocol):
    """Carries frames to one other container."""

    @property
    def has_room(self) -> bool:
        """Whether more can be written now."""

    def send(self, frame: bytes) -> None:
        """Send a frame; it may be lost."""


class IndirectPath(Path, Protocol):
    """A path through a third party."""

    @property
    def kind(self) -> str:
        """The path's kind, as in `LinkStatus.way`."""

    @property
    def is_up(self) -> bool:
        """Whether the third party can be reached."""

    def trouble(self) -> str:
        """Return why nothing can be written now, as part of a sentence."""


class NoPath:
    """Stands for a path where only direct ones exist: returns all frames, for a `reason`."""

    kind = "none"
    has_room = True

    def __init__(self, reason: str, on_bounce: Callable[[str], None]) -> None:
        self._reason = reason
        self._on_bounce = on_bounce
        self.is_up = True
        """Whether the other container is known to be away; if it is only silent, frames are not returned."""

    def send(self, frame: bytes) -> None:
        """Return a frame, as it cannot go."""
        del frame
        asyncio.get_running_loop().call_soon(self._on_bounce, self._reason)

    def trouble(self) -> str:
        """Return why nothing can be written now, as part of a sentence."""
        return self._reason
