"""An outbox, and workers who deliver what is in it: five of them in Jade, one in AgentScape."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from formicary_bench.subjects.variants.delivery.design import Design

if TYPE_CHECKING:
    from formicary import Message
    from formicary_bench.subjects.variants.delivery.path import DeliveryPath

_IN_A_ROW = 32  # messages that a worker delivers before the others have their turn, as with behaviours


class Outbox(Design):
    """Senders only put messages into one queue; workers take them out and hand them over.

    The workers are tasks of the container's event loop, as its agents are, and not threads of their own as in
    those platforms: what shows is the detour, and not how many cores there are.

    Args:
        workers: how many, at least one.
    """

    def __init__(self, workers: int) -> None:
        self._number = workers
        self._queue: asyncio.Queue[tuple[Message, DeliveryPath]] = asyncio.Queue()
        self._workers: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Have the workers begin."""
        loop = asyncio.get_running_loop()
        self._workers = [
            loop.create_task(self._work(), name=f"delivering worker {number}")
            for number in range(self._number)
        ]

    def take(self, message: Message, path: DeliveryPath) -> None:
        """Put a message into the outbox."""
        self._queue.put_nowait((message, path))

    async def _work(self) -> None:
        while True:
            for _ in range(_IN_A_ROW):
                # Nothing else runs between the two: so the order is that of the queue, whoever takes it out.
                message, path = await self._queue.get()
                self.arrive(message, path)
            await asyncio.sleep(0)

    async def close(self) -> None:
        """End the workers; what they have not delivered becomes dead letters."""
        for worker in self._workers:
            worker.cancel()
        await asyncio.gather(*self._workers, return_exceptions=True)
        reason = f"container {self.container.name} stopped before the message was out of its outbox"
        while not self._queue.empty():
            message, path = self._queue.get_nowait()
            self.container.dispatcher.add_dead_letter(message, reason, path.receiver)
