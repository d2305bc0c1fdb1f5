"""`formicary bench verify`: measures a run's claims again, to see which hold on this machine."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer resolves the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.options import examples
from formicary.cli.output import say
from formicary.errors import UsageError
from formicary_bench.cli.listing import JsonLines  # noqa: TC001 - typer resolves the annotations
from formicary_bench.statistics.comparisons import FEWEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Option
    from formicary_bench.results.verdicts.verifying import Statement
    from formicary_bench.runner.planning.run_plan import RunPlan

VERIFY = examples(
    "bench verify downloads/published-run",
    "bench verify downloads/published-run --repeat 10 --output runs/verified",
)

_FAILS, _OPEN, _INTERRUPTED = 1, 3, 130


def verify(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run's folder, such as a published one.")],
    *,
    repeat: Annotated[
        int, typer.Option(min=2, max=10_000, metavar="N", help="Repetitions of each configuration.")
    ] = FEWEST,
    output: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder for the measurements.", show_default="a new one in runs"),
    ] = None,
    as_json: JsonLines = False,
) -> None:
    """Measure a run's claims again on this machine, and report which hold.

    These are the papers' claims that the run reproduces or refutes, and which
    platforms it found faster. The exit code is 0 if all hold, 1 if one does not,
    and 3 if one cannot be decided.
    """
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.summary.summary import summarise
    from formicary_bench.results.verdicts.verifying import Verified, statements

    before = RunFolder.open(run)
    rows = summarise(before)
    again = summarise(_measured(_plan(before, statements(rows), repeat), output, quiet=as_json))
    found = statements(rows, again)
    for one in found:
        _say(one, as_json=as_json)
    outcomes = [one.outcome for one in found]
    if not as_json:
        say(", ".join(f"{outcomes.count(one)} {one}" for one in Verified if one in outcomes))
    if Verified.FAILS in outcomes:
        raise typer.Exit(_FAILS)
    if Verified.OPEN in outcomes:
        raise typer.Exit(_OPEN)


def _plan(run: RunFolder, claimed: Sequence[Statement], repeat: int) -> RunPlan:
    """Return the plan: the configurations that the claims are about."""
    from formicary_bench.results.summary.row import frame
    from formicary_bench.runner.execution.resume import refuse_unknown
    from formicary_bench.runner.planning.options import parse
    from formicary_bench.runner.planning.run_plan import RunPlan

    if not claimed:
        raise UsageError(
            f"{run.path} has no claims to verify: it has fewer than {FEWEST} repetitions, or "
            f"nothing to compare; measure more with --repeat {2 * FEWEST}"
        )
    refuse_unknown(run.path, run.manifest)
    wanted = {anchor for one in claimed for anchor in one.rows}
    chosen = [
        one
        for one in run.manifest.configurations
        if not one.reference and frame(one, run.manifest.repetitions_of(one)).anchor in wanted
    ]
    here = [one for one in chosen if not one.hosts]
    if not here:
        raise UsageError(
            f"{run.path} was measured over hosts: run it again with --hosts, and compare the two"
        )
    notes = [f"{len(chosen) - len(here)} configurations over hosts are skipped"] if here != chosen else []
    asked: dict[str, Option] = {"experiment": "verify", "repeat": repeat, "seed": parse().seed}
    return RunPlan("verify", asked, dict.fromkeys(here, repeat), notes=tuple(notes))


def _measured(run_plan: RunPlan, output: Path | None, *, quiet: bool) -> RunFolder:
    from formicary_bench.runner.execution.display import Display
    from formicary_bench.runner.execution.run import perform_all
    from formicary_bench.worker.interruption import end_on_interrupt

    try:
        with end_on_interrupt(), Display(quiet=quiet) as display:
            outcome = perform_all(run_plan, output, display)
    except KeyboardInterrupt:  # while all was prepared
        say("formicary: interrupted", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    if outcome.interrupted:
        kept = f"; measurements are in {outcome.folder.path}" if outcome.folder else ""
        say(f"formicary: interrupted{kept}", err=True)
        raise typer.Exit(_INTERRUPTED)
    if outcome.folder is None:
        say("formicary: nothing could be measured; see above", err=True)
        raise typer.Exit(1)
    return outcome.folder


def _say(one: Statement, *, as_json: bool) -> None:
    if as_json:
        import msgspec

        from formicary.core.quoting import printable_json

        say(printable_json(msgspec.json.encode(one).decode()))
        return
    say(f"{one.outcome.upper()}: {one.says}")
    say(f"  here: {one.here}")
