"""How rows are made of the repetitions of an experiment, which declares it; found by its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import declared

if TYPE_CHECKING:
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Each
    from formicary_bench.results.summary.row import Digest, Row
    from formicary_bench.vocabulary.configuration import Configuration


class Summary:
    """How a row is made of the repetitions of a configuration.

    Attributes:
        raw: The kind of its raw values: `messages`, `create`, `memory`, `search` or `tallies`.
        is_compared: Whether two runs are compared by it.
        compared_by: The figures that its platforms are compared by; all that can be compared if empty.
    """

    raw: str
    is_compared = True
    compared_by: tuple[str, ...] = ()

    def digest(self, run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
        """Return the row of a configuration, with its distribution if it has one.

        Raises:
            UsageError: Raw values are missing or broken.
        """
        raise NotImplementedError

    def each(self, run: RunFolder, configuration: Configuration, repetition: Repetition) -> Each | None:
        """Return the figures of one repetition; None where nothing was measured."""
        raise NotImplementedError

    def is_held_against(self, row: Row, base: Row) -> bool | None:
        """Return whether a row is compared to another; None where that goes by the work that both do."""


def summary_of(experiment: str, agents: int = 0) -> Summary:
    """Return how rows of an experiment are made, where each configuration has so many agents."""
    known = declared(experiment)
    if known is not None and known.summarise is not None:
        summary: Summary = known.summarise.load()
        return summary
    from formicary_bench.results.summary.creations import CREATIONS
    from formicary_bench.results.summary.round_trips import EXCHANGES

    return CREATIONS if agents else EXCHANGES
