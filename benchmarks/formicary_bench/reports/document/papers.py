"""After which figure or table of a paper one of ours is made: its title says so, and the values are ours."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.vocabulary.names import is_cpu

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.experiments.experiment import Repeats
    from formicary_bench.results.summary.row import Row


def titled(title: str, rows: Sequence[Row], after: str = "") -> str:
    """Put in front of a title what it is made after, if anything: `After Alberola 2010, Fig. 9: ...`.

    Args:
        title: The title of a chart.
        rows: What it shows, of one experiment.
        after: Which figure or table of the experiment's paper, if not those that the rows repeat.
    """
    found = repeated(rows, after)
    return f"{found}: {title}" if found else title


def repeated(rows: Sequence[Row], after: str = "") -> str:
    """Say after which figures or tables of a paper rows of one experiment are; empty where after none."""
    known = EXPERIMENTS.get(rows[0].experiment) if rows else None
    if known is None or known.repeats is None:
        return ""
    return after_paper(known.repeats, known.repeats.numbers(rows), after)


def after_paper(repeats: Repeats, numbers: Iterable[int | str], after: str = "") -> str:
    """Return the figures or tables of a paper that something repeats: `After Alberola 2010, Fig. 5 and 6`."""
    *first, last = [str(one) for one in sorted(numbers, key=_in_order)] or [""]
    if not (last or after):
        return ""
    kind = {"Figure": "Fig."}.get(repeats.kind, repeats.kind)
    said = f"{', '.join(first)} and {last}" if first else last
    return f"After {repeats.paper}, {after or f'{kind} {said}'}"


def cpu_table(row: Row) -> int | None:
    """Return the number of the table of CPU time that a row repeats; None where it repeats none."""
    known = EXPERIMENTS.get(row.experiment)
    if known is None or known.repeats is None or not is_cpu(known.name):
        return None
    return min(map(int, known.repeats.numbers([row])), default=None)


def _in_order(number: int | str) -> tuple[int, str]:
    digits = re.match(r"\d+", str(number))
    return (int(digits[0]) if digits else 0), str(number)
