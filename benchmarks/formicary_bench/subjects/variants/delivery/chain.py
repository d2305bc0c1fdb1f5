"""A chain of agents who pass messages on to each other: how MadKit reaches other kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary import Agent, CyclicBehaviour, Message
from formicary_bench.subjects.variants.delivery.design import Design

if TYPE_CHECKING:
    from formicary_bench.subjects.variants.delivery.path import DeliveryPath

AGENTS = "net-agent", "router-agent", "p2p-agent"
"""The agents of the chain, after MadKit's NetAgent, RouterAgent and P2PAgent."""


class Envelope(Message, frozen=True, array_like=True, gc=True, kw_only=True):
    """A message on its way from agent to agent.

    Attributes:
        content: the message.
        path: the path to its receiver.
    """

    content: Message
    path: DeliveryPath


class Communicator(CyclicBehaviour):
    """Passes on what comes.

    Args:
        chain: the design that it is of.
        following: the path to the next agent of the chain; None for the last one.
    """

    __slots__ = ("_chain", "_following")

    def __init__(self, chain: Chain, following: DeliveryPath | None) -> None:
        super().__init__()
        self._chain = chain
        self._following = following

    async def run(self) -> None:
        """Pass one message on."""
        message = await self.receive()
        if not isinstance(message, Envelope):
            self.agent.container.dispatcher.add_dead_letter(
                message, "an agent of a chain takes no messages for itself"
            )
        elif self._following is not None:
            self._chain.hand_over(message, self._following)
        else:
            self._chain.arrive(message.content, message.path)


class Chain(Design):
    """Senders give messages to the first of some agents, and the last one hands them over."""

    _first: DeliveryPath

    async def open(self) -> None:
        """Start the agents, the last one first."""
        container, following = self.container, None
        for name in reversed(AGENTS):
            agent = Agent(name)
            agent.add_behaviour(Communicator(self, following))
            await container.start(agent)
            following = container.paths.to(f"{name}@{container.domain}")
        assert following is not None
        self._first = following

    def take(self, message: Message, path: DeliveryPath) -> None:
        """Give a message to the first agent."""
        envelope = Envelope(to=self._first.receiver, sender=message.sender, content=message, path=path)
        self.hand_over(envelope, self._first)

    def unpacked(self, message: Message, receiver: str | None) -> tuple[Message, str | None]:
        """Return what is in an envelope, and whom it is for."""
        return (
            (message.content, message.path.receiver) if isinstance(message, Envelope) else (message, receiver)
        )
