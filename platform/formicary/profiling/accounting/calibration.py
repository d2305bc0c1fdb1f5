"""Calibration: the current cost of borders, measured around code that does nothing, and in a rehearsal.

A border crossed in quick succession costs less than among other work, which evicts it from the processor's
caches. In the rehearsal, two agents exchange messages with and without borders, which shows by how much.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import threading
import time
import types
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from formicary.container.container import Container
from formicary.core.agent import Agent
from formicary.core.behaviours import CyclicBehaviour, OneShotBehaviour
from formicary.core.message import Message
from formicary.core.micro import MicroAgent
from formicary.profiling.accounting.ledger import (
    AGENTS,
    PLATFORM,
    Callback,
    Cost,
    Ledger,
    call_border,
    coroutine_border,
    ledgers,
    resume_border,
)
from formicary.profiling.accounting.recording import Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_BATCHES = 15
_BATCH = 200  # crossings
_STEPS = 4
_REPETITIONS = 7
_ROUNDS = 200
_LEAST, _MOST = 1.0, 4.0


@dataclass(frozen=True)
class Costs:
    """The cost of each kind of border.

    Attributes:
        call: of a method.
        coroutine: of one step of a coroutine method.
        resume: of a strand.
        callback: of a loop's callback.
        reading: ns to read the CPU clock.
        spread: the relative standard deviation of such a measurement; known after a rehearsal.
    """

    call: Cost
    coroutine: Cost
    resume: Cost
    callback: Cost
    reading: int
    spread: float = 0.0

    @property
    def mean_us(self) -> float:
        """The mean cost over the kinds, in microseconds."""
        kinds = (self.call, self.coroutine, self.resume, self.callback)
        return sum(kind.outer + kind.inner for kind in kinds) / len(kinds) / 1e3

    def scaled(self, factor: float, spread: float) -> Costs:
        """Return these costs times a factor measured with its own spread."""
        call, coroutine, resume, callback = (
            Cost(*(round(ns * factor) for ns in (kind.outer, kind.inner, kind.first)))
            for kind in (self.call, self.coroutine, self.resume, self.callback)
        )
        return Costs(call, coroutine, resume, callback, self.reading, spread)


def calibrate() -> Costs:
    """Measure the cost of borders in this thread: some 40 ms of its CPU time.

    The process must not be accounted meanwhile.
    """
    ident = threading.get_ident()
    ledger = ledgers[ident] = Ledger()
    nothing = Cost()
    is_collecting = gc.isenabled()
    gc.disable()
    once, often = (coroutine_border(make, AGENTS, nothing) for make in (_once, _often))
    resumed = partial(resume_border, _call, ledger, AGENTS, nothing)
    try:
        call = _measure(_nothing, call_border(_nothing, AGENTS, nothing), ledger)
        single = _measure(partial(_drive, _once), partial(_drive, once), ledger)
        several = _measure(partial(_drive, _often), partial(_drive, often), ledger)
        resume = _measure(partial(_call, _resume, None, None), partial(resumed, _resume, None, None), ledger)
        callback = _measure(_nothing, Callback(_nothing, ledger, AGENTS, nothing), ledger)
    finally:
        if is_collecting:
            gc.enable()
        del ledgers[ident]
    step = [max(0.0, (several[side] - single[side]) / _STEPS) for side in (0, 1)]
    return Costs(
        call=_cost(call),
        coroutine=Cost(round(step[0]), round(step[1]), first=round(single[0] + single[1] - step[1])),
        resume=_cost(resume),
        callback=_cost(callback),
        reading=_reading(),
    )


def _cost(measured: tuple[float, float]) -> Cost:
    return Cost(round(measured[0]), round(measured[1]))


def _reading() -> int:
    """Return the ns to read the CPU clock."""
    times = []
    for _ in range(_BATCHES):
        began = time.thread_time_ns()
        for _ in range(_BATCH):
            time.thread_time_ns()
        times.append((time.thread_time_ns() - began) / _BATCH)
    return round(statistics.median(times))


def _measure(plain: Callable[[], Any], bordered: Callable[[], Any], ledger: Ledger) -> tuple[float, float]:
    """Return the ns of a border on its outer and inner side."""
    batches = [_batch(plain, bordered, ledger) for _ in range(_BATCHES)]
    outer, inner = (sorted(batch[side] for batch in batches)[_BATCHES // 4] for side in (0, 1))
    return max(0.0, outer), max(0.0, inner)


def _batch(plain: Callable[[], Any], bordered: Callable[[], Any], ledger: Ledger) -> tuple[float, float]:
    empty = _time(_nothing_at_all, ledger)[0]
    direct = _time(plain, ledger)[0]
    outer, inner = _time(bordered, ledger)
    # For a direct call, the loop is on the outer side, and the function's work on the inner.
    return outer - empty, inner - (direct - empty)


def _time(function: Callable[[], Any], ledger: Ledger) -> tuple[float, float]:
    """Return the ns of a call in a loop outside, and inside the border, if any."""
    ledger.read()
    ledger.slot = PLATFORM
    outer, inner = ledger.spent[PLATFORM], ledger.spent[AGENTS]
    if function is _nothing_at_all:
        for _ in range(_BATCH):
            pass
    else:
        for _ in range(_BATCH):
            function()
    ledger.read()
    return (ledger.spent[PLATFORM] - outer) / _BATCH, (ledger.spent[AGENTS] - inner) / _BATCH


def _nothing() -> None:
    pass


def _nothing_at_all() -> None:
    raise AssertionError


def _call(function: Callable[[Any, Any], Any], coroutine: Any, value: Any) -> Any:
    return function(coroutine, value)


def _resume(coroutine: Any, value: Any) -> None:
    """Do nothing."""


async def _once() -> None:
    pass


async def _often() -> None:
    for _ in range(_STEPS):
        await _step()


@types.coroutine
def _step() -> Generator[None, None, None]:
    yield


def _drive(make: Callable[[], Any]) -> None:
    coroutine = make()
    try:
        while True:
            coroutine.send(None)
    except StopIteration:
        return


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
