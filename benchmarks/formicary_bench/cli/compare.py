"""`formicary bench compare` and `formicary bench gate`: compare two runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from formicary.cli.options import Json, examples
from formicary.cli.output import say, show_json
from formicary.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.verdicts.pairing import Pairing
    from formicary_bench.statistics.comparisons import Comparison
    from formicary_bench.statistics.gates import Passage
    from formicary_bench.vocabulary.configuration import Configuration

COMPARE = examples(
    "bench compare runs/after runs/before",
    "bench compare runs/after runs/before --to comparison.html",
    "bench compare runs/lab-3 runs/lab-4 --json",
    "bench compare --interleave after/.venv before/.venv -- messaging/pairs --pairs 1,100",
)
GATE = examples(
    "bench gate runs/after --against runs/before",
    "bench gate runs/after --against runs/before --max-slowdown 10%",
)

_SLOWER = 1
_UNDECIDED = 3
_INTERRUPTED = 130

Run = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of the run to judge.")]
To = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Also write a page with a chart to this file.", show_default=False),
]


def compare(
    run: Run,
    base: Annotated[Path, typer.Argument(metavar="BASE", help="Folder of the run to compare it with.")],
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="WHAT",
            help="With --interleave, after --: what to measure, as for `formicary bench run`.",
            show_default="quick",
        ),
    ] = None,
    *,
    interleave: Annotated[
        bool,
        typer.Option(
            "--interleave",
            help="Measure now, in turn: RUN and BASE are Pythons or virtual environments with Formicary and "
            "its laboratory.",
        ),
    ] = False,
    runs: Annotated[
        int, typer.Option(min=1, max=1000, metavar="N", help="With --interleave: number of runs of each.")
    ] = 10,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="With --interleave: folder to create for the runs.",
            show_default="runs/<time>-in-turn",
        ),
    ] = None,
    to: To = None,
    as_json: Json = False,
) -> None:
    """Compare two runs, or measure two versions in turn and compare them.

    Both sides need five repetitions; with --interleave, five runs. A comparison is undecided if the
    difference may be chance, or if other programs used more than 5% of the machine. Between two runs the
    machine may have changed, which --interleave rules out. Ctrl-C stops early and compares what was measured
    (exit code 130).
    """
    from formicary_bench.cli.interleave import measure_in_turn
    from formicary_bench.reports.document.comparison import comparison_sheet, counted
    from formicary_bench.results.verdicts.pairing import pair_all
    from formicary_bench.statistics.comparisons import compare as judge

    if what and not interleave:
        raise UsageError("what to measure goes with --interleave: two existing runs are compared as they are")
    is_interrupted = False
    if interleave:
        ours, theirs, is_interrupted = measure_in_turn((run, base), what or [], runs, output)
        if not theirs:
            say("formicary: interrupted before both were measured", err=True)
            raise typer.Exit(_INTERRUPTED)
    else:
        ours, theirs = ([one] for one in _open(run, base))
    pairing = pair_all(ours, theirs)
    found = judge(pairing.contrasts)
    names = (str(run), str(base))
    if to is not None:
        from formicary_bench.reports.formats.sheet import write_sheet

        called = names if interleave else None
        write_sheet(comparison_sheet((ours[0], theirs[0]), pairing, found, called), to)
    _say(found, pairing, as_json=as_json)
    if as_json:
        _show_json(names, pairing, found)
    else:
        say()
        say(f"{counted(comparison.verdict for comparison in found)}")
        if not interleave and any(one.is_told for one in found):
            say("Runs also differ by when they were made; --interleave measures in turn.")
        if to is not None:
            say(f"The page, with a picture: open {to}")
    if is_interrupted:
        say(f"formicary: interrupted; compared by {len(theirs)} of {runs} runs of each", err=True)
        raise typer.Exit(_INTERRUPTED)


def gate(
    run: Run,
    *,
    against: Annotated[Path, typer.Option(metavar="BASE", help="Folder of the run to compare it with.")],
    max_slowdown: Annotated[
        str, typer.Option(metavar="PERCENT", help="How much times may increase, or rates drop.")
    ] = "5%",
    as_json: Json = False,
) -> None:
    """Fail if a run is slower than a baseline; for continuous integration.

    The exit code is 0 if nothing is slower by more than is allowed, 1 if something is, 2 if the runs cannot
    be compared, and 3 if that is open: there are too few repetitions, they scatter too much, or something
    was not measured that BASE has.
    """
    from formicary_bench.reports.document.comparison import counted
    from formicary_bench.statistics.gates import Outcome, together
    from formicary_bench.statistics.gates import gate as judge

    allowed = _percentage(max_slowdown)
    pairing = _pair(_open(run, against))
    found = judge(pairing.contrasts, allowed)
    _say(found, pairing, as_json=as_json)
    outcome = together(found)
    if outcome is Outcome.NOT_SLOWER and pairing.missing:
        outcome = Outcome.UNDECIDED
    if as_json:
        for passage in found:
            show_json(passage)
    else:
        lacking = [f"{len(pairing.missing)} of BASE not measured"] if pairing.missing else []
        said = ", ".join([counted(passage.outcome for passage in found), *lacking])
        say()
        say(f"{outcome}, as of all figures: {said}")
    if outcome is Outcome.SLOWER:
        raise typer.Exit(_SLOWER)
    if outcome is Outcome.UNDECIDED:
        raise typer.Exit(_UNDECIDED)


def _percentage(text: str) -> float:
    try:
        percent = float(text.strip().removesuffix("%"))
    except ValueError:
        percent = -1.0
    if not 0 <= percent <= 1000:  # noqa: PLR2004 - eleven times the time
        raise UsageError(f"--max-slowdown is a percentage from 0% to 1000%, such as 5%, and not {text!r}")
    return percent / 100


def _open(run: Path, base: Path) -> tuple[RunFolder, RunFolder]:
    from formicary_bench.results.store.folder import RunFolder

    return RunFolder.open(run), RunFolder.open(base)


def _pair(runs: tuple[RunFolder, RunFolder]) -> Pairing:
    from formicary_bench.results.verdicts.pairing import pair

    return pair(*runs)


def _say(found: Sequence[Comparison | Passage], pairing: Pairing, *, as_json: bool) -> None:
    """Print the remarks and, unless as JSON, what was found, below the names.

    Names and sentences are wrapped to the terminal, never cut.
    """
    from formicary_bench.reports.document.comparison import names_of, what_one_has
    from formicary_bench.reports.formats.terminal import broken

    for remark in [*pairing.remarks, *what_one_has(pairing, "RUN", "BASE")]:
        for line in broken(f"! {remark}", 0):
            say(line, err=as_json)
    if as_json:
        return
    experiment = name = ""
    for called, one, judged in zip(names_of(pairing), pairing.paired, found, strict=True):
        if one.row.experiment != experiment:
            experiment, name = one.row.experiment, ""
            say()
            say(experiment)
        if called != name:
            name = called
            for line in broken(name, 2):
                say(line)
        for line in broken(f"{one.metric.title}: {judged.sentence}", 4):
            say(line)


def _show_json(names: tuple[str, str], pairing: Pairing, found: Sequence[Comparison]) -> None:
    """Print a line of JSON for each figure, and one for what only one run has."""
    import msgspec

    which = dict(zip(("run", "base"), names, strict=True))
    for one, judged in zip(pairing.paired, found, strict=True):
        line: dict[str, Any] = {
            **msgspec.to_builtins(judged),
            **which,
            "experiment": one.row.experiment,
            "metric": one.metric.name,
            "is_rate": one.contrast.is_rate,
            "values": one.contrast.values,
            "base_values": one.contrast.base,
            "configuration": one.configuration,
            "base_configuration": one.base,
            "remarks": pairing.remarks,
        }
        show_json(line)
    for side, those in (("base", pairing.missing), ("run", pairing.added)):
        for lone in those:
            show_json(_lone(lone, side, which))


def _lone(configuration: Configuration, side: str, which: dict[str, str]) -> dict[str, Any]:
    about = {
        "name": configuration.key,
        "verdict": None,
        "sentence": f"only in {which[side]}",
        "only_in": side,
    }
    return {**about, **which, "experiment": configuration.experiment, "configuration": configuration}
