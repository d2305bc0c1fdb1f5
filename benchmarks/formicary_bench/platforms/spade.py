"""Stock SPADE agents: each with an account of its own at the same Prosody that carries our messages."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from time import perf_counter_ns
from typing import TYPE_CHECKING

from spade.agent import Agent
from spade.behaviour import CyclicBehaviour, OneShotBehaviour
from spade.message import Message

from formicary_bench.platforms.accounts import DOMAIN, account
from formicary_bench.platforms.part import Side, Times

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from formicary_bench.platforms.part import Work

_PATIENCE = 30  # seconds; without a timeout, SPADE's receive does not wait
_AT_ONCE = 10  # logins; more only make each of them slower


class Echo(CyclicBehaviour):  # type: ignore[misc]  # SPADE has no types
    """Answers every message with its body."""

    async def run(self) -> None:
        """Answer one message."""
        message = await self.receive(timeout=_PATIENCE)
        if message is not None:
            reply = message.make_reply()
            reply.body = message.body
            await self.send(reply)


class Ask(OneShotBehaviour):  # type: ignore[misc]  # SPADE has no types
    """Sends a message, waits for the answer, and again; a new message each time.

    Args:
        partner: the address of the agent that answers.
        work: the size and number of messages.
        times: where the times go.
        begin: set when all pairs are to begin.
        end: given a result, or the reason why there is none.
    """

    def __init__(
        self, partner: str, work: Work, times: Times, begin: asyncio.Event, end: asyncio.Future[None]
    ) -> None:
        super().__init__()
        self.partner = partner
        self.work = work
        self.times = times
        self.begin = begin
        self.end = end

    async def run(self) -> None:
        """Make all round trips."""
        partner, body = self.partner, self.work.body
        started, took = self.times.starts.append, self.times.rtts.append
        await self.begin.wait()
        for _ in range(self.work.trips):
            start = perf_counter_ns()
            await self.send(Message(to=partner, body=body, metadata={"performative": "request"}))
            answer = await self.receive(timeout=_PATIENCE)
            if answer is None:
                self.end.set_exception(TimeoutError(f"{partner} did not answer for {_PATIENCE} s"))
                return
            took(perf_counter_ns() - start)
            started(start)
        self.end.set_result(None)


@asynccontextmanager
async def echo(work: Work) -> AsyncIterator[Side]:
    """Have the agents that echo."""
    agents = [_agent(work, "echo", number) for number in work.receivers]
    for agent in agents:
        agent.add_behaviour(Echo())
    try:
        await _log_in(work, agents)
        yield Side(DOMAIN)
    finally:
        await _log_out(agents)


@asynccontextmanager
async def ask(work: Work) -> AsyncIterator[Side]:
    """Have the agents that ask."""
    begin = asyncio.Event()
    loop = asyncio.get_running_loop()
    ends, agents = [], []
    for number in work.senders:
        times, end = Times(), loop.create_future()
        work.times.append(times)
        ends.append(end)
        partner = f"{account('echo', work.receiver_of(number))}@{DOMAIN}"
        agents.append(_agent(work, "asker", number))
        agents[-1].add_behaviour(Ask(partner, work, times, begin, end))

    async def measure() -> None:
        begin.set()
        await asyncio.gather(*ends)

    try:
        await _log_in(work, agents)
        yield Side(measure=measure)
    finally:
        await _log_out(agents)


def _agent(work: Work, role: str, number: int) -> Agent:
    server = work.job.server
    assert server is not None
    return Agent(
        f"{account(role, number)}@{DOMAIN}", server.password, port=server.client_port, verify_security=False
    )


async def _log_in(work: Work, agents: list[Agent]) -> None:
    for first in range(0, len(agents), _AT_ONCE):
        some = agents[first : first + _AT_ONCE]
        await asyncio.gather(*(agent.start(auto_register=False) for agent in some))
        work.steps += len(some)


async def _log_out(agents: list[Agent]) -> None:
    await asyncio.gather(*(agent.stop() for agent in agents if agent.is_alive()))
