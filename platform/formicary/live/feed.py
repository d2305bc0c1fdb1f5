"""Feeds of a view: batches of events from a running platform or a recording."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal, Self

from formicary.core.errors import UsageError
from formicary.observe.events import Filters

if TYPE_CHECKING:
    from formicary.observe.events import Event

Act = Literal["kill", "suspend", "resume", "create", "send", "move"]
"""Actions available in a view."""

OF_AGENTS = ("kill", "suspend", "resume")
"""Those whose only argument is `agent`."""

MOST_EVENTS = 2000
"""The largest number of events in a batch."""


class Feed(ABC):
    """Yields batches of events, about ten a second, on demand; an async context manager.

        async with JoinedFeed(container) as feed:
            async for batch in feed:
                ...

    A batch may be empty. A slow consumer makes containers leave out more messages, and nothing else.

    Attributes:
        filters: which messages to include; can be set at any time.
        is_live: whether it shows a running platform, not a recording.
        may_act: whether `act` is allowed.
        is_paused: whether it is paused.
        speed: of a recording, its seconds per second; negative is backwards.
        span: of a recording, its start and end in seconds since 1970.
        position: the time up to which events were returned, in seconds since 1970.
    """

    is_live: bool = True
    may_act: bool = False
    span: tuple[float, float] | None = None

    def __init__(self) -> None:
        self.is_paused = False
        self.speed = 1.0
        self.position = 0.0
        self.filters = Filters()

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._close()

    def __aiter__(self) -> Self:
        return self

    @abstractmethod
    async def __anext__(self) -> list[Event]:
        """Return the next batch, about a tenth of a second after the last one.

        Raises:
            LinkError: the platform is gone.
            StoreError: the recording cannot be read.
        """

    @abstractmethod
    async def _open(self) -> None:
        """Open the feed."""

    @abstractmethod
    async def _close(self) -> None:
        """Close the feed, and stop containers collecting."""

    def pause(self) -> None:
        """Pause until `resume`; what happens on a running platform meanwhile is left out."""
        self.is_paused = True

    def resume(self) -> None:
        """Continue after `pause`."""
        self.is_paused = False

    def seek(self, at: float) -> None:
        """Continue a recording from another time.

        The next batch begins with a `Begun`, a `Figures` with the whole state at that time, and the latest
        messages before it, with how many were left out. While playing backwards, every batch does.

        Args:
            at: in seconds since 1970.

        Raises:
            UsageError: this is not a recording.
        """
        raise UsageError(f"only a recording can go back to {at:.1f}")

    async def act(self, act: Act, **arguments: Any) -> str | None:
        """Perform an action on the platform.

        Args:
            act: `kill`, `suspend`, `resume` (`agent`); `create` (`class_name`, `name`, `container`, and the
                object `arguments`); `move` (`agent`, `container`); `send` (`to`, `body` and other parameters
                of a message).
            arguments: as above.

        Returns:
            The full name of a created agent.

        Raises:
            FormicaryError: it is not allowed, or it failed.
        """
        del arguments
        raise UsageError(f"a recording cannot be changed, so it cannot {act}")
