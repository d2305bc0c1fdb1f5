"""The process with client, coordinator, fetcher and printer."""

from __future__ import annotations

from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from formicary_bench.experiments.service import players
from formicary_bench.experiments.service.players import Callbacks, tasks
from formicary_bench.experiments.service.rounds import console, measure_rounds
from formicary_bench.subjects.ours.containers import container, prepared
from formicary_bench.vocabulary.places import ASKING
from formicary_bench.worker.workload import PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from formicary_bench.worker.workload import Workload


@asynccontextmanager
async def both(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up all four parties."""
    with console() as write:
        match work.configuration.platform:
            case "tasks":
                async with tasks(write) as rounds:
                    yield PreparedRole(measure=partial(measure_rounds, work, rounds))
            case "callbacks":
                yield PreparedRole(measure=partial(measure_rounds, work, Callbacks(write).rounds))
            case _:
                start = players.start_micro if work.configuration.kind == "micro" else players.start
                async with container(work, ASKING) as home:
                    yield prepared(home, work, await start(home, work, write))
