"""Collection of messages, agents and dead letters of a container while somebody watches it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

import msgspec

from formicary.core.clock import wall_time
from formicary.core.errors import UsageError
from formicary.core.names import MANAGEMENT
from formicary.delivery.instruments import Instrument
from formicary.observe.events import AgentSeen, DeadLetter, Event, Filters, LeftOut
from formicary.observe.looking import Look
from formicary.observe.probes import Probes, text

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from formicary.container.container import Container
    from formicary.core.base_agent import BaseAgent
    from formicary.core.mailbox import Deliver
    from formicary.delivery import dead_letters

LEASE: Final = 5.0
"""Seconds for which a container collects for a viewer after its last request."""

MOST_VIEWERS: Final = 8
"""How many viewers a container may have at a time."""

_LIVES: Final = 500  # events of agents' lives per viewer
_LOOK: Final = 0.95  # s between two looks at figures, just less than the viewers' interval


class Seen(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Events collected for a viewer since its last request.

    Args:
        events: in order of time.
    """

    events: tuple[Event, ...] = ()


class Subscription(Instrument):
    """Collects for one viewer.

    Args:
        container: the container.
        filters: which messages to collect.
        most: how many of them to keep until the next request.
        with_figures: whether to collect figures, too.
        lives: how many events of agents' lives, and dead letters, to keep until the next request.
        clock: returns the time in seconds since 1970; by default the event loop's.
    """

    def __init__(
        self,
        container: Container,
        filters: Filters,
        most: int,
        *,
        with_figures: bool,
        lives: int = _LIVES,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._container = container
        self.clock = clock or wall_time()
        self.probes = Probes(container, filters, most, self.clock)
        self.until = 0.0
        """When it expires, by the event loop's clock, unless the viewer asks again."""
        self._lives: deque[AgentSeen | DeadLetter] = deque(maxlen=lives)
        self._look = Look(container, self.probes, self.clock) if with_figures else None
        self._looked = float("-inf")

    def wrap(self, address: str | None, beyond: Deliver) -> Deliver:
        """Return an agent's entrance that counts messages and records some of them."""
        return self.probes.wrap(str(address), beyond)

    def agent_started(self, agent: BaseAgent) -> None:
        """Record that an agent has started."""
        self._note(agent, agent.state.value)

    def agent_stopped(self, agent: BaseAgent) -> None:
        """Record that an agent is gone."""
        self._note(agent, "failed" if agent.failures else "ended")

    def agent_moved(self, agent: BaseAgent, destination: str) -> None:
        """Record that an agent is moving."""
        del destination  # its new container reports it
        self._note(agent, "transit")

    def _note(self, agent: BaseAgent, state: str) -> None:
        name, kind = str(agent.address), type(agent).__name__
        self._lives.append(AgentSeen(self.clock(), name, self._container.name, kind, state))

    def message_dead(self, letter: dead_letters.DeadLetter) -> None:
        """Record a dead letter."""
        message = letter.message
        if str(message.sender).startswith(f"{MANAGEMENT}@"):
            return  # one of the containers' own, such as an answer to a viewer that left
        self._lives.append(
            DeadLetter(
                letter.time.timestamp(),
                self._container.dead_letters.total,
                str(message.sender),
                text(letter.receiver, 1300),
                text(message.performative),
                text(letter.reason, 1000),
                self._container.name,
                text(message.conversation_id or message.thread),
            )
        )

    def take(self) -> Seen:
        """Return what was collected since the last call."""
        taken = [*self.probes.taken()]
        events = self.take_all()
        events[:0] = taken
        at = self.clock()
        if self._look is not None and at - self._looked >= _LOOK:
            self._looked = at
            events.append(self._look.take(at))
        return Seen(tuple(events))

    def take_all(self) -> list[Event]:
        """Return messages, lives and dead letters since the last call, in order of time."""
        messages, left_out = self.probes.take()
        events: list[Event] = [*messages, *self._lives]
        events.sort(key=lambda event: event.at)
        self._lives.clear()
        if messages or left_out:
            events.append(LeftOut(self.clock(), self._container.name, len(messages), left_out))
        return events


class Collector:
    """Collects separately for each viewer of a container until it stops asking."""

    def __init__(self, container: Container) -> None:
        self._container = container
        self._viewers: dict[str, Subscription] = {}
        self._timer: asyncio.TimerHandle | None = None

    def ask(self, viewer: str, filters: Filters, most: int, *, with_figures: bool = True) -> Seen:
        """Return what was collected for a viewer; on the first call, start to, and return the state.

        Args:
            viewer: names the viewer.
            filters: which messages; if changed, collection restarts.
            most: how many messages the next answer may contain.
            with_figures: whether to collect figures, too.

        Raises:
            UsageError: there are too many viewers.
        """
        subscription = self._viewers.get(viewer)
        if subscription is None:
            if len(self._viewers) >= MOST_VIEWERS:
                raise UsageError(
                    f"{MOST_VIEWERS} viewers are already watching container {self._container.name}; close one"
                )
            subscription = Subscription(self._container, filters, most, with_figures=with_figures)
            self._viewers[viewer] = subscription
            self._container.dispatcher.add_observer(subscription)
        elif subscription.probes.filters != filters:
            subscription.probes.set_filters(filters)
            self._container.dispatcher.routes.clear()
        subscription.probes.sampler.most = max(1, most)
        loop = self._container.scheduler.loop
        subscription.until = loop.time() + LEASE
        if self._timer is None:
            self._timer = loop.call_later(LEASE, self._expire)
        return subscription.take()

    def forget(self, viewer: str) -> None:
        """Stop collecting for a viewer; ignore an unknown one."""
        if (subscription := self._viewers.pop(viewer, None)) is not None:
            self._container.dispatcher.remove_observer(subscription)

    def _expire(self) -> None:
        time_now = self._container.scheduler.loop.time()
        for viewer, subscription in tuple(self._viewers.items()):
            if subscription.until <= time_now:
                self.forget(viewer)
        self._timer = None
        if self._viewers and self._container.is_open:
            left = min(each.until for each in self._viewers.values()) - time_now
            self._timer = self._container.scheduler.loop.call_later(max(left, 0.1), self._expire)

    def close(self) -> None:
        """Stop collecting for all viewers."""
        if self._timer is not None:
            self._timer.cancel()
        for viewer in tuple(self._viewers):
            self.forget(viewer)
