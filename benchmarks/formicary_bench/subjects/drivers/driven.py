"""Another platform's part, played by its driver: a process that speaks the protocol of docs/drivers.md."""

from __future__ import annotations

import asyncio
import os
import stat
from array import array
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING, cast

from formicary.core.scratch import scratch_folder
from formicary_bench.subjects.accounts import DOMAIN
from formicary_bench.subjects.drivers.driver import HELLO_SECONDS, READY_SECONDS, started
from formicary_bench.subjects.drivers.errors import DriverError
from formicary_bench.subjects.drivers.installed import Entry, entry_of
from formicary_bench.subjects.drivers.protocol import Done, Go, Hello, Prepare, Ready, XmppServer
from formicary_bench.vocabulary.roles import ECHO
from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Literal

    from formicary_bench.subjects.drivers.driver import Driver
    from formicary_bench.subjects.drivers.protocol import Placement
    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"

_BYTES = array("q").itemsize


@asynccontextmanager
async def both(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have the platform's driver play this worker's part, whichever it is."""
    name = work.configuration.platform
    entry = entry_of(name)
    if entry is None:
        raise DriverError(f"{name} is no longer installed; see: formicary bench platforms")

    progress = _Progress(work)
    with scratch_folder() as folder:
        async with started(name, entry.command, str(folder), progress.advance) as driver:
            _check_same(entry, await driver.hear(Hello, HELLO_SECONDS))
            file = Path(folder, "times") if work.job.role != ECHO else None
            await driver.say(_orders(work, file))
            ready = await driver.hear(Ready, READY_SECONDS)
            progress.expect_no_more()
            if file is not None:
                yield PreparedRole(ready.endpoint, lambda: _measure(driver, work, file))
            else:
                async with _watched(driver):
                    yield PreparedRole(ready.endpoint)
            await driver.end()


ask = echo = both


class _Progress:
    """What the driver says of how far it is: believed for as long as there is something left to do.

    Args:
        work: what it has to do.
    """

    def __init__(self, work: Workload) -> None:
        self._work = work
        self._most: int | None = None

    def advance(self, done: int) -> None:
        """Take what it says; one that has nothing to do but to echo does not get any further.

        Raises:
            DriverError: it has done more than it was to do. It would never be found to hang.
        """
        if self._most is None:
            self._work.steps = done
        elif self._work.job.role != ECHO:
            if done > self._most:
                name = self._work.configuration.platform
                raise DriverError(f"{name} says that it has done {done} steps of {self._most}, and went on")
            self._work.steps = done

    def expect_no_more(self) -> None:
        """Note that all is ready: what is left are the round trips."""
        self._most = self._work.steps + self._work.configuration.load * self._work.trips


@asynccontextmanager
async def _watched(driver: Driver) -> AsyncIterator[None]:
    """End the block with an error as soon as the driver fails: nobody else listens to one that echoes."""
    async with asyncio.TaskGroup() as group:
        watch = group.create_task(driver.watch())
        yield
        watch.cancel()


def _check_same(entry: Entry, hello: Hello) -> None:
    if hello != entry.hello:
        raise DriverError(
            f"{hello.name} {hello.version} is not what was installed ({entry.hello.name} "
            f"{entry.hello.version}), or does not do the same; install it again: formicary bench platforms"
        )


def _orders(work: Workload, file: Path | None) -> Prepare:
    configuration, job, server = work.configuration, work.job, None
    if job.server is not None:
        there = job.server
        server = XmppServer(there.host, there.client_port, DOMAIN, there.password)
    return Prepare(
        experiment=job.exchange,
        placement=cast("Placement", configuration.placement),
        role=cast("Literal['both', 'ask', 'echo']", job.role),
        pairs=configuration.load,
        receivers=len(work.receivers),
        payload_bytes=configuration.payload_bytes,
        rounds=(configuration.warm_up, configuration.measured, configuration.cool_down),
        seed=job.seed,
        listen=work.address,
        peer=job.peer,
        times=str(file or ""),
        server=server,
    )


async def _measure(driver: Driver, work: Workload, file: Path) -> None:
    began = perf_counter_ns()
    await driver.say(Go())
    await driver.hear(Done)
    took = perf_counter_ns() - began
    work.times += _read(file, work)
    work.steps = 0  # from now on the times are counted
    for times in work.times:
        _check(work.configuration.platform, times, took)


def _read(file: Path, work: Workload) -> list[PairTimes]:
    """Return the times of each pair: all beginnings of its round trips, then how long each took."""
    pairs, trips, name = work.configuration.load, work.trips, work.configuration.platform
    try:
        with os.fdopen(os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as opened:
            known, right = os.fstat(opened.fileno()), pairs * 2 * trips * _BYTES
            if not stat.S_ISREG(known.st_mode):
                raise DriverError(f"{name} has made something else than a file of its times")
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
        raise DriverError(f"{name} has written no times that can be read ({error.strerror})") from error
    return found


def _check(name: str, times: PairTimes, took_ns: int) -> None:
    """Refuse times that cannot be: each round trip of a pair begins after the one before has ended.

    Raises:
        DriverError: with what is wrong.
    """
    import numpy as np

    starts, rtts = np.frombuffer(times.starts, np.int64), np.frombuffer(times.rtts, np.int64)
    if rtts.min() <= 0:
        raise DriverError(f"{name} says that a round trip took {rtts.min()} ns")
    # As Python counts: what is far apart does not fit into 64 bits.
    if rtts.max() > took_ns or int(starts.max()) - int(starts.min()) > took_ns:
        raise DriverError(f"{name} says that its round trips took longer than it was given: are they in ns?")
    if (starts[1:] - starts[:-1] < rtts[:-1]).any():
        raise DriverError(f"{name} says that a round trip began before the one before it had ended")
