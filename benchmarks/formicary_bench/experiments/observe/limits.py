"""Whether a viewer costs no more than it may, by the statistics of gates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from formicary_bench.results.summary.each import samples_of
from formicary_bench.statistics.changes import between, change
from formicary_bench.statistics.comparisons import Contrast, too_few
from formicary_bench.statistics.gates import Outcome, Passage, gate
from formicary_bench.vocabulary.watching import ALONE, CPU_TIMES, FOLLOWED, LEFT, RATE_TIMES, VIEWED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formicary_bench.results.summary.row import Row

MAY_BE_LOST: Final[Mapping[str, float]] = {VIEWED: 0.1, FOLLOWED: 0.1, LEFT: 0.02}
"""Which part of the rate may be lost. After a viewer has gone it is nothing, which is taken for below 2%."""

_SAID: Final = {Outcome.NOT_SLOWER: "met", Outcome.SLOWER: "not met", Outcome.UNDECIDED: "undecided"}


class Kept(NamedTuple):
    """Whether a limit is kept by one figure.

    Attributes:
        verdict: `met`, `not met` or `undecided`.
        why: what was found, or why nothing was.
        passage: what the gate said.
    """

    verdict: str
    why: str
    passage: Passage


def kept(row: Row, rows: Sequence[Row]) -> dict[str, Kept]:
    """Return of CPU time and of the rate whether a row keeps its limit, by the figures' names.

    Each repetition is held against itself without a viewer: so there is one set of ratios, which is tested
    against 1, that does not scatter. What changed until a viewer had gone is tested against what changes in
    as long a time without one.

    Args:
        row: one that has a limit.
        rows: all of its experiment.
    """
    lost = MAY_BE_LOST[row.kind]
    contrasts = [_contrast(row, _base(row, rows), figure) for figure in (CPU_TIMES, RATE_TIMES)]
    # A rate of 90% is a time of 1/0.9.
    passages = gate(contrasts, lost / (1 - lost))
    return {
        contrast.name: Kept(_SAID[passage.outcome], _why(contrast, passage), passage)
        for contrast, passage in zip(contrasts, passages, strict=True)
    }


def _base(row: Row, rows: Sequence[Row]) -> Row | None:
    """Return the row without a viewer that one after a viewer is held against."""
    there = (one for one in rows if one.kind == ALONE and one.sizes == row.sizes)
    return next(there, None) if row.kind == LEFT else None


def _contrast(row: Row, base: Row | None, figure: str) -> Contrast:
    values = tuple(samples_of(row.each).get(figure, ()))
    is_disturbed = row.invalid or (base is not None and base.invalid)
    return Contrast(
        name=figure,
        values=values,
        base=(1.0,) * len(values) if base is None else tuple(samples_of(base.each).get(figure, ())),
        is_rate=figure == RATE_TIMES,
        doubt="it was disturbed: repeat it on a quieter machine" if is_disturbed else "",
    )


def _why(contrast: Contrast, passage: Passage) -> str:
    what = "rate" if contrast.is_rate else "CPU time of a round trip"
    if passage.ratio is None:
        return too_few(contrast) or ""
    if passage.outcome is Outcome.UNDECIDED:
        return between(what, passage.ratio) + contrast.depends
    return change(what, passage.ratio) + contrast.depends
