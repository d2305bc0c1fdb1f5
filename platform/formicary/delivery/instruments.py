"""Instruments: told of everything that happens in a container (sniffers, tracers, profilers); and by whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary.core.logs import get_logger
from formicary.core.strand import PROGRAM_EXITS

if TYPE_CHECKING:
    from formicary.core.base_agent import BaseAgent
    from formicary.core.behaviour import Behaviour
    from formicary.core.mailbox import Routes
    from formicary.core.message import Message
    from formicary.core.scheduler import Scheduler
    from formicary.delivery.dead_letters import DeadLetter
    from formicary.delivery.protocols import Observer

logger = get_logger("formicary")


class Instrument:
    """Subclass this, define what you want to be told of, and add it with `Container.add_instrument`.

    While a container has no instrument, they cost one truth test per message. An instrument that raises is
    logged and taken out; what it looked at goes on.
    """

    def message_sent(self, message: Message) -> None:
        """Called when an agent of this container sends `message`."""

    def message_delivered(self, message: Message, receiver: str) -> None:
        """Called when `message` was handed to the agent of this container with the full name `receiver`."""

    def message_dead(self, letter: DeadLetter) -> None:
        """Called when a message could not be delivered."""

    def agent_started(self, agent: BaseAgent) -> None:
        """Called when `agent` is active."""

    def agent_stopped(self, agent: BaseAgent) -> None:
        """Called when `agent` is gone."""

    def agent_moved(self, agent: BaseAgent, destination: str) -> None:
        """Called when `agent` has left for the container with the full domain `destination`."""

    def behaviour_ended(self, behaviour: Behaviour, error: BaseException | None) -> None:
        """Called when `behaviour` has ended, and with what exception if with one."""


class Observed:
    """Instruments and observers of a container, and the routes by which messages bypass them.

    Attributes:
        instruments: told of everything, on the long way of messages.
        observers: in the entrances of agents, and told of what else happens.
        is_observed: whether there are any of either.
        routes: the straight ways of messages; for transports too, which hand over by them and add to them.
        scheduler: the container's, from when that is opened.
    """

    def __init__(self) -> None:
        self.instruments: tuple[Instrument, ...] = ()
        self.observers: tuple[Observer, ...] = ()
        self.is_observed = False
        self.routes: Routes = {}
        self.scheduler: Scheduler | None = None

    def add_instrument(self, instrument: Instrument) -> None:
        """Notify `instrument` of everything that happens from now on."""
        self.instruments += (instrument,)
        self.is_observed = True
        self.routes.clear()  # so every message goes the long way, where instruments are told

    def remove_instrument(self, instrument: Instrument) -> None:
        """Stop notifying `instrument`; ignore one that was not added."""
        self.instruments = tuple(other for other in self.instruments if other is not instrument)
        self.is_observed = bool(self.instruments or self.observers)
        # The routes come back by themselves.

    def add_observer(self, observer: Observer) -> None:
        """Add an observer, which messages pass, and notify it of all other events from now on."""
        self.observers += (observer,)
        self.is_observed = True
        self.routes.clear()

    def remove_observer(self, observer: Observer) -> None:
        """Remove an observer; ignore one that was not added."""
        self.observers = tuple(other for other in self.observers if other is not observer)
        self.is_observed = bool(self.instruments or self.observers)
        self.routes.clear()

    def notify(self, event: str, *details: object) -> None:
        """Call a method of all instruments."""
        for instrument in self.instruments:
            self.tell_instrument(instrument, event, *details)

    def tell_all(self, event: str, *details: object) -> None:
        """Call a method of all instruments and observers."""
        self.notify(event, *details)
        for observer in self.observers:
            getattr(observer, event)(*details)

    def tell_instrument(self, instrument: Instrument, event: str, *details: object) -> None:
        """Call a method of an instrument, and remove it if it raises."""
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
