"""Tries a driver before it is installed."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from formicary.errors import ServerError
from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.execution.resources import private_server
from formicary_bench.runner.observers.observer import ProgressListener
from formicary_bench.subjects.drivers.installed import subject_for
from formicary_bench.subjects.drivers.protocol import EXCHANGES
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.places import HOSTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.subjects.drivers.protocol import Hello


def try_out(hello: Hello) -> None:
    """Measure briefly at each placement, unless a server is missing; raise a RepetitionError on failure."""
    with ExitStack() as stack:
        server = None
        if hello.server:
            try:
                server = stack.enter_context(private_server())
            except ServerError:
                return  # the list of platforms says that it lacks one
        for configuration in _trials(hello):
            needed = server.prepare(configuration) if server else None
            measure(Task(configuration, 1, 1, needed, warm=False), ProgressListener())


def _trials(hello: Hello) -> Iterator[Configuration]:
    for placement, carriers in subject_for(hello).carriers.items():
        if placement in HOSTED:
            continue
        yield Configuration(
            experiment=next(one for one in hello.experiments if one in EXCHANGES),
            platform=hello.name,
            placement=placement,
            route=carriers[0].route,
            parameters={"pairs": 2, "payload_bytes": 1, "rounds": (2, 5, 2)},
        )
