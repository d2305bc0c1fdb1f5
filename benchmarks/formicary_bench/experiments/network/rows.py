"""How rows are made of what goes over the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from formicary_bench.experiments.network.summary import network_each, network_estimates
from formicary_bench.results.summary.round_trips import Exchanges

if TYPE_CHECKING:
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.configuration import Configuration


def _wire(_: Any, repetition: Repetition, *__: Any) -> dict[str, float | None]:
    return network_each(repetition.counters)


def _with_network(row: Row, configuration: Configuration, repetitions: list[Repetition], _: Any) -> Row:
    return msgspec.structs.replace(row, network=network_estimates(configuration, repetitions))


SUMMARY = Exchanges(others=_wire, extended=_with_network)
