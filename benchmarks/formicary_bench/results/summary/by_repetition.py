"""Rows of experiments in which each repetition is one measurement: their figures are means over these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec

from formicary_bench.results.summary.declared import Summary
from formicary_bench.results.summary.row import NO_INTERVAL, OVER_REPETITIONS, Digest, frame
from formicary_bench.results.verdicts.verdicts import stability_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Repetition
    from formicary_bench.results.summary.each import Each
    from formicary_bench.vocabulary.configuration import Configuration

Found = TypeVar("Found")


class ByRepetition(Summary, Generic[Found]):
    """How a row is made of what each repetition has found; subclasses say what that is."""

    def read(self, run: RunFolder, repetition: Repetition) -> Found | None:
        """Read what a repetition has found; None where that says nothing."""
        raise NotImplementedError

    def figures(self, one: Found) -> Each:
        """Return the figures of one repetition that platforms are compared by."""
        raise NotImplementedError

    def estimates(self, found: Sequence[Found]) -> dict[str, Any]:
        """Return fields of a row, of all repetitions that have found something."""
        raise NotImplementedError

    def digest(self, run: RunFolder, configuration: Configuration, repetitions: list[Repetition]) -> Digest:
        """Compute the row of a configuration."""
        found = [one for repetition in repetitions if (one := self.read(run, repetition)) is not None]
        row = frame(configuration, repetitions)
        if not found:
            return Digest(row, None)
        each = tuple(map(self.figures, found))
        changed = msgspec.structs.replace(
            row,
            each=each,
            stability=stability_of(each),
            ci_method=OVER_REPETITIONS if len(found) > 1 else NO_INTERVAL,
            **self.estimates(found),
        )
        return Digest(changed, None)

    def each(self, run: RunFolder, configuration: Configuration, repetition: Repetition) -> Each | None:
        """Return the figures of one repetition."""
        del configuration
        found = self.read(run, repetition)
        return None if found is None else self.figures(found)
