"""`formicary bench model`: extrapolates from a few hosts to many."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 -- Typer resolves the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.options import examples
from formicary.cli.output import show_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.extrapolation.fit import Fitted, Measured
    from formicary_bench.extrapolation.model import Outlook

MOST_HOSTS = 100_000

MODEL = examples(
    "bench model runs/2026-03-14T15-09-26-messaging-scale-out",
    "bench model scale-out-each scale-out-one directory --count 20,200 --json",
)


def model(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN...", help="Folders of runs, at least one with messaging/scale-out."),
    ],
    *,
    count: Annotated[str, typer.Option(metavar="N,...", help="Numbers of hosts to predict.")] = "10,100,1000",
    pairs: Annotated[int, typer.Option(min=1, help="Number of senders on each host.")] = 50,
    links: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Cost of idle links, as printed by `python -m formicary_bench.extrapolation.idle`.",
            show_default="as documented",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines only.")] = False,
) -> None:
    """Extrapolate messaging/scale-out to more hosts, and find the first bottleneck.

    Takes runs with an XMPP server on each host, runs with one for all, and runs
    of the directory, in any combination. Lists what was measured, what is
    assumed, and how certain the result is.
    """
    import msgspec

    from formicary_bench.extrapolation import idle
    from formicary_bench.extrapolation.fit import fit, kinds_of
    from formicary_bench.extrapolation.tables import outlooks
    from formicary_bench.vocabulary.kinds import whole

    hosts = whole(2, MOST_HOSTS).from_words("--count", count, "20,200")
    cost_of_links = idle.read_links(links) if links else idle.DOCUMENTED
    measured = [one for path in runs for one in _rows(path)]
    for kind in kinds_of(measured) or ("behaviours",):  # of which `fit` says that there are none
        fitted = fit(measured, kind, cost_of_links)
        found = outlooks(fitted, hosts, pairs)
        if as_json:
            for one in found:
                show_json({"kind": kind, **msgspec.to_builtins(one)})
        else:
            _show(kind, fitted, found, pairs)


def _show(kind: str, fitted: Fitted, found: Sequence[Outlook], pairs: int) -> None:
    from formicary.core.quoting import printable
    from formicary_bench.extrapolation import tables
    from formicary_bench.reports.formats.terminal import console_for_reports, show_extra

    console = console_for_reports()
    name = {"behaviours": "Agents", "micro": "Micro-agents"}.get(kind, kind)
    console.print()
    console.print(printable(name), style="bold")
    shown = (
        tables.measured_table(fitted),
        tables.outlook_table(found, pairs),
        tables.directory_table(found),
    )
    for extra in shown:
        if extra is not None:
            show_extra(extra, console)
    for doubt in fitted.doubts:
        console.print(printable(f"! {doubt}"), style="yellow", soft_wrap=True)
    console.print()
    console.print("Assumptions:")
    for assumption in tables.ASSUMED:
        console.print(f"  - {assumption}", soft_wrap=True)


def _rows(path: Path) -> list[Measured]:
    from formicary_bench.extrapolation.fit import Measured
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.summary.summary import summarise

    run = RunFolder.open(path)
    return [Measured(row, run.manifest.servers) for row in summarise(run)]
