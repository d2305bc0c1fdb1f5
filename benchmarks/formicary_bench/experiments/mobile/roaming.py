"""An agent that visits four places, alone or while another one sends it messages: `mobile/roam`.

Of two processes each has two of the places, and the agent goes from one process to the other with each hop.
Each of many hosts has one. The places are containers of their own in any case.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING

from formicary import CyclicBehaviour, Message
from formicary.errors import FormicaryError
from formicary_bench.experiments.mobile.by_hand import places as by_hand
from formicary_bench.experiments.mobile.loops import MakeLoops, conducted, domains, measures, open_place
from formicary_bench.experiments.mobile.travelling import TRAVELLER, Journey, Traveller
from formicary_bench.subjects.ours.containers import all_prepared, endpoint, know_members, start_agent
from formicary_bench.vocabulary.containers import member_name, names_on

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from formicary import Container
    from formicary_bench.worker.workload import PreparedRole, Workload

CPU_GROUP = "agents"

PLACES = 4
_OF_HOSTS = {2: (0, 1, 0, 1), 3: (0, 1, 2, 1)}  # by how many there are; of more, four


class Tell(CyclicBehaviour):
    """Sends the traveller numbered messages, so many per second, until it is to say how many there were.

    Args:
        rate: messages per second.
        to: the traveller's name.
    """

    def __init__(self, rate: int, to: str) -> None:
        super().__init__()
        self.rate = rate
        self.to = to
        self.sent = 0
        self.is_over = False
        self.began = perf_counter()

    async def run(self) -> None:
        """Send what is due."""
        due = int((perf_counter() - self.began) * self.rate)
        while self.sent < due:
            number = str(self.sent)
            self.sent += 1
            await self.send(Message(to=self.to, body=number, ontology="told", performative="inform"))
        if self.is_over:
            await self.send(Message(to=self.to, ontology="told", performative="query-ref"))
            self.kill()
            return
        await asyncio.sleep(max(0.0, self.began + (due + 1) / self.rate - perf_counter()))


class Roam(MakeLoops):
    """Sends the traveller off again and again, from where it came back to.

    Args:
        work: what is measured.
        trail: the containers that it visits, by name.
    """

    def __init__(self, work: Workload, trail: Sequence[str]) -> None:
        super().__init__(work)
        self.trail = trail
        self.to = ""

    async def run(self) -> None:
        """Make all journeys, under fire if that is asked for."""
        home, rate = self.agent.container, self.work.configuration.rate
        traveller = Traveller(TRAVELLER)
        traveller.data = Journey(domains(home, self.trail), self.work.body.encode())
        await home.start(traveller)
        assert traveller.address
        self.to = traveller.address
        await self.begin.wait()
        tell = Tell(rate, self.to)
        if rate:
            await start_agent(home, "teller", tell)
        await super().run()
        await self._check(tell)

    async def loop(self, count: int) -> float:
        """Have it make so many hops."""
        start = perf_counter()
        await self.send(Message(to=self.to, body=str(count), ontology="go", performative="request"))
        await self.hear()
        return perf_counter() - start

    async def _check(self, tell: Tell) -> None:
        """See whether the traveller has been told all messages, each once and in order."""
        if not self.work.configuration.rate:
            return
        tell.is_over = True
        found = str((await self.hear()).body)
        if found != str(tell.sent):
            raise FormicaryError(f"of {tell.sent} messages to the agent that roams: {found}")


class ThereAndBack(Roam):
    """Sends the traveller to the other place and back, so many times."""

    async def loop(self, count: int) -> float:
        """Have it make so many journeys."""
        return await super().loop(2 * count)


def echo(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have every other of the places."""
    return by_hand.echo(work) if work.configuration.platform == "tcp" else _echo(work)


def ask(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have the others, and the agent that sends the traveller off."""
    return by_hand.ask(work) if work.configuration.platform == "tcp" else _ask(work)


@asynccontextmanager
async def member(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have one place on each host; the last one has the agent that sends the traveller off."""
    hosts = work.job.members
    async with open_place(work, member_name(work.job.member)) as home:
        measure = None
        if measures(work):
            order = _OF_HOSTS.get(hosts, tuple(range(PLACES)))
            trail = [member_name(hosts - 1 - place) for place in order]
            measure = await conducted(home, Roam(work, trail))
        yield all_prepared([home], work, hosts, measure)


@asynccontextmanager
async def _echo(work: Workload) -> AsyncIterator[PreparedRole]:
    async with _two_places(work, 1, "") as homes:
        yield all_prepared(homes, work, PLACES)


@asynccontextmanager
async def _ask(work: Workload) -> AsyncIterator[PreparedRole]:
    async with _two_places(work, 0, work.job.peer) as homes:
        for home in homes:
            await know_members(home, PLACES)
        trail = [name for both in zip(names_on(0)[:2], names_on(1)[:2], strict=True) for name in both]
        measure = await conducted(homes[0], Roam(work, trail))
        yield all_prepared(homes, work, PLACES, measure)


@asynccontextmanager
async def _two_places(work: Workload, host: int, join: str) -> AsyncIterator[list[Container]]:
    async with AsyncExitStack() as stack:
        homes: list[Container] = []
        for name in names_on(host)[: PLACES // 2]:
            to_join = join or (endpoint(homes[0], work) if homes else "")
            homes.append(await stack.enter_async_context(open_place(work, name, to_join)))
        yield homes
