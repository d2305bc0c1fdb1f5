"""What a link needs of the paths that its frames can take, and of the router that owns it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.container.container import Container
    from formicary.core.message import Message
    from formicary.transport.link.header import SessionParameters
    from formicary.transport.link.link import Link


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
    """Stands where there is no path but a direct one: all that goes here comes back.

    Args:
        reason: why, as a sentence.
        on_bounce: called with it.
    """

    kind = "none"
    has_room = True

    def __init__(self, reason: str, on_bounce: Callable[[str], None]) -> None:
        self._reason = reason
        self._on_bounce = on_bounce
        self.is_up = True
        """Whether the other container is known to be away; where it is only silent, nothing comes back."""

    def send(self, frame: bytes) -> None:
        """Have a frame come back: it cannot go."""
        del frame
        asyncio.get_running_loop().call_soon(self._on_bounce, self._reason)

    def trouble(self) -> str:
        """Return why nothing can be written now, as part of a sentence."""
        return self._reason


class LinkOwner(Protocol):
    """The router, as its links see it."""

    container: Container
    is_closed: bool
    before_batch: Callable[[], None] | None
    """To be called before a batch goes out."""

    def is_member(self, domain: str) -> bool:
        """Return whether a container is a member of the platform, for all that is known."""

    def tell_by_another_way(self, domain: str, failure: Message, receiver: str) -> bool:
        """Tell a sender of a failure that a link could not bring; return whether it is told, or will be."""

    def on_heard(self, domain: str, sender: str) -> None:
        """Called when another container has sent something for an agent, that others have sent for before."""

    def on_found(self, link: Link, parameters: SessionParameters) -> None:
        """Called when the other end is there, with these parameters."""

    def on_lost(self, link: Link) -> None:
        """Called when the other end is not there any more."""

    def on_opened(self, link: Link) -> None:
        """Called when a session has begun: control messages from now on get there."""

    def on_control(self, link: Link, channel: str, payload: bytes) -> None:
        """Called with a control message of the other container; ValueError if it is none."""

    def on_doubt(self, link: Link) -> None:
        """Called when nothing comes back over the present path; a direct one is to be cut."""

    def drop(self, origin: str, what: str) -> None:
        """Count and log what another container must not have sent."""
