"""Instruments (sniffers, tracers, profilers) are told of everything that happens in a container."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.logs import get_logger
from formicary.core.strand import PROGRAM_EXITS

if TYPE_CHECKING:
    from formicary.container.dead_letters import DeadLetter
    from formicary.container.protocols import Observer
    from formicary.core.base_agent import BaseAgent
    from formicary.core.behaviour import Behaviour
    from formicary.core.mailbox import Routes
    from formicary.core.message import Message
    from formicary.core.scheduler import Scheduler

logger = get_logger("formicary")


class Instrument:
    """Subclass this, define the events that you want, and add it with `Container.add_instrument`.

    Without instruments, they cost one truth test per message. An instrument that raises is logged and
    removed; what it observed continues.
    """

    def message_sent(self, message: Message) -> None:
        """Called when an agent of this container sends `message`."""

    def message_delivered(self, message: Message, receiver: str) -> None:
        """Called when `message` was delivered to the agent with the full name `receiver`."""

    def message_dead(self, letter: DeadLetter) -> None:
        """Called when a message could not be delivered."""

    def agent_started(self, agent: BaseAgent) -> None:
        """Called when `agent` is active."""

    def agent_stopped(self, agent: BaseAgent) -> None:
        """Called when `agent` is gone."""

    def agent_moved(self, agent: BaseAgent, destination: str) -> None:
        """Called when `agent` has left for the container with the full domain `destination`."""

    def behaviour_ended(self, behaviour: Behaviour, error: BaseException | None) -> None:
        """Called when `behaviour` has ended, with the exception if it failed."""


class Observed:
    """A container's instruments and observers, and the routes of messages past instruments.

    Attributes:
        instruments: told of everything; messages go without routes.
        observers: wrap the entrances of agents, and are told of what else happens.
        is_observed: whether there are any of either.
        routes: what messages are delivered by, by receiver; transports use them and add to them.
        scheduler: the container's, once it is open.
    """

    def __init__(self) -> None:
        self.instruments: tuple[Instrument, ...] = ()
        self.observers: tuple[Observer, ...] = ()
        self.is_observed = False
        self.routes: Routes = {}
        self.scheduler: Scheduler | None = None

    def add_instrument(self, instrument: Instrument) -> None:
        """Add an instrument, which is told of everything that happens from now on."""
        self.instruments += (instrument,)
        self.is_observed = True
        self.routes.clear()  # every message is dispatched the long way, which tells instruments

    def remove_instrument(self, instrument: Instrument) -> None:
        """Remove an instrument, if it is there."""
        self.instruments = tuple(other for other in self.instruments if other is not instrument)
        self.is_observed = bool(self.instruments or self.observers)
        # Messages add their routes again.

    def add_observer(self, observer: Observer) -> None:
        """Add an observer, which wraps entrances and is told of what else happens from now on."""
        self.observers += (observer,)
        self.is_observed = True
        self.routes.clear()

    def remove_observer(self, observer: Observer) -> None:
        """Remove an observer, if it is there."""
        self.observers = tuple(other for other in self.observers if other is not observer)
        self.is_observed = bool(self.instruments or self.observers)
        self.routes.clear()

    def notify(self, event: str, *details: object) -> None:
        """Tell all instruments of an event, by the name of their method."""
        for instrument in self.instruments:
            self.tell_instrument(instrument, event, *details)

    def tell_all(self, event: str, *details: object) -> None:
        """Tell all instruments and observers of an event, by the name of their method."""
        self.notify(event, *details)
        for observer in self.observers:
            getattr(observer, event)(*details)

    def tell_instrument(self, instrument: Instrument, event: str, *details: object) -> None:
        """Tell one instrument of an event, and remove it if it raises."""
        try:
            getattr(instrument, event)(*details)
        except Exception:
            logger.exception("instrument %r failed at %s and was removed", instrument, event)
            self.remove_instrument(instrument)
        except PROGRAM_EXITS as error:
            self.remove_instrument(instrument)
            if self.scheduler is None:
                raise
            self.scheduler.exits(f"{type(instrument).__name__}.{event}", error)
