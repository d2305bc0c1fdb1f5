"""The conversations of a container, created on first use."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from formicary.core.micro import MicroAgent
from formicary.core.scheduler import BATCH
from formicary.protocols.conversations import Conversations
from formicary.protocols.deadlines import Deadlines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.container.container import Container
    from formicary.core.agent import Agent
    from formicary.core.mailbox import Deliver
    from formicary.core.message import Message
    from formicary.core.strand import Strand

_OUTSIDE = "formicary-asker"


class Outside(MicroAgent):
    """Asks on behalf of code outside agents, such as a script or notebook."""

    def handle(self, message: Message) -> None:
        """Make a dead letter of a message that belongs to no conversation."""
        reason = "nothing outside the agents asked for it"
        self.container.dispatcher.add_dead_letter(message, reason, self.address)


class ConversationService:
    """The conversations of a container's agents."""

    def __init__(self, container: Container) -> None:
        self.container = container
        self.scheduler = container.scheduler
        self.deadlines = Deadlines(self.scheduler)
        self.conversations: dict[str | None, Conversations] = self.scheduler.conversations
        """By full names of agents."""
        self.is_strict = container.service_options.conversation_rules == "strict"
        self.out_of_order = 0
        """The number of messages that were out of order in their conversations."""
        self.ending: list[Strand] = []
        """Unfinished answers of agents that have ended."""
        self._outside: Outside | None = None
        self._ended: set[str] = set()  # agents that have ended since the last turn

    def of(self, agent: Agent | MicroAgent) -> Conversations:
        """Return the conversations of an agent of this container."""
        conversations = self.conversations.get(agent.address)
        if conversations is None:
            conversations = self.conversations[agent.address] = Conversations(self, agent)
            routes = self.container.dispatcher.routes
            if agent.address in routes:  # otherwise the next message adds the route
                routes[agent.address] = self.container.dispatcher.wrap(agent)
        return conversations

    def outside(self) -> Conversations:
        """Return the conversations of code outside agents."""
        if self._outside is None:
            self._outside = Outside(_OUTSIDE)
            self.container.lifecycle.add_system_agent(self._outside)
        return self.of(self._outside)

    # -- called by the container ----------------------------------------------------------------------------

    def wrap(self, address: str | None, beyond: Deliver) -> Deliver:
        """Return an agent's entrance; `beyond` takes messages that belong to no conversation."""
        conversations = self.conversations.get(address)
        return beyond if conversations is None else conversations.entrance(beyond)

    def agent_gone(self, address: str) -> None:
        """Called when an agent has ended here."""
        if (conversations := self.conversations.pop(address, None)) is not None:
            conversations.close("ended in the middle of the conversation")
        if self.conversations:
            if not self._ended:  # many end at once: notify those that wait once
                self.scheduler.at_turn_end(self._tell_ended)
            self._ended.add(address)

    def resumed(self, address: str) -> None:
        """Called when a suspended agent is resumed."""
        conversations = self.conversations.get(address)
        if conversations is not None and conversations.participation is not None:
            conversations.participation.proceed()

    def under_way(self, address: str) -> str | None:
        """Return a conversation of an agent that is not over, as the rest of a sentence; None if all are."""
        conversations = self.conversations.get(address)
        return None if conversations is None else conversations.under_way()

    def withdraw(self, address: str) -> Sequence[Message]:
        """Remove and return unhandled messages that begin conversations of an agent."""
        conversations = self.conversations.get(address)
        if conversations is None or conversations.participation is None:
            return ()
        return conversations.participation.withdraw()

    def agent_left(self, address: str) -> None:
        """Called when an agent has moved to another container, without conversations; others keep waiting."""
        if (conversations := self.conversations.pop(address, None)) is not None:
            conversations.close("moved to another container in the middle of the conversation")

    def _tell_ended(self) -> None:
        ended, self._ended = self._ended, set()
        for conversations in tuple(self.conversations.values()):
            conversations.partner_ended(ended.__contains__, "ended in the middle of the conversation")

    def container_lost(self, domain: str) -> None:
        """Called when the link to another container has ended, so that its agents cannot answer."""

        def is_there(address: str) -> bool:
            at = self.container.dispatcher.domain_of(address) or address.partition("@")[2]
            return at == domain

        for conversations in tuple(self.conversations.values()):
            conversations.partner_ended(is_there, "was in a container that was lost")

    async def tell_ends(self) -> None:
        """Deliver messages that end conversations, such as rejections, as the container closes.

        All other messages that wait for micro-agents become dead letters, as ever when a container closes.
        """
        scheduler, ends = self.scheduler, 0
        for receiver, message in scheduler.withdraw(None):
            own = self.conversations.get(receiver.address)
            part = None if own is None else own.participation
            if part is not None and receiver is part and part.is_ended_by(message):
                scheduler.micro += (receiver.micro_inbox.handle, message)
                ends += 1
            else:
                self.container.dispatcher.add_unhandled(receiver, message)
        if ends and not scheduler.awake:
            scheduler.wake()
        for _ in range(0, ends, BATCH):  # at least so many are handled in a turn of the loop
            await asyncio.sleep(0)

    async def close(self) -> None:
        """End all conversations with the container."""
        self.deadlines.close()
        for conversations in tuple(self.conversations.values()):
            conversations.close("ended with its container")
        self.conversations.clear()
        if ending := [strand for strand in self.ending if not strand.done()]:
            await self.container.lifecycle.wait_for_end(ending)
