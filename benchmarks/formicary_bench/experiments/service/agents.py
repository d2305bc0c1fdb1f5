"""The service by agents with behaviours."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from formicary import CyclicBehaviour, Message, OneShotBehaviour
from formicary.errors import FormicaryError
from formicary_bench.experiments.service.rounds import fetch, measure_rounds
from formicary_bench.subjects.ours.behaviours import PATIENCE
from formicary_bench.subjects.ours.containers import act, start_agent

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary import Container
    from formicary_bench.worker.workload import Workload


class Request(OneShotBehaviour):
    """The client: asks the coordinator, waits until all is done, and again.

    Args:
        work: how often.
    """

    def __init__(self, work: Workload) -> None:
        super().__init__()
        self.work = work

    async def run(self) -> None:
        """Make all rounds."""
        await measure_rounds(self.work, self._rounds)

    async def _rounds(self, count: int) -> None:
        for _ in range(count):
            await self.send(Message(to="coordinator", performative="request"))
            if await self.receive(timeout=PATIENCE) is None:
                raise FormicaryError(f"the coordinator says nothing within {PATIENCE:g} s")


class Coordinate(CyclicBehaviour):
    """The coordinator: has one agent fetch and another one print, and tells the client."""

    async def run(self) -> None:
        """Do what one client asks for."""
        request = await self.receive()
        await self.send(Message(to="fetcher", performative="request"))
        data = await self.receive()
        await self.send(Message(to="printer", body=data.body, performative="request"))
        await self.receive()
        await self.reply(request)


class Serve(CyclicBehaviour):
    """Fetches what is asked for, or prints what it is sent.

    Args:
        do: does it, and returns what there is to answer.
    """

    def __init__(self, do: Callable[[str], str]) -> None:
        super().__init__()
        self.do = do

    async def run(self) -> None:
        """Do it once."""
        message = await self.receive()
        await self.reply(message, body=self.do(str(message.body)))


async def start(
    home: Container, work: Workload, write: Callable[[str], str]
) -> Callable[[], Awaitable[None]]:
    """Start the agents, and return what has the client make all rounds."""
    await start_agent(home, "fetcher", Serve(fetch))
    await start_agent(home, "printer", Serve(write))
    await start_agent(home, "coordinator", Coordinate())
    return partial(act, home, "client", Request(work))
