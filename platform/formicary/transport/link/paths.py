"""The paths that a link's frames can take, and the one through the container that others have joined.

On the connection to that container, a frame is wrapped: a byte for its kind, a byte for the length of a
container's domain, that domain, and the frame. `docs/wire-format.md` specifies it.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.transport.link.link import Link

PASS_ON: Final = 0x40
"""To the container in the middle: forward the frame to that domain."""
PASSED_ON: Final = 0x41
"""From it: that domain has sent the frame."""
RETURNED: Final = 0x42
"""From it: a frame to that domain cannot be forwarded; instead of the frame, the reason in UTF-8."""


def wrap(kind: int, domain: str, frame: bytes) -> bytes:
    """Return a frame wrapped."""
    name = domain.encode()
    return b"".join((bytes((kind, len(name))), name, frame))


def unwrap(data: bytes) -> tuple[int, str, bytes]:
    """Return the arguments that `wrap` was given; ValueError if the data is no wrapped frame."""
    if len(data) < 2 or not PASS_ON <= data[0] <= RETURNED or len(data) < 2 + data[1]:  # noqa: PLR2004 -- two bytes
        raise ValueError("not a wrapped frame")
    end = 2 + data[1]
    return data[0], data[2:end].decode(), data[end:]


class RelayPath:
    """The path to a container, by its domain, through the one at the other end of a link."""

    kind = "relay"

    def __init__(self, domain: str, middle: Link) -> None:
        self._domain = domain
        self._middle = middle

    @property
    def is_up(self) -> bool:
        """Whether there is a connection to the container in the middle."""
        return self._middle.direct is not None

    @property
    def has_room(self) -> bool:
        """Whether more can be written to it now."""
        return self._middle.direct is not None and self._middle.direct.has_room

    def send(self, frame: bytes) -> None:
        """Send a frame; without a connection, it is lost."""
        if self._middle.direct is not None:
            self._middle.direct.send(wrap(PASS_ON, self._domain, frame))

    def trouble(self) -> str:
        """Return why nothing can be written now, as part of a sentence."""
        if self._middle.direct is None:
            return "not connected to the container that this one joined"
        return "because the container that this one joined is not taking more for now"


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
