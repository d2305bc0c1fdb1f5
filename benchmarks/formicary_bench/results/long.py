"""A run in long form: one figure of one repetition per line, with its configuration.

Lines of several runs, such as those of a class, can be concatenated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary_bench.experiments.registry import metric_of
from formicary_bench.results.store.hashing import content_hash
from formicary_bench.results.summary.row import frame
from formicary_bench.results.summary.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.summary.row import Row

_OF_A_ROW = (
    *("experiment", "platform", "kind", "placement", "route", "tls"),
    *("hosts", "traffic", "spread", "profiled"),
)


def lines(run: RunFolder, rows: Sequence[Row] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the lines of a run; `parameters` has those of the experiment by name.

    Raises:
        UsageError: Raw values are missing or broken.
    """
    manifest = run.manifest
    known = {row.anchor: row for row in (summarise(run) if rows is None else rows)}
    about = {
        "run": run.path.resolve().name,
        "run_hash": content_hash(run),
        "machine": manifest.machine.host,
        "date": manifest.started.date().isoformat(),
        "version": manifest.formicary,
    }
    for configuration in manifest.configurations:
        repetitions = manifest.repetitions_of(configuration)
        row = known.get(frame(configuration, repetitions).anchor) if repetitions else None
        if row is None or configuration.reference:
            continue
        valid = [one for one in repetitions if not one.invalid] or repetitions
        if len(row.each) != len(valid):  # a repetition in which nothing was measured has no figures
            continue
        of_it = {name: getattr(row, name) for name in _OF_A_ROW} | {"parameters": row.parameters}
        for one, each in zip(valid, row.each, strict=True):
            for name, value in each.values.items():
                figure = {"metric": name, "unit": metric_of(row.experiment, name).unit, "value": value}
                yield about | of_it | {"repetition": one.number, "seed": one.seed} | figure


def table(run: RunFolder) -> pa.Table:
    """Return a run as an Arrow table, with a column for each parameter; see `lines`."""
    import pyarrow as pa

    found = []
    for line in lines(run):
        parameters = line.pop("parameters")
        found.append(line | {name: _plain(value) for name, value in parameters.items()})
    names = dict.fromkeys(name for line in found for name in line)
    last = ("repetition", "seed", "metric", "unit", "value")
    columns = [*(name for name in names if name not in last), *last]
    return pa.table({name: [line.get(name) for line in found] for name in columns})


def _plain(value: Any) -> Any:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else value
