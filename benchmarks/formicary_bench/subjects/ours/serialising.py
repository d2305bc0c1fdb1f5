"""Pairs of agents that encode what they send and decode what they receive."""

from __future__ import annotations

import asyncio
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary import CyclicBehaviour, Message, OneShotBehaviour
from formicary_bench.experiments.messaging.serialisation import Encoded, codec_of, record
from formicary_bench.subjects.ours.behaviours import REQUESTS, PairRoles
from formicary_bench.subjects.ours.containers import partner, running, start_agent
from formicary_bench.worker.workload import PairTimes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary import Container
    from formicary_bench.worker.workload import Workload


class Return(CyclicBehaviour):
    """Decodes an object, and sends it back encoded."""

    def __init__(self, sizes: Encoded) -> None:
        super().__init__()
        self.encode, self.decode = codec_of(sizes)

    async def run(self) -> None:
        message = await self.receive()
        body = self.encode(self.decode(message.body))
        await self.reply(message, body=body, performative="inform")


class Pass(OneShotBehaviour):
    """Sends an object, and waits for it to come back."""

    def __init__(self, to: str, work: Workload, begin: asyncio.Event) -> None:
        super().__init__()
        self.to = to
        self.work = work
        self.begin = begin
        self.times = PairTimes()

    async def run(self) -> None:
        """Send all objects.

        Raises:
            RuntimeError: another object came back.
        """
        sizes = Encoded.of(self.work.configuration)
        encode, decode = codec_of(sizes)
        sent = decode(encode(record(sizes.fields)))
        await self.begin.wait()
        for _ in range(self.work.trips):
            start = perf_counter_ns()
            await self.send(Message(to=self.to, body=encode(sent), performative="request"))
            answer = await self.receive()
            back = decode(answer.body)
            self.times.rtts.append(perf_counter_ns() - start)
            self.times.starts.append(start)
            if back != sent:
                raise RuntimeError(f"{self.to} sent back {back!r:.200}")


async def _start_returning(home: Container, work: Workload) -> None:
    for number in work.receivers:
        await start_agent(home, f"echo-{number}", Return(Encoded.of(work.configuration)), REQUESTS)


async def _start_passing(home: Container, work: Workload) -> Callable[[], Awaitable[None]]:
    begin, passing = asyncio.Event(), []
    for number in work.senders:
        passing.append(Pass(partner(home, work, number), work, begin))
        work.times.append(passing[-1].times)
        await start_agent(home, f"asker-{number}", passing[-1])
    return running(begin, *passing)


ROLES = PairRoles(_start_returning, _start_passing)
both, echo, ask = ROLES.both, ROLES.echo, ROLES.ask
