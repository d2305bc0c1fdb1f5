"""After which figure or table of a paper one of ours is made: its title says so, and the values are ours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.vocabulary.names import is_cpu

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row


def titled(title: str, rows: Sequence[Row]) -> str:
    """Put in front of a title what it is made after, if anything: `After Alberola 2010, Fig. 9: ...`.

    Args:
        title: The title of a chart.
        rows: What it shows, of one experiment.
    """
    found = repeated(rows)
    return f"{found}: {title}" if found else title


def repeated(rows: Sequence[Row]) -> str:
    """Say after which figures or tables of a paper rows of one experiment are; empty where after none."""
    known = EXPERIMENTS.get(rows[0].experiment) if rows else None
    if known is None or known.repeats is None or not (numbers := known.repeats.numbers(rows)):
        return ""
    kind, paper = known.repeats.kind, known.repeats.paper
    *first, last = map(str, sorted(numbers))
    kind = {"Figure": "Fig."}.get(kind, kind)
    numbers_said = f"{', '.join(first)} and {last}" if first else last
    return f"After {paper}, {kind} {numbers_said}"


def cpu_table(row: Row) -> int | None:
    """Return the number of the table of CPU time that a row repeats; None where it repeats none."""
    known = EXPERIMENTS.get(row.experiment)
    if known is None or known.repeats is None or not is_cpu(known.name):
        return None
    return min(known.repeats.numbers([row]), default=None)
