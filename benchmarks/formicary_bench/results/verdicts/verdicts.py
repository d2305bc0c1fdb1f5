"""How reliable a run's figures are, and which platforms are faster.

Both are by the figures of each repetition, in the order of measurement. Platforms are compared at the same
work and place; all comparisons of an experiment are one family.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.registry import metrics_of
from formicary_bench.results.summary.baselines import BASELINES
from formicary_bench.results.summary.each import comparable, samples_of
from formicary_bench.results.verdicts.factors import doubt_of
from formicary_bench.statistics.comparisons import Comparison, Contrast, compare
from formicary_bench.statistics.stability import Assessment, assess
from formicary_bench.vocabulary.parameters.shared import paced_rate

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from formicary_bench.results.summary.declared import Summary
    from formicary_bench.results.summary.each import Each
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.metrics import Metric

_MOST = 1e100  # what is beyond, or is no number, was not measured: folders come from others


class Believed(msgspec.Struct, frozen=True, kw_only=True):
    """The reliability of one of a row's figures."""

    figure: str
    assessment: Assessment


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """One of a row's figures beside that of another platform, in the same run and at the same point.

    Attributes:
        platform: The other one's, as are `kind` and `route`.
        figure: The name of its metric.
        comparison: The result.
    """

    platform: str
    kind: str
    route: str
    figure: str
    comparison: Comparison


def stability_of(experiment: str, each: Sequence[Each]) -> tuple[Believed, ...]:
    """Judge the figures of a configuration's repetitions."""
    metrics = metrics_of(experiment)
    return believed(
        {
            name: values
            for name, values in samples_of(each).items()
            if name in metrics and metrics[name].is_judged
        }
    )


def believed(figures: Mapping[str, Sequence[float]]) -> tuple[Believed, ...]:
    """Judge figures by their values, one of each repetition."""
    known = {figure: [one for one in values if abs(one) < _MOST] for figure, values in figures.items()}
    return tuple(
        Believed(figure=figure, assessment=assess(values)) for figure, values in known.items() if values
    )


def with_comparisons(rows: Sequence[Row]) -> list[Row]:
    """Compare the platforms of a run, and note the results in the judged rows."""
    from formicary_bench.results.summary.declared import summary_of

    found = list(rows)
    for experiment in dict.fromkeys(row.experiment for row in rows):
        summary = summary_of(experiment)
        places = [at for at, row in enumerate(rows) if row.experiment == experiment and _takes_part(row)]
        family = [
            (one, other, figure, contrast)
            for one, other in permutations(places, 2)
            if _is_held_against(rows[one], rows[other], summary, is_before=one < other)
            for figure, contrast in _contrasts(rows[one], rows[other], summary.compared_by)
        ]
        judged = compare([contrast for *_, contrast in family])
        for (one, other, figure, _), comparison in zip(family, judged, strict=True):
            known = _compared(rows[other], figure, comparison)
            found[one] = msgspec.structs.replace(found[one], compared=(*found[one].compared, known))
    return found


def others_of(row: Row, compared: Compared, rows: Sequence[Row]) -> list[Row]:
    """Return the row that another one was compared with.

    Args:
        row: The judged row.
        compared: The result.
        rows: All rows of the run.
    """
    there = msgspec.structs.replace(
        row, platform=compared.platform, kind=compared.kind, route=compared.route
    ).anchor
    return [one for one in rows if one.anchor == there][:1]


def _is_held_against(row: Row, other: Row, summary: Summary, *, is_before: bool) -> bool:
    """Whether a row is compared with another; of two subjects with the same work, the first one is."""
    if summary.is_held_against is not None:
        return summary.is_held_against(row, other)
    return is_before and _can_be_compared(row, other)


def _takes_part(row: Row) -> bool:
    """Whether a row is valid, not profiled, and not a baseline's."""
    return row.platform not in BASELINES and not row.profiled and not row.invalid


def _can_be_compared(row: Row, other: Row) -> bool:
    """Whether two rows of different platforms or kinds do the same work at the same place."""
    if _point(row) != _point(other) or (row.platform, row.kind) == (other.platform, other.kind):
        return False
    return row.platform != other.platform or row.route == other.route


def _point(row: Row) -> tuple[object, ...]:
    return row.placement, row.tls, row.hosts, row.traffic, row.spread, row.sizes


def _contrasts(row: Row, other: Row, wanted: Sequence[Metric]) -> list[tuple[str, Contrast]]:
    """Return contrasts of repetitions that held full load, with why they cannot be decided, if so."""
    doubt, metrics = doubt_of(row, other), metrics_of(row.experiment)
    ours, theirs = (comparable(one.each, metrics, is_paced=bool(paced_rate(one))) for one in (row, other))
    return [
        (
            name,
            Contrast(
                name=metrics[name].title,
                values=tuple(ours[name]),
                base=tuple(theirs[name]),
                is_rate=bool(metrics[name].more_is_better),
                doubt=doubt.sentence if doubt else "",
            ),
        )
        for name in [metric.name for metric in wanted] or ours
        if name in ours and name in theirs
    ]


def _compared(other: Row, figure: str, comparison: Comparison) -> Compared:
    return Compared(
        platform=other.platform, kind=other.kind, route=other.route, figure=figure, comparison=comparison
    )
