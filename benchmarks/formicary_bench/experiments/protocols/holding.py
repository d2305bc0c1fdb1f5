"""One agent with many conversations at once; its partners keep nothing, so all memory is its own."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from formicary import Agent, Container, MicroAgent, OneShotBehaviour
from formicary_bench.subjects.ours.behaviours import PATIENCE
from formicary_bench.vocabulary.parameters.shared import Agents
from formicary_bench.vocabulary.values import NET
from formicary_bench.worker.creation import measure_creation
from formicary_bench.worker.workload import Countdown, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from formicary import Message
    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"


class Silent(MicroAgent):
    """Does not answer."""

    __slots__ = ("heard",)

    def __init__(self, name: str, heard: Countdown) -> None:
        super().__init__(name)
        self.heard = heard

    def handle(self, message: Message) -> None:
        """Count the message, and forget it."""
        if message.performative in {"cfp", "request"}:
            self.heard.count()


class Call(OneShotBehaviour):
    """Calls for proposals and waits for them."""

    def __init__(self, partners: Sequence[str]) -> None:
        super().__init__()
        self.partners = partners

    async def run(self) -> None:
        async with self.contract_net(self.partners, "a task", timeout=PATIENCE) as net:
            async for _ in net.bids:
                pass


class Ask(Call):
    """Makes a request of each partner, in a task of its own, and waits for the results."""

    async def run(self) -> None:
        asked = [self.request(partner, "a task", timeout=PATIENCE) for partner in self.partners]
        await asyncio.gather(*asked, return_exceptions=True)


@asynccontextmanager
async def create(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up one agent, and a silent partner for each of its conversations."""
    kind = Call if work.configuration.kind == NET else Ask
    async with Container("c1", seed=work.job.seed) as home:
        heard = Countdown()
        for number in range(Agents.of(work.configuration).agents):
            await home.start(Silent(f"partner-{number}", heard))
        asker = Agent("asker")
        await home.start(asker)

        async def batch(numbers: range) -> None:
            all_heard = heard.expect(len(numbers))
            asker.add_behaviour(kind([f"partner-{number}" for number in numbers]))
            await all_heard

        yield PreparedRole(measure=partial(measure_creation, work, batch))
        await asker.stop()
