"""`formicary bench compare` and `formicary bench gate`: two runs held against each other."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.options import Json, examples
from formicary.cli.output import say, show_json
from formicary.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.verdicts.pairing import Pairing
    from formicary_bench.statistics.comparisons import Comparison
    from formicary_bench.statistics.gates import Passage

COMPARE = examples("bench compare runs/after runs/before", "bench compare runs/lab-3 runs/lab-4 --json")
GATE = examples(
    "bench gate runs/after --against runs/before",
    "bench gate runs/after --against runs/before --max-slowdown 10%",
)

_SLOWER = 1
_UNDECIDED = 3

Run = Annotated[Path, typer.Argument(metavar="RUN", help="The folder of the run that is judged.")]


def compare(
    run: Run,
    base: Annotated[Path, typer.Argument(metavar="BASE", help="The run that it is held against.")],
    *,
    as_json: Json = False,
) -> None:
    """Say of two runs what became faster or slower: two versions, two machines, or two platforms.

    What the runs have in common is compared by its repetitions, of which each side needs five. A difference
    that chance may have made is undecided, and the sentence says how many repetitions would tell.
    """
    from formicary_bench.statistics.comparisons import compare as judge

    pairing = _pair(run, base)
    found = judge(pairing.contrasts)
    _say(found, pairing, as_json=as_json)
    if not as_json:
        say()
        say(f"{_counted([comparison.verdict for comparison in found])}")


def gate(
    run: Run,
    *,
    against: Annotated[Path, typer.Option(metavar="BASE", help="The run that it is held against.")],
    max_slowdown: Annotated[
        str, typer.Option(metavar="PERCENT", help="By how much times may grow, or rates fall.")
    ] = "5%",
    as_json: Json = False,
) -> None:
    """Say in an exit code whether a run is slower than another one: for checks that a change has to pass.

    The exit code is 0 if nothing is slower by more than is allowed, 1 if something is, and 3 if that is
    undecided: there are too few repetitions, they scatter too much, or something was not measured that BASE
    has.
    """
    from formicary_bench.statistics.gates import Outcome, together
    from formicary_bench.statistics.gates import gate as judge

    allowed = _percentage(max_slowdown)
    pairing = _pair(run, against)
    found = judge(pairing.contrasts, allowed)
    _say(found, pairing, as_json=as_json)
    outcome = together(found)
    if outcome is Outcome.NOT_SLOWER and pairing.missing:
        outcome = Outcome.UNDECIDED
    if not as_json:
        lacking = [f"{len(pairing.missing)} of BASE not measured"] if pairing.missing else []
        counted = ", ".join([_counted([passage.outcome for passage in found]), *lacking])
        say()
        say(f"{outcome}, as of all figures: {counted}")
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


def _pair(run: Path, base: Path) -> Pairing:
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.verdicts.pairing import pair

    return pair(RunFolder.open(run), RunFolder.open(base))


def _counted(verdicts: Sequence[str]) -> str:
    counted = Counter(verdicts).most_common()
    return ", ".join(f"{many} {verdict}" for verdict, many in counted) or "nothing that could be compared"


def _say(found: Sequence[Comparison | Passage], pairing: Pairing, *, as_json: bool) -> None:
    """Print what was found: a paragraph for each configuration, or a line of JSON for each figure."""
    missing = [f"not measured: {key}" for key in pairing.missing]
    added = [f"not in BASE, so not compared: {key}" for key in pairing.added]
    for remark in [*pairing.remarks, *missing, *added]:
        say(f"! {remark}", err=as_json)
    if as_json:
        for one in found:
            show_json(one)
        return
    last = ""
    for one in found:
        configuration, _, figure = one.name.rpartition(": ")
        if configuration != last:
            say()
            say(configuration)
        say(f"  {figure}: {one.sentence}")
        last = configuration
