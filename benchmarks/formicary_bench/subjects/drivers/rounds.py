"""The rounds of a driver: the cold first one, those to warm up, and the measured one."""

from __future__ import annotations

import os
import stat
from array import array
from time import perf_counter_ns
from typing import TYPE_CHECKING

from formicary_bench.experiments.grid.swap import Swapping
from formicary_bench.experiments.mobile import Looped
from formicary_bench.experiments.service import Mediated
from formicary_bench.subjects.drivers import DriverError
from formicary_bench.subjects.drivers.protocol import Done, Go
from formicary_bench.subjects.drivers.settling import Round, Settling
from formicary_bench.vocabulary import values
from formicary_bench.vocabulary.values import laps, smallest_of
from formicary_bench.worker.creation import batches
from formicary_bench.worker.workload import PairTimes, Tally

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from formicary_bench.subjects.drivers.driver import Driver
    from formicary_bench.worker.workload import Workload

_BYTES = array("q").itemsize
_FEWEST_CPU_S = 0.2  # some systems count CPU time in hundredths of a second


class Rounds:
    """The rounds of a ready driver that makes round trips."""

    def __init__(self, driver: Driver, work: Workload, file: Path, expect: Callable[[int], None]) -> None:
        self._driver = driver
        self._work = work
        self._file = file
        self._expect = expect
        self._name = work.configuration.platform
        self._done = Done()

    async def warm_up(self, *, again: bool) -> None:
        """Run rounds until it has settled.

        Args:
            again: whether it can make more than one round; if not, its first one is measured.

        Raises:
            DriverError: it fails, or its times are impossible.
        """
        counters = self._work.counters
        counters[values.SETTLED] = 0.0
        if not again:
            return
        first, cold = await self._first()
        counters |= cold | _cpu(values.COLD_CPU_US, first)
        settling = Settling(first)
        while not settling.is_over:
            settling.add(await self._next(settling))
        counters[values.SETTLED] = float(settling.has_settled)
        counters[values.WARM_UP_SECONDS] = settling.seconds
        counters[values.WARM_UP_ROUNDS] = float(len(settling.rounds))

    async def _first(self) -> tuple[Round, dict[str, float]]:
        made, times = await self._make(self._work.trips)
        return made, {values.COLD_RATE: self._rate(times), values.COLD_MEAN_US: self._mean_us(times)}

    async def _next(self, settling: Settling) -> Round:
        made, _ = await self._make(settling.trips(self._work.exchange.load))
        return made

    async def measure(self) -> None:
        """Run the measured round.

        Raises:
            DriverError: as of `warm_up`.
        """
        self._work.mark(True)
        made, times = await self._make(self._work.trips)
        self._work.times += times
        self._work.steps = 0  # from now on the times are counted
        self._work.mark(False)
        self._work.counters |= _cpu(values.CPU_US, made)

    async def _make(self, trips: int) -> tuple[Round, list[PairTimes]]:
        pairs = self._work.exchange.load
        used_s, times, is_warm = await self._order(Go(trips), pairs * trips, pairs, trips)
        ends = [one.starts[-1] + one.rtts[-1] for one in times]
        lasted_s = (max(ends) - min(one.starts[0] for one in times)) / 1e9
        return Round(pairs * trips, lasted_s, used_s, is_warm), times

    async def _order(
        self, go: Go, steps: int, series: int, values: int
    ) -> tuple[float, list[PairTimes], bool]:
        """Run an order with a number of steps, and read a number of values of each series.

        Returns:
            Its CPU time, the values, and whether nothing in its runtime is known to warm up.
        """
        self._expect(steps)
        used_s, began = self._driver.cpu_s(), perf_counter_ns()
        await self._driver.say(go)
        done = self._done = await self._driver.hear(Done)
        took, used_s = perf_counter_ns() - began, self._driver.cpu_s() - used_s
        times = _read(self._name, self._file, series, values)
        self._file.unlink(missing_ok=True)  # the next round makes it anew
        for one in times:
            _check(self._name, one, took)
        return used_s, times, done.warm

    def _rate(self, times: list[PairTimes]) -> float:
        """Return the round trips per second while all pairs are active and any is measured."""
        import numpy as np

        begin, end = self._phase
        ends = [np.frombuffer(one.starts, np.int64) + np.frombuffer(one.rtts, np.int64) for one in times]
        begun, over = min(one.starts[begin] for one in times), max(of_pair[end - 1] for of_pair in ends)
        first = max(begun, *(one.starts[0] for one in times))
        last = min(over, *(of_pair[-1] for of_pair in ends))
        if last <= first:
            first, last = begun, over
        ended = sum(int(((of_pair > first) & (of_pair <= last)).sum()) for of_pair in ends)
        return ended * 1e9 / float(last - first)

    def _mean_us(self, times: list[PairTimes]) -> float:
        begin, end = self._phase
        return sum(sum(one.rtts[begin:end]) for one in times) / (len(times) * (end - begin)) / 1e3

    @property
    def _phase(self) -> tuple[int, int]:
        """The index of each pair's first measured round trip, and that after the last one."""
        exchange = self._work.exchange
        return exchange.warm_up, exchange.warm_up + exchange.measured


