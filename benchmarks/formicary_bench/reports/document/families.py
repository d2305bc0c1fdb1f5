"""What a report shows of an experiment: by its family, as each has words, tables and charts of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formicary_bench.experiments.memory.report import (
    memory_beside,
    memory_charts,
    memory_columns,
    memory_sentences,
)
from formicary_bench.experiments.messaging.designs.report import design_extras, design_sentences
from formicary_bench.experiments.messaging.designs.report_cpu import designs_cpu_extras, designs_cpu_sentences
from formicary_bench.experiments.messaging.lower_bound.report import (
    lower_bound_beside,
    lower_bound_charts,
    lower_bound_columns,
    lower_bound_sentences,
)
from formicary_bench.experiments.messaging.open_loop.report import (
    open_loop_charts,
    open_loop_columns,
    open_loop_remarks,
    open_loop_sentences,
)
from formicary_bench.experiments.messaging.saturation.report import (
    saturation_beside,
    saturation_charts,
    saturation_columns,
    saturation_sentences,
)
from formicary_bench.experiments.messaging.scale_out.report import (
    scale_charts,
    scale_columns,
    scale_extras,
    scale_remarks,
    scale_sentences,
)
from formicary_bench.experiments.network.report import (
    network_beside,
    network_charts,
    network_columns,
    network_sentences,
)
from formicary_bench.reports.document.cpu import cpu_charts, cpu_columns, cpu_remarks, cpu_sentences
from formicary_bench.reports.document.cpu_hosts import cpu_by_host
from formicary_bench.reports.document.cpu_reference import cpu_beside, share_charts
from formicary_bench.reports.document.hosts import hosts_beside, invalid_remarks
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.sentences import remarks, sentences, source, title
from formicary_bench.reports.document.stability import stability_column, stability_extras
from formicary_bench.reports.document.tables import by_experiment, columns_of
from formicary_bench.reports.document.verdicts import verdict_extras, verdict_remarks
from formicary_bench.vocabulary.names import (
    DESIGNS,
    LOWER_BOUND,
    MEMORY,
    NETWORK,
    OPEN_LOOP,
    SATURATION,
    SCALE_OUT,
    family_of,
    is_cpu,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from formicary_bench.reports.charts.plots import Chart
    from formicary_bench.reports.document.tables import Column, Extra
    from formicary_bench.results.summary.row import Row


class _Own(NamedTuple):
    """What an experiment has in the place of what experiments with round trips have."""

    columns: Callable[[Sequence[Row]], list[Column]]
    sentences: Callable[[Sequence[Row]], list[str]]
    charts: Callable[[Sequence[Row]], list[Chart]]
    beside: Callable[[Sequence[Row]], list[Extra]]


def _nothing(_: Sequence[Row]) -> list[Extra]:
    return []


_OWN = {
    LOWER_BOUND: _Own(lower_bound_columns, lower_bound_sentences, lower_bound_charts, lower_bound_beside),
    OPEN_LOOP: _Own(open_loop_columns, open_loop_sentences, open_loop_charts, _nothing),
    SATURATION: _Own(saturation_columns, saturation_sentences, saturation_charts, saturation_beside),
}


def columns(experiment: str, rows: Sequence[Row], run: Sequence[Row]) -> list[Column]:
    """Give the table of an experiment.

    Args:
        experiment: Its name.
        rows: Its rows, either all profiled or none of them.
        run: All rows of the run, where they are held against another experiment's; so everywhere here.
    """
    if is_profiled(rows):
        return cpu_columns(rows)
    if family_of(experiment) == MEMORY:
        return memory_columns(rows, run)
    if experiment == SCALE_OUT:
        return scale_columns(rows)
    if own := _OWN.get(experiment):
        return own.columns(rows)
    if experiment == NETWORK:
        return network_columns(rows)
    return [*columns_of(rows, run), *stability_column(ordered(rows))]


def said(experiment: str, rows: Sequence[Row], run: Sequence[Row]) -> list[str]:
    """Say what an experiment found, a sentence each; arguments as of `columns`."""
    if is_profiled(rows):
        return [*(designs_cpu_sentences(rows) if experiment == DESIGNS else []), *cpu_sentences(rows)]
    if family_of(experiment) == MEMORY:
        return memory_sentences(rows, run)
    if experiment == SCALE_OUT:
        return scale_sentences(rows)
    if experiment == DESIGNS:
        return design_sentences(rows)
    if own := _OWN.get(experiment):
        return own.sentences(rows)
    return network_sentences(rows) if experiment == NETWORK else sentences(experiment, rows, run)


def to_know(rows: Sequence[Row]) -> list[str]:
    """Say what a reader must know before believing the figures of an experiment."""
    own = *cpu_remarks(rows), *scale_remarks(rows), *open_loop_remarks(rows)
    found = [*invalid_remarks(rows), *remarks(rows), *own]
    return found if is_profiled(rows) else [*found, *verdict_remarks(rows)]


def charts(experiment: str, rows: Sequence[Row], run: Sequence[Row]) -> list[Chart] | None:
    """Give the charts of an experiment; None where it is one of those that have round trips alone."""
    if is_profiled(rows):
        return [*cpu_charts(rows), *share_charts(rows)]
    if family_of(experiment) == MEMORY:
        return memory_charts(rows, run)
    if experiment == SCALE_OUT:
        return scale_charts(rows)
    if own := _OWN.get(experiment):
        return own.charts(rows)
    return network_charts(rows) if experiment == NETWORK else None


def extras(experiment: str, rows: Sequence[Row], run: Sequence[Row]) -> list[Extra]:
    """Give the further tables of an experiment: verdicts, published figures; arguments as of `columns`."""
    judged = [] if is_profiled(rows) else verdict_extras(rows, own_verdicts=experiment == DESIGNS)
    own = _extras(experiment, rows, run)
    return [*judged, *own, *stability_extras(rows), *hosts_beside(rows)]


def _extras(experiment: str, rows: Sequence[Row], run: Sequence[Row]) -> list[Extra]:
    if is_profiled(rows):
        designs = designs_cpu_extras(rows) if experiment == DESIGNS else []
        return [*designs, *cpu_by_host(rows), *cpu_beside(rows)]
    if family_of(experiment) == MEMORY:
        return memory_beside(rows, run)
    if experiment == SCALE_OUT:
        return scale_extras(rows)
    if experiment == DESIGNS:
        return design_extras(rows)
    if own := _OWN.get(experiment):
        return own.beside(rows)
    return network_beside(rows) if experiment == NETWORK else []


def is_profiled(rows: Sequence[Row]) -> bool:
    """Say whether rows are of profiled repetitions."""
    return any(row.profiled for row in rows)


def heading(experiment: str, rows: Sequence[Row]) -> str:
    """Give the title of what is shown of an experiment."""
    by_option = is_profiled(rows) and not is_cpu(experiment)
    return f"{title(experiment)}: where the CPU time goes" if by_option else title(experiment)


def full_heading(experiment: str, rows: Sequence[Row]) -> str:
    """Give the title of what is shown of an experiment, with its name and what of the papers it repeats."""
    known = source(experiment)
    of_papers = f": as in {known}" if known and not known.startswith("our own") else ""
    return f"{heading(experiment, rows)} ({experiment}){of_papers}"


def parts(rows: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    """Sort rows by experiment, and those that were profiled apart, behind the others."""
    rows = list(rows)
    halves = ([row for row in rows if row.profiled is profiled] for profiled in (False, True))
    return [part for half in halves for part in by_experiment(half).items()]
