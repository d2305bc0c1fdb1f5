"""Rehearsal: the cost of borders among real work, while two agents exchange messages.

A border crossed in quick succession, as in the calibration, costs less than among other work, which evicts it
from the processor's caches. The same exchange of messages with and without borders shows by how much.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from typing import TYPE_CHECKING

from formicary.container.container import Container
from formicary.core.agent import Agent
from formicary.core.behaviours import CyclicBehaviour, OneShotBehaviour
from formicary.core.message import Message
from formicary.core.micro import MicroAgent
from formicary.profiling.accounting.calibration import calibrate
from formicary.profiling.accounting.recording import Recording

if TYPE_CHECKING:
    from formicary.profiling.accounting.calibration import Costs

_REPETITIONS = 7
_ROUNDS = 200
_LEAST, _MOST = 1.0, 4.0


class _Echo(CyclicBehaviour):
    async def run(self) -> None:
        message = await self.receive()
        await self.send(message.make_reply(body=message.body))


class _MicroEcho(MicroAgent):
    def handle(self, message: Message) -> None:
        self.send_nowait(message.make_reply(body=message.body))


class _Ask(OneShotBehaviour):
    async def run(self) -> None:
        for _ in range(_ROUNDS):
            for echo in ("echo", "micro"):
                await self.send(Message(to=echo, body="x"))
                await self.receive()


def rehearse() -> Costs:
    """Measure the cost of borders among other work, in a thread without an event loop: some 0.1 s.

    Raises:
        UsageError: the process is already being accounted.
    """
    costs = calibrate()
    with asyncio.Runner() as runner:
        ratios = runner.run(_play(costs))
    ratio = statistics.median(ratios)
    spread = statistics.stdev(ratios) / max(ratio, 0.1)
    return costs.scaled(min(_MOST, max(_LEAST, ratio)), spread)


async def _play(costs: Costs) -> list[float]:
    """Return the cost of borders relative to the calibration, for each repetition."""
    async with Container("rehearsal") as container:
        echo = Agent("echo")
        echo.add_behaviour(_Echo())
        await container.start(echo)
        await container.start(_MicroEcho("micro"))
        await _talk(container)
        ratios = []
        for _ in range(_REPETITIONS):
            without = await _talk(container)
            with Recording([container], costs) as recording:
                among = await _talk(container)
            ratios.append((among - without) / max(1, sum(recording.ledger.charged)))
        return ratios


async def _talk(container: Container) -> int:
    """Exchange messages; return the ns of CPU used."""
    asker, ask = Agent("asker"), _Ask()
    asker.add_behaviour(ask)
    began = time.thread_time_ns()
    await container.start(asker)
    await ask.join()
    took = time.thread_time_ns() - began
    await asker.stop()
    return took