class LoopRounds(Rounds):
    """The rounds of a ready driver that makes loops of an operation; arguments as of `Rounds`."""

    @property
    def most(self) -> int:
        """The operations of the largest loop."""
        return Looped.of(self._work.configuration).loop

    @property
    def sizes(self) -> tuple[int, ...]:
        """The operations of each measured loop."""
        return laps(self.most, smallest_of(self._work.configuration.experiment))

    async def _first(self) -> tuple[Round, dict[str, float]]:
        """Run the largest loop once, in a fresh process."""
        made = await self._laps((self.most,))
        return made, {values.COLD_RATE: made.per_s, values.COLD_MEAN_US: 1e6 / made.per_s}

    async def _next(self, settling: Settling) -> Round:
        """Run loops of the same size, or smaller ones if that would take too long."""
        least = smallest_of(self._work.configuration.experiment)
        operations = max(settling.trips(1) // least * least, least)
        size = min(self.most, operations)
        return await self._laps((size,) * (operations // size))

    async def measure(self) -> None:
        """Run all loops, and record the total time of each.

        Raises:
            DriverError: as of `warm_up`.
        """
        made = await self._laps(self.sizes)
        self._work.batches += self._made
        self._work.counters |= _cpu(values.CPU_US, made)

    async def _laps(self, sizes: tuple[int, ...]) -> Round:
        operations = sum(sizes)
        used_s, (times,), is_warm = await self._order(Go(laps=sizes), operations, 1, len(sizes))
        took = [nanoseconds / 1e9 for nanoseconds in times.rtts]
        self._made = [(size, seconds, 0) for size, seconds in zip(sizes, took, strict=True)]
        return Round(operations, sum(took), used_s, is_warm)


class ServiceRounds(LoopRounds):
    """The rounds of a service by a ready driver, in batches; arguments as of `Rounds`."""

    @property
    def most(self) -> int:
        """The number of rounds."""
        return Mediated.of(self._work.configuration).requests

    @property
    def sizes(self) -> tuple[int, ...]:
        """The rounds of each batch."""
        return tuple(map(len, batches(self.most)))


class GridRounds(LoopRounds):
    """The rounds of a ready driver that runs a grid to its end; arguments as of `Rounds`."""

    @property
    def most(self) -> int:
        """The number of swaps."""
        return Swapping.of(self._work.configuration).swaps

    async def measure(self) -> None:
        """Run the grid once, and record what its agents did.

        Raises:
            DriverError: as of `warm_up`, or the number of agents is wrong.
        """
        made = await self._laps((self.most,))
        tally = Tally(seconds=sum(seconds for _, seconds, _ in self._made))
        for swaps, agents, refused in self._done.tallies:
            tally.add(swaps, refused, agents)
        agents = sum(many for many, _ in tally.made.values())
        asked = Swapping.of(self._work.configuration).cells
        if agents != asked or max(tally.made) < self.most:
            raise DriverError(
                f"{self._name} says what {agents} agents of {asked} have done, of which the first has made "
                f"{max(tally.made, default=0)} swaps of {self.most}"
            )
        self._work.tally = tally
        self._work.counters |= _cpu(values.CPU_US, made)


def _cpu(name: str, made: Round) -> dict[str, float]:
    return {name: made.cpu_us} if made.cpu_s >= _FEWEST_CPU_S else {}


def _open(path: str, flags: int) -> int:
    """Open a file made by a driver, without following a link or waiting for a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def _read(name: str, file: Path, pairs: int, trips: int) -> list[PairTimes]:
    """Return the times of each pair: the starts of its round trips, then their durations."""
    try:
        with open(file, "rb", opener=_open) as opened:
            known, right = os.fstat(opened.fileno()), pairs * 2 * trips * _BYTES
            if not stat.S_ISREG(known.st_mode):
                raise DriverError(f"{name} did not write a file of its times")
            if known.st_size != right:
                raise DriverError(
                    f"{name} wrote {known.st_size} bytes of times, not the {right} of {pairs} pairs with "
                    f"{trips} round trips each"
                )
            found = [PairTimes() for _ in range(pairs)]
            for times in found:
                times.starts.fromfile(opened, trips)
                times.rtts.fromfile(opened, trips)
    except OSError as error:
        raise DriverError(f"{name} wrote no readable times ({error.strerror})") from error
    return found


def _check(name: str, times: PairTimes, took_ns: int) -> None:
    """Refuse impossible times: each round trip of a pair begins after the end of the previous one.

    Raises:
        DriverError: with what is wrong.
    """
    import numpy as np

    starts, rtts = np.frombuffer(times.starts, np.int64), np.frombuffer(times.rtts, np.int64)
    if rtts.min() <= 0:
        raise DriverError(f"{name} reported a round trip of {rtts.min()} ns")
    # As Python counts: what is far apart does not fit into 64 bits.
    if rtts.max() > took_ns or int(starts.max()) - int(starts.min()) > took_ns:
        raise DriverError(f"{name} reported round trips longer than the whole measurement: are they in ns?")
    if (starts[1:] - starts[:-1] < rtts[:-1]).any():
        raise DriverError(f"{name} reported a round trip that started before the previous one had ended")
