"""How an experiment declares that its rows are made of repetitions; found by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.registry import declared
from formicary_bench.results.summary.each import with_derived
from formicary_bench.results.summary.row import Digest, frame, with_figures
from formicary_bench.vocabulary.parameters.shared import Agents

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Each, Reading
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.configuration import Configuration
    from formicary_bench.vocabulary.metrics import Metric

    Read = Callable[[RunFolder, Configuration, Repetition], Reading | None]
    HeldAgainst = Callable[[Row, Row], bool]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The way to make a row of the repetitions of a configuration.

    Attributes:
        raw: the kind of its raw values: `messages`, `create`, `memory`, `search` or `tallies`.
        read: reads a repetition; None if nothing was measured. Raises UsageError if raw values are missing or
            broken.
        is_compared: whether two runs are compared by it.
        compared_by: the metrics that its platforms are compared by; all comparable ones if empty.
        is_held_against: returns whether a row is compared with another; by their work if None.
    """

    raw: str
    read: Read
    is_compared: bool = True
    compared_by: tuple[Metric, ...] = ()
    is_held_against: HeldAgainst | None = None

    def digest(self, run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
        """Return the row of a configuration, with its distribution if it has one.

        Raises:
            UsageError: raw values are missing or broken.
        """
        found = {one.number: self._reading(run, configuration, one) for one in repetitions}
        known = {number: one for number, one in found.items() if one is not None}
        return Digest(with_figures(frame(configuration, repetitions), known), None)

    def each(self, run: RunFolder, configuration: Configuration, repetition: Repetition) -> Each | None:
        """Return the figures of one repetition; None if nothing was measured."""
        found = self._reading(run, configuration, repetition)
        return None if found is None else found.each

    def _reading(
        self, run: RunFolder, configuration: Configuration, repetition: Repetition
    ) -> Reading | None:
        found = self.read(run, configuration, repetition)
        if found is None:
            return None
        return msgspec.structs.replace(found, each=with_derived(found.each, configuration))


def summary_of(experiment: str) -> Summary:
    """Return the way to make rows of an experiment."""
    known = declared(experiment)
    if known is not None and known.summarise is not None:
        summary: Summary = known.summarise.load()
        return summary
    from formicary_bench.results.summary.round_trips import CREATIONS, EXCHANGES

    return CREATIONS if known is not None and issubclass(known.parameters, Agents) else EXCHANGES
