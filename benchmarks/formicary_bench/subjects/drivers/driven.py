"""The roles of another platform, played by its driver: a process with the protocol of docs/drivers.md."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import psutil

from formicary.core.scratch import scratch_folder
from formicary.processes.messages import Ready
from formicary_bench.experiments.directory import Uses, types
from formicary_bench.experiments.grid.swap import Swapping
from formicary_bench.experiments.mobile import Looped
from formicary_bench.experiments.service import Mediated
from formicary_bench.experiments.traffic import Traffic
from formicary_bench.subjects.drivers import DriverError
from formicary_bench.subjects.drivers.driver import HELLO_SECONDS, READY_SECONDS, started
from formicary_bench.subjects.drivers.installed import Entry, entry_of
from formicary_bench.subjects.drivers.protocol import Done, Go, Hello, Prepare, XmppServer
from formicary_bench.subjects.drivers.rounds import GridRounds, LoopRounds, Rounds, ServiceRounds
from formicary_bench.subjects.drivers.threads import ThreadAccounting
from formicary_bench.subjects.subject import DOMAIN
from formicary_bench.vocabulary.names import MEDIATED, MEMORY, SWAP, TRAFFIC_POOL
from formicary_bench.vocabulary.places import ECHO
from formicary_bench.worker.workload import PreparedRole, services_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from typing import Literal

    from formicary_bench.subjects.drivers.driver import Driver
    from formicary_bench.subjects.drivers.protocol import Placement
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"


@asynccontextmanager
async def both(work: Workload) -> AsyncIterator[PreparedRole]:
    """Play any role of this worker by the platform's driver."""
    name = work.configuration.platform
    entry = _entry(name)
    progress = _Progress(work)
    with scratch_folder() as folder:
        async with started(name, entry.command, str(folder), progress.advance) as driver:
            _check_same(entry, await driver.hear(Hello, HELLO_SECONDS))
            file = Path(folder, "times") if work.job.role != ECHO else None
            await driver.say(_orders(work, file))
            ready = await driver.hear(Ready, READY_SECONDS)
            work.accounting = ThreadAccounting(driver.pid, entry.hello.threads)
            if file is not None:
                rounds = _rounds_of(work.configuration)(driver, work, file, progress.expect)
                await rounds.warm_up(again=entry.hello.again and work.job.warm)
                yield PreparedRole(ready.endpoint, rounds.measure)
            else:
                progress.expect(0)
                async with _watched(driver):
                    yield PreparedRole(ready.endpoint)
            await driver.end()


ask = echo = both


async def weigh(name: str, agents: int, advance: Callable[[int], None]) -> tuple[int, int]:
    """Return the memory of a platform's process with idle agents.

    Args:
        name: the platform's name.
        agents: the number of agents.
        advance: called with its progress.

    Returns:
        Bytes that the process alone has, and bytes of its objects, or 0 if the driver does not know these.

    Raises:
        DriverError: the driver fails.
    """
    entry = _entry(name)
    with scratch_folder() as folder:
        async with started(name, entry.command, str(folder), advance) as driver:
            _check_same(entry, await driver.hear(Hello, HELLO_SECONDS))
            await driver.say(
                Prepare(
                    experiment=MEMORY,
                    placement="same-container",
                    role="echo",
                    pairs=agents,
                    receivers=agents,
                    payload_bytes=0,
                    rounds=(0, 0, 0),
                    seed=0,
                    listen="127.0.0.1",
                    peer="",
                    times="",
                )
            )
            await driver.hear(Ready, READY_SECONDS)
            await driver.say(Go())
            done = await driver.hear(Done, READY_SECONDS)
            try:
                held = int(psutil.Process(driver.pid).memory_full_info().uss)
            except psutil.Error as error:
                raise DriverError(f"the system does not report the memory of {name}: {error}") from error
            await driver.end()
            return held, done.held_bytes


def _rounds_of(configuration: Configuration) -> type[Rounds]:
    own = {MEDIATED: ServiceRounds, SWAP: GridRounds}
    return own.get(configuration.experiment, LoopRounds if "loop" in configuration.parameters else Rounds)


class _Progress:
    """The progress reported by a driver, believed as long as it has something to do."""

    def __init__(self, work: Workload) -> None:
        self._work = work
        self._prepared = 0
        self._before = 0
        self._most: int | None = None

    def advance(self, done: int) -> None:
        """Note its progress; that of a driver that only echoes stays the same.

        Raises:
            DriverError: it reports more than it has to do, so that it would never be found to hang.
        """
        if self._most is None:
            self._work.steps = self._prepared = done
        elif self._work.job.role != ECHO:
            if done > self._most:
                name = self._work.configuration.platform
                raise DriverError(f"{name} reported {done} steps of {self._most}, and continued")
            self._work.steps = max(self._work.steps, self._before + done)

    def expect(self, trips: int) -> None:
        """Note that everything is ready, and that a round of this many round trips begins.

        A driver's count restarts with each round, while the laboratory's continues, even if a round has fewer
        steps than the preparation.
        """
        self._before += self._prepared if self._most is None else self._most - self._prepared
        self._work.steps = max(self._work.steps, self._before)
        self._most = self._prepared + trips


@asynccontextmanager
async def _watched(driver: Driver) -> AsyncIterator[None]:
    """End the block with an error as soon as the driver fails, for drivers that only echo."""
    async with asyncio.TaskGroup() as group:
        watch = group.create_task(driver.watch())
        yield
        watch.cancel()


def _entry(name: str) -> Entry:
    entry = entry_of(name)
    if entry is None:
        raise DriverError(f"{name} is not installed on this machine; see there: formicary bench platforms")
    return entry


def _check_same(entry: Entry, hello: Hello) -> None:
    if hello != entry.hello:
        raise DriverError(
            f"{hello.name} {hello.version} is not what was installed ({entry.hello.name} "
            f"{entry.hello.version}), or has different abilities; reinstall it: formicary bench "
            "platforms"
        )


def _orders(work: Workload, file: Path | None) -> Prepare:
    configuration, job, server = work.configuration, work.job, None
    swapping, services = Swapping.of(configuration), Uses.of(configuration).services
    offered = services_of(job)
    if job.server is not None:
        there = job.server
        server = XmppServer(there.host, there.client_port, DOMAIN, there.password)
    return Prepare(
        experiment=job.exchange,
        placement=cast("Placement", configuration.placement),
        role=cast("Literal['both', 'ask', 'echo']", job.role),
        pairs=work.exchange.load,
        receivers=len(work.receivers),
        payload_bytes=work.exchange.payload_bytes,
        rounds=work.exchange.rounds,
        seed=job.seed,
        listen=work.address,
        peer=job.peer,
        times=str(file or ""),
        server=server,
        # All of them say how much of something there is, and no experiment has two.
        loop=Looped.of(configuration).loop or swapping.swaps or Mediated.of(configuration).requests,
        dimension=swapping.dimension,
        way=Looped.of(configuration).way,
        services=services,
        types=len(types(services)),
        offered=(offered.start, offered.stop),
        threads=Traffic.of(configuration).containers if job.exchange == TRAFFIC_POOL else 0,
    )
