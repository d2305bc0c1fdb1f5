"""How rows are made of the repetitions of an experiment, which declares it; found by its name."""

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
    """How a row is made of the repetitions of a configuration.

    Attributes:
        raw: The kind of its raw values: `messages`, `create`, `memory`, `search` or `tallies`.
        read: Reads a repetition; None where nothing was measured. It raises UsageError where raw values are
            missing or broken.
        is_compared: Whether two runs are compared by it.
        compared_by: The metrics that its platforms are compared by; all that can be compared if empty.
        is_held_against: Whether a row is compared to another; by the work that both do if None.
    """

    raw: str
    read: Read
    is_compared: bool = True
    compared_by: tuple[Metric, ...] = ()
    is_held_against: HeldAgainst | None = None

    def digest(self, run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
        """Return the row of a configuration, with its distribution if it has one.

        Raises:
            UsageError: Raw values are missing or broken.
        """
        found = {one.number: self._reading(run, configuration, one) for one in repetitions}
        known = {number: one for number, one in found.items() if one is not None}
        return Digest(with_figures(frame(configuration, repetitions), known), None)

    def each(self, run: RunFolder, configuration: Configuration, repetition: Repetition) -> Each | None:
        """Return the figures of one repetition; None where nothing was measured."""
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
    """Return how rows of an experiment are made."""
    known = declared(experiment)
    if known is not None and known.summarise is not None:
        summary: Summary = known.summarise.load()
        return summary
    from formicary_bench.results.summary.round_trips import CREATIONS, EXCHANGES

    return CREATIONS if known is not None and issubclass(known.parameters, Agents) else EXCHANGES
