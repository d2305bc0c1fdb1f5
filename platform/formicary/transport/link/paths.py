"""What a link needs of the paths that its frames can take, and of the router that owns it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.container.container import Container
    from formicary.transport.link.header import Terms
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


class LinkOwner(Protocol):
    """The router, as its links see it."""

    container: Container
    is_closed: bool
    before_batch: Callable[[], None] | None
    """To be called before a batch goes out."""

    def found(self, link: Link, terms: Terms) -> None:
        """Called when the other end is there, on these terms."""

    def lost(self, link: Link) -> None:
        """Called when the other end is not there any more."""

    def opened(self, link: Link) -> None:
        """Called when a session has begun: control messages from now on get there."""

    def on_control(self, link: Link, channel: str, payload: bytes) -> None:
        """Called with a control message of the other container; ValueError if it is none."""

    def doubted(self, link: Link) -> None:
        """Called when nothing comes back over the present path; a direct one is to be cut."""

    def drop(self, origin: str, what: str) -> None:
        """Count and log what another container must not have sent."""
