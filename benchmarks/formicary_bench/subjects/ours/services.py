"""Containers with the measured directory, and the services registered beforehand."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from formicary import Services
from formicary.directory.designs import DIRECTORIES
from formicary_bench.experiments.directory import Uses, types
from formicary_bench.subjects.ours.containers import container
from formicary_bench.subjects.ours.micro import Idle
from formicary_bench.subjects.variants.lookup import LookupDirectory
from formicary_bench.vocabulary.places import ECHOING, member_name
from formicary_bench.vocabulary.values import LOOKUP, REPLICA
from formicary_bench.worker.workload import services_of

if TYPE_CHECKING:
    from typing import Literal

    from formicary import Container
    from formicary_bench.worker.workload import Workload

_OF_AN_AGENT = 100


def with_directory(work: Workload, name: str, join: str = "") -> Container:
    """Make a container with the measured design of the directory."""
    DIRECTORIES.setdefault(LOOKUP, f"{LookupDirectory.__module__}:{LookupDirectory.__name__}")
    design = cast("Literal['replica', 'central']", work.configuration.kind)
    about = {"join": join} if join else {}
    main = member_name(0) if work.is_one_of_many else ECHOING
    return container(work, name, services=Services(directory=design, main=main), **about)


async def register_services(home: Container, work: Workload) -> None:
    numbers = services_of(work.job)
    kinds = len(types(Uses.of(work.configuration).services))
    for first in range(0, len(numbers), _OF_AN_AGENT):
        owner = Idle(f"owner-{first}")
        await home.start(owner)
        for number in numbers[first : first + _OF_AN_AGENT]:
            await owner.directory.register(f"type-{number % kinds}", f"service-{number}")
        work.steps += 1
        await asyncio.sleep(0)  # a replica's agents have not waited yet


async def know_services(home: Container, work: Workload) -> None:
    """Wait until a container with its own entries has all of them."""
    missing = Uses.of(work.configuration).services
    if work.configuration.kind != REPLICA or not missing:
        return
    async with home.directory.subscribe() as changes:
        async for change in changes:
            work.steps += 1
            missing -= len(change.services)
            if missing <= 0:
                return
