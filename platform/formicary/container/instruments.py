"""Instruments: told of everything that happens in a container (sniffers, tracers, profilers)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from formicary.container.dead_letters import DeadLetter
    from formicary.core.base_agent import BaseAgent
    from formicary.core.behaviour import Behaviour
    from formicary.core.message import Message


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
