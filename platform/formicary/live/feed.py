"""What a view is fed by: batches of events, of a platform that runs or of a recording."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal, Self

from formicary.core.errors import UsageError
from formicary.observe.events import Filters

if TYPE_CHECKING:
    from types import TracebackType

    from formicary.observe.events import Event

Act = Literal["kill", "suspend", "resume", "create", "send", "move"]
"""What can be done from a view."""

MOST_EVENTS = 2000
"""How many events a batch has at most."""


class Feed(ABC):
    """Gives batches of events, about ten a second, as long as somebody asks for the next: `async with` it.

        async with JoinedFeed(container) as feed:
            async for batch in feed:
                ...

    A batch may be empty. Who is slow to ask for the next makes containers leave more out, and nothing else.

    Attributes:
        is_live: whether it is of a platform that runs, and not of a recording.
        may_act: whether `act` does anything.
        is_paused: whether it gives nothing new.
        speed: of a recording, how many seconds of it pass in one; negative goes backwards.
        span: of a recording, when it begins and ends, in seconds since 1970.
        position: up to when events were given, in seconds since 1970.
    """

    is_live: bool = True
    may_act: bool = False
    span: tuple[float, float] | None = None

    def __init__(self) -> None:
        self.is_paused = False
        self.speed = 1.0
        self.position = 0.0
        self._filters = Filters()

    async def __aenter__(self) -> Self:
        await self._open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._close()

    def __aiter__(self) -> Self:
        return self

    @abstractmethod
    async def __anext__(self) -> list[Event]:
        """Return the next batch, about a tenth of a second after the last one.

        Raises:
            LinkError: the platform is not there any more.
            StoreError: the recording cannot be read.
        """

    @abstractmethod
    async def _open(self) -> None:
        """Begin."""

    @abstractmethod
    async def _close(self) -> None:
        """End, and let containers collect no more."""

    @property
    def filters(self) -> Filters:
        """Which messages are told; it can be set at any time."""
        return self._filters

    @filters.setter
    def filters(self, filters: Filters) -> None:
        self._filters = filters

    def pause(self) -> None:
        """Pause until `resume`; what happens on a running platform meanwhile is left out."""
        self.is_paused = True

    def resume(self) -> None:
        """Go on after `pause`."""
        self.is_paused = False

    def seek(self, at: float) -> None:
        """Go on with what was recorded from a time on.

        The next batch begins with a `Begun`, a `Figures` with all that there was then, and the latest
        messages before it, with how many were left out. While it goes backwards, every batch does.

        Args:
            at: in seconds since 1970.

        Raises:
            UsageError: this is no recording.
        """
        raise UsageError(f"only a recording can go back to {at:.1f}")

    async def act(self, act: Act, **arguments: Any) -> str | None:
        """Do something to the platform.

        Args:
            act: `kill`, `suspend`, `resume` (`agent`); `create` (`class_name`, `name`, `container`, and the
                object `arguments`); `move` (`agent`, `container`); `send` (`to`, `body` and other parameters
                of a message).
            arguments: as above.

        Returns:
            The full name of the agent that was created.

        Raises:
            FormicaryError: it is not allowed, or not possible, in one sentence.
        """
        del arguments
        raise UsageError(f"a recording cannot be changed, so it cannot {act}")
