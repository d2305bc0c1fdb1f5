"""Drives stock SPADE: each agent has an account of its own at the laboratory's XMPP server."""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import spade
from lab import Part, Times, serve
from spade.agent import Agent
from spade.behaviour import CyclicBehaviour
from spade.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable

_PATIENCE = 30  # seconds; without a timeout, SPADE's receive does not wait
_AT_ONCE = 10  # logins; more only make each of them slower


class Echo(CyclicBehaviour):  # type: ignore[misc]  # SPADE is in the driver's environment alone
    """Answers every message with its body."""

    async def run(self) -> None:
        message = await self.receive(timeout=_PATIENCE)
        if message is not None:
            reply = message.make_reply()
            reply.body = message.body
            await self.send(reply)


class Ask(CyclicBehaviour):  # type: ignore[misc]  # as above
    """Makes a round when told to: sends a message, waits for the answer, and repeats.

    Args:
        partner: the address of the agent that answers.
        body: the body of each message.
    """

    def __init__(self, partner: str, body: str) -> None:
        super().__init__()
        self.partner = partner
        self.body = body
        self.times = Times()
        self.rounds: asyncio.Queue[tuple[int, asyncio.Future[None]]] = asyncio.Queue()

    def begin(self, trips: int) -> asyncio.Future[None]:
        """Begin a number of round trips; return a future for their end."""
        end: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.rounds.put_nowait((trips, end))
        return end

    async def run(self) -> None:
        trips, end = await self.rounds.get()
        for _ in range(trips):
            self.times.begin()
            await self.send(Message(to=self.partner, body=self.body, metadata={"performative": "request"}))
            if await self.receive(timeout=_PATIENCE) is None:
                end.set_exception(TimeoutError(f"{self.partner} did not answer for {_PATIENCE} s"))
                return
            self.times.end()
        end.set_result(None)


async def prepare(job: dict[str, Any], advance: Callable[[], None]) -> Part:
    """Start all agents, and log them in."""
    server = job["server"]
    if server is None:
        raise RuntimeError("there is no XMPP server to log in to")

    def agent(name: str) -> Agent:
        # As stock SPADE does it: with TLS, but without looking at the server's certificate.
        return Agent(f"{name}@{server['domain']}", server["password"], port=server["port"])

    agents, asks = [], []
    for number in range(job["receivers"] if job["role"] != "ask" else 0):
        agents.append(agent(f"echo-{number}"))
        agents[-1].add_behaviour(Echo())
    for number in range(job["pairs"] if job["role"] != "echo" else 0):
        partner = f"echo-{number % job['receivers']}@{server['domain']}"
        asks.append(Ask(partner, "x" * job["payload_bytes"]))
        agents.append(agent(f"asker-{number}"))
        agents[-1].add_behaviour(asks[-1])
    for first in range(0, len(agents), _AT_ONCE):
        some = agents[first : first + _AT_ONCE]
        await asyncio.gather(*(one.start(auto_register=False) for one in some))
        advance()

    async def go(trips: int) -> None:
        await asyncio.gather(*[ask.begin(trips) for ask in asks])

    return Part(go, times=[ask.times for ask in asks])


if __name__ == "__main__":
    serve(
        {
            "name": "spade",
            "version": version("spade"),
            "experiments": ["messaging/pairs", "messaging/many-to-one", "messaging/size"],
            "placements": ["same-container", "two-containers"],
            "server": True,
        },
        prepare,
        spade.run,  # which chooses the loop: uvloop, where it is there
    )
