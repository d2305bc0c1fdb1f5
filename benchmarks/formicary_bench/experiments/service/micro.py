"""The service by micro-agents."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from formicary import Message, MicroAgent
from formicary_bench.experiments.service.rounds import fetch, measure_rounds

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary import Container
    from formicary_bench.worker.workload import Workload


class Client(MicroAgent):
    """Asks the coordinator, and again when all is done."""

    __slots__ = ("done", "left")

    def __init__(self) -> None:
        super().__init__("client")
        self.left = 0
        self.done: asyncio.Future[None] | None = None

    def rounds(self, count: int) -> asyncio.Future[None]:
        """Begin `count` rounds; return a future for their end."""
        self.left = count
        self.done = asyncio.get_running_loop().create_future()
        self.send_nowait(Message(to="coordinator", performative="request"))
        return self.done

    def handle(self, message: Message) -> None:
        """Go on."""
        del message
        self.left -= 1
        if self.left:
            self.send_nowait(Message(to="coordinator", performative="request"))
        elif self.done is not None:
            self.done.set_result(None)


class Coordinator(MicroAgent):
    """Has one agent fetch and another one print, and tells the client."""

    __slots__ = ("request",)

    def __init__(self) -> None:
        super().__init__("coordinator")
        self.request: Message | None = None

    def handle(self, message: Message) -> None:
        """Do what is next."""
        if message.performative == "request":
            self.request = message
            self.send_nowait(Message(to="fetcher", performative="request"))
        elif message.body:
            self.send_nowait(Message(to="printer", body=message.body, performative="request"))
        elif self.request is not None:
            self.send_nowait(self.request.make_reply())


class Server(MicroAgent):
    """Fetches what is asked for, or prints what it is sent.

    Args:
        name: its own name.
        do: does it, and returns what there is to answer.
    """

    __slots__ = ("do",)

    def __init__(self, name: str, do: Callable[[str], str]) -> None:
        super().__init__(name)
        self.do = do

    def handle(self, message: Message) -> None:
        """Do it once."""
        self.send_nowait(message.make_reply(body=self.do(str(message.body))))


async def start(
    home: Container, work: Workload, write: Callable[[str], str]
) -> Callable[[], Awaitable[None]]:
    """Start the four agents, and return what makes all rounds."""
    client = Client()
    for agent in (Server("fetcher", fetch), Server("printer", write), Coordinator(), client):
        await home.start(agent)
    return partial(measure_rounds, work, client.rounds)
