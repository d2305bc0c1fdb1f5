"""Plays the schedule of a seed, and reports broken guarantees."""

from __future__ import annotations

import gc
import itertools
import logging
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from tests.simulation.guarantees import BrokenError, begin, check
from tests.simulation.loop import EndlessError, SimulatedLoop, bury
from tests.simulation.network import Endpoint, Stream
from tests.simulation.schedule import Shape, acts
from tests.simulation.world import World

from formicary.errors import FormicaryError
from formicary.management.membership import members
from formicary.transport.direct import connections
from formicary.transport.xmpp import connection

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Collection, Iterator

    from tests.simulation.schedule import Act

STEPS = 2000
"""Steps during which things happen, before all is made whole again, where no other number is given."""


@dataclass(frozen=True)
class Played:
    """The result of a seed.

    Args:
        seed: the seed.
        steps: how many events the loop has handled.
        acts: the numbers of the acts that were played.
        broken: the broken guarantees.
        trace: a hash of all events, in order.
        counts: how many messages had which outcome.
    """

    seed: int
    steps: int
    acts: tuple[int, ...]
    broken: tuple[str, ...]
    trace: str
    counts: Counter[str]


def simulate(
    seed: int,
    *,
    steps: int = STEPS,
    only: Collection[int] | None = None,
    tell: Callable[[str], None] | None = None,
) -> Played:
    """Play the schedule of a seed.

    Args:
        seed: the seed.
        steps: the number after which no more acts begin.
        only: the numbers of the acts to play, however many steps they take; None for all.
        tell: called with each line of the trace.
    """
    loop = SimulatedLoop(seed)
    world = World(loop, seed, Shape.draw(seed), tell)
    played: list[int] = []
    broken: list[str] = []
    loop.set_exception_handler(lambda _, context: broken.append(_describe(context)))
    gc_was_enabled = gc.isenabled()
    gc.disable()  # what is collected is finalised, at times that no seed knows
    try:
        with _replaced(world), _logged(broken):
            broken += loop.run_until_complete(_play(world, _chosen(seed, steps, only, loop), played))
    except (BrokenError, EndlessError, FormicaryError) as error:
        broken.append(str(error))
    finally:
        with _logged([]), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the dead have not awaited
            bury(loop)
            for container in world.made:  # nobody reminds a dead process of what it has not closed
                if container._opening.reminder is not None:
                    container._opening.reminder.detach()
            world.made.clear()
            if gc_was_enabled:
                gc.enable()
            gc.collect()
    return Played(
        seed, loop.steps, tuple(played), tuple(broken), world.hash.hexdigest(), world.account.counts
    )


async def _play(world: World, chosen: Iterator[tuple[int, Act]], played: list[int]) -> list[str]:
    for place in world.places:
        place.open()
    if world.shape.is_mild:
        await begin(world)
    for number, act in chosen:
        played.append(number)
        await world.do(act)
    return await check(world)


def _chosen(
    seed: int, steps: int, only: Collection[int] | None, loop: SimulatedLoop
) -> Iterator[tuple[int, Act]]:
    for number, act in enumerate(acts(seed)):
        if only is None and loop.steps >= steps:
            return
        if only is not None and number > max(only, default=-1):
            return
        if only is None or number in only:
            yield number, act


def _describe(context: dict[str, Any]) -> str:
    error = context.get("exception")
    return f"the loop has an error that nobody looked at: {context['message']}: {error!r}"


@contextmanager
def _replaced(world: World) -> Iterator[None]:
    """Replace sockets and the clock by simulated ones."""
    network = world.network
    ticks = itertools.count(1)
    clock = SimpleNamespace(
        time_ns=lambda: int(world.loop.wall_clock().timestamp() * 1e6) * 1000 + 1000 * next(ticks)
    )

    def stream(_: object, domain: str, **callbacks: Any) -> Stream:
        return Stream(network, domain, **callbacks)

    with (
        patch.object(connections, "DirectEndpoint", partial(Endpoint, network)),
        patch.object(connection, "make_stream", stream),
        patch.object(members, "time", clock),
    ):
        yield


@contextmanager
def _logged(mistakes: list[str]) -> Iterator[None]:
    """Collect the platform's logged errors, and print nothing."""

    class Collect(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            is_fate = "was lost with container" in record.getMessage()  # as where its destination has died
            if record.levelno >= logging.ERROR and not is_fate:
                error = record.exc_info and record.exc_info[1]
                mistakes.append(f"logged: {record.getMessage()} {error!r}")

    handler = Collect()
    loggers = [logging.getLogger(name) for name in ("formicary", "asyncio")]
    before = [logger.propagate for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield
    finally:
        for logger, propagates in zip(loggers, before, strict=True):
            logger.removeHandler(handler)
            logger.propagate = propagates
