"""Calibration: the current cost of borders, measured around code that does nothing."""

from __future__ import annotations

import gc
import statistics
import threading
import time
import types
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

_BATCHES = 15
_BATCH = 200  # crossings
_STEPS = 4


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
