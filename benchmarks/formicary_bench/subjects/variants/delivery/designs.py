"""The designs by name: the direct hand-over, an outbox, and a chain of agents."""

from __future__ import annotations

import asyncio
import copy
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from formicary import Agent, CyclicBehaviour, Message
from formicary_bench.subjects.variants.delivery.design import Design
from formicary_bench.vocabulary.values import BUFFER, CHAIN, COPIED, ENCODED, HAND_OVER, POOL

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary_bench.subjects.variants.delivery.path import DeliveryPath


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Message).decode


class HandOver(Design):
    """The sender hands the message itself over; any extra cost over our containers is that of paths."""

    def take(self, message: Message, path: DeliveryPath) -> None:
        self.arrive(message, path)


class Copies(Design):
    """The sender hands a copy over."""

    def __init__(self, copied: Callable[[Message], Message]) -> None:
        self._copied = copied

    def take(self, message: Message, path: DeliveryPath) -> None:
        """Hand a copy over; a message that cannot be copied is a dead letter."""
        try:
            message = self._copied(message)
        except (TypeError, ValueError) as error:  # as msgspec's errors are
            path.on_arrival()
            self.container.dispatcher.add_dead_letter(
                message, f"it could not be copied: {error}", path.receiver
            )
            return
        self.arrive(message, path)


def deep_copy(message: Message) -> Message:
    """Copy a message and everything mutable in it; text is immutable and not copied."""
    metadata = (
        message.metadata
    )  # cannot be changed either, and so not copied: that would be to fill a new one
    return copy.deepcopy(message, {id(metadata): metadata})


def encoded_copy(message: Message) -> Message:
    """Copy a message with its text, by encoding and decoding it as for another process."""
    return _decode(_encode(message))


_IN_A_ROW = 32  # messages that a worker delivers before the others have their turn, as with behaviours


class Outbox(Design):
    """Senders put messages into one queue, from which workers hand them over.

    The workers are tasks of the container's event loop, like its agents, rather than threads as in those
    platforms: this measures the detour, not the number of cores.

    Args:
        workers: the number of workers, at least one.
    """

    def __init__(self, workers: int) -> None:
        self._number = workers
        self._queue: asyncio.Queue[tuple[Message, DeliveryPath]] = asyncio.Queue()
        self._workers: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        loop = asyncio.get_running_loop()
        self._workers = [
            loop.create_task(self._work(), name=f"delivering worker {number}")
            for number in range(self._number)
        ]

    def take(self, message: Message, path: DeliveryPath) -> None:
        self._queue.put_nowait((message, path))

    async def _work(self) -> None:
        while True:
            for _ in range(_IN_A_ROW):
                # Nothing else runs between the two: so the order is that of the queue, whoever takes it out.
                message, path = await self._queue.get()
                self.arrive(message, path)
            await asyncio.sleep(0)

    async def close(self) -> None:
        """End the workers; undelivered messages become dead letters."""
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        reason = f"container {self.container.name} stopped before the message was out of its outbox"
        while not self._queue.empty():
            message, path = self._queue.get_nowait()
            self.container.dispatcher.add_dead_letter(message, reason, path.receiver)


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
    """Passes messages on.

    Args:
        chain: its design.
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
    """Senders give messages to the first of several agents; the last one hands them over."""

    _first: DeliveryPath

    async def open(self) -> None:
        container, following = self.container, None
        for name in reversed(AGENTS):
            agent = Agent(name)
            agent.add_behaviour(Communicator(self, following))
            await container.start(agent)
            following = container.paths.to(f"{name}@{container.domain}")
        assert following is not None
        self._first = following

    def take(self, message: Message, path: DeliveryPath) -> None:
        envelope = Envelope(to=self._first.receiver, sender=message.sender, content=message, path=path)
        self.hand_over(envelope, self._first)

    def unpacked(self, message: Message, receiver: str | None) -> tuple[Message, str | None]:
        """Return the content of an envelope, and its receiver."""
        return (
            (message.content, message.path.receiver) if isinstance(message, Envelope) else (message, receiver)
        )


WORKERS = 5
"""The number of workers in a container of Jade, by default."""

MAKE: dict[str, Callable[[], Design]] = {
    HAND_OVER: HandOver,
    POOL: partial(Outbox, WORKERS),
    BUFFER: partial(Outbox, 1),
    CHAIN: Chain,
    COPIED: partial(Copies, deep_copy),
    ENCODED: partial(Copies, encoded_copy),
}
"""Factories of designs, by name."""
