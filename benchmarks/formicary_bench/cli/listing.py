"""`formicary bench list`: groups of experiments, the experiments of one, and old runs."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.options import examples
from formicary.cli.output import say
from formicary.core.quoting import printable, shorten
from formicary.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from formicary_bench.experiments.experiment import Experiment
    from formicary_bench.results.store.folder import RunFolder


LIST = examples(
    "bench list",
    "bench list messaging",
    "bench list 'Alberola 2010, Fig. 9'",
    "bench list --all",
    "bench list --where 'experiment=messaging/pairs date>=2026-01-01'",
)

GROUPS = {
    "messaging": "round trips, rates, broadcast, sizes, encryption, many hosts",
    "create": "agents created and started per second",
    "directory": "registering, searching, and until others have seen it",
    "mobile": "agents made elsewhere, sent, roaming, asleep; proxies",
    "service": "rounds of a service with a coordinator",
    "grid": "micro-agents that swap numbers at random: rates, evenness",
    "protocols": "requests, contract nets, auctions; what conversations hold",
    "compute": "agents that compute, over several cores",
    "traffic": "agents in a ring, massive reception, over several cores",
    "memory": "of the interpreter, the platform and its agents",
    "network": "bytes and packets on the wire",
    "observe": "agents that are watched, by the live view",
}
"""The families of experiments with their subjects, each on a line of 80 columns."""

JsonLines = Annotated[bool, typer.Option("--json", help="Print JSON lines only.")]

_LISTED = ("what", "source", "again", "options", "placements", "sizes")


def list_(
    group: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="A group, an experiment, a selection, or a paper: alberola, 'Alberola 2010, Fig. 9'.",
            show_default=False,
        ),
    ] = None,
    *,
    everything: Annotated[bool, typer.Option("--all", help="Show every experiment in full.")] = False,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITIONS",
            help="List runs instead, those that meet all conditions on experiment, date, host and version.",
            show_default=False,
        ),
    ] = None,
    runs: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="With --where: where the runs are.", show_default="runs"),
    ] = None,
    as_json: JsonLines = False,
) -> None:
    """List the experiments: what they measure and vary, and the paper they come from.

    Of a paper, or a figure of it, you get the command that repeats it as the
    paper had it. Without NAME or --all there is a line for each group. With
    --json there is always one for each experiment.
    """
    if where is not None:
        if group is not None or everything:
            raise UsageError("--where lists runs: omit NAME and --all, or omit --where")
        list_runs(where, runs or Path("runs"), as_json=as_json)
        return
    if runs is not None:
        raise UsageError(
            "--runs is for old runs, and without --where the experiments are listed; add --where "
            "'date>=2026-01-01', say, or leave --runs out"
        )
    from formicary_bench.experiments.selections import SELECTIONS
    from formicary_bench.published import FEATURES, features

    if group is not None and {"alberola", "table 1"} <= _terms(group) <= _terms(FEATURES):
        _print(features(), as_json=as_json)
        say(f"{FEATURES}, with Formicary: ✓ yes, - no, ? not legible in our copy", err=as_json)
        return
    chosen, is_of_paper = _chosen(group)
    if as_json:
        for one in chosen:
            line = {"name": one.name} | {field: getattr(one, field) for field in _LISTED}
            say(json.dumps(line))
    elif is_of_paper:
        _show_repeating(chosen)
    elif group is None and not everything:
        _show_groups(chosen)
    else:
        if group in SELECTIONS:
            say(f"formicary bench run {group}: {SELECTIONS[group].what}")
        _show_experiments(chosen)


def _chosen(name: str | None) -> tuple[list[Experiment], bool]:
    """Return the experiments that a name stands for, and whether it is a paper's.

    Raises:
        UsageError: there is nothing of that name.
    """
    from formicary_bench.experiments.registry import EXPERIMENTS
    from formicary_bench.experiments.selections import SELECTIONS

    found = [one for one in EXPERIMENTS.values() if name in {None, one.family, one.name}]
    if name in SELECTIONS and not found:
        taken = {part.experiment.name for part in SELECTIONS[name].parts}
        found = [one for one in EXPERIMENTS.values() if one.name in taken]
    if found or name is None:
        return found, False
    if not (found := of_source(name)):
        raise UsageError(
            f"no group, experiment, selection or figure of a paper is called {shorten(name)}; groups "
            f"are {', '.join(GROUPS)}, and formicary bench list --all has all experiments with their papers"
        )
    return found, True


def _show_repeating(experiments: Sequence[Experiment]) -> None:
    """Print the command that repeats each experiment as its paper had it."""
    for one in experiments:
        say(f"{one.source}: {one.title}")
        say(f"  {one.again}")
    if any("--hosts" in one.again for one in experiments):
        say("hosts.toml lists your hosts; without --hosts, two processes stand for two hosts.")


def _show_groups(experiments: list[Experiment]) -> None:
    from formicary_bench.experiments.selections import SELECTIONS

    families = [one.family for one in experiments]
    say("Groups of experiments; all about those of one: formicary bench list NAME")
    for name, what in GROUPS.items():
        say(f"  {name:10} {families.count(name):2}  {what}")
    say()
    say("Parts of several, to begin with: formicary bench run NAME")
    for selection in SELECTIONS.values():
        say(f"  {selection.name:13}  {selection.what}")
    say()
    say("All experiments: formicary bench list --all")


def _show_experiments(experiments: Iterable[Experiment]) -> None:
    from rich import box
    from rich.table import Table

    from formicary_bench.reports.formats.terminal import console_for_reports

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("experiment", "measures", "varies", "placements", "from"):
        table.add_column(title, no_wrap=title == "experiment")
    for one in experiments:
        varies = ", ".join(f"--{name}" for name in one.options)
        table.add_row(one.name, one.what, varies, ", ".join(one.placements), one.source)
    console_for_reports().print(table)


def list_runs(where: str, folder: Path, *, as_json: bool) -> None:
    """Print the runs that meet all conditions, the oldest first.

    Raises:
        UsageError: A condition is invalid, or there is no such folder.
    """
    from formicary_bench.results.store.finding import conditions, find

    runs, broken = find(folder, conditions(where))
    for sentence in broken:
        say(f"! {sentence}", err=True)
    lines = [_facts(run) for run in runs]
    if lines:
        _print(lines, as_json=as_json)
    elif not as_json:
        say(f"formicary: no run in {folder} matches", err=True)


def _facts(run: RunFolder) -> dict[str, str | bool | list[str]]:
    from formicary_bench.results.store.finding import facts

    found = facts(run.manifest)
    return {
        "run": str(run.path),
        "started": run.manifest.started.isoformat(timespec="seconds"),
        "experiments": sorted(found["experiment"]),
        "hosts": sorted(found["host"] - {""}),
        "version": run.manifest.formicary,
        "complete": run.manifest.complete,
    }


def _print(lines: Sequence[Mapping[str, str | bool | list[str]]], *, as_json: bool) -> None:
    """Print dictionaries as a table, or as JSON lines."""
    if as_json:
        for line in lines:
            say(json.dumps(line))
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from formicary_bench.reports.formats.terminal import console_for_reports

    table = Table(*lines[0], box=box.SIMPLE_HEAD, pad_edge=False)
    for line in lines:
        table.add_row(*(Text(printable(_words(value))) for value in line.values()))
    console_for_reports().print(table)


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)


_WORDS = {"figure": "fig", "figures": "fig", "figs": "fig", "tables": "table", "sections": "section"}
_RANGE = re.compile(r"(\d+)([a-z]?) to (\d+)([a-z]?)")


def of_source(asked: str) -> list[Experiment]:
    """Return the experiments of a source: `alberola`, `Burbeck 2004` or `Alberola 2010, Fig. 9`."""
    from formicary_bench.experiments.registry import EXPERIMENTS

    wanted = _terms(asked)
    return [
        one
        for one in EXPERIMENTS.values()
        if wanted and one.is_of_paper and any(wanted <= _terms(part) for part in one.source.split("; "))
    ]


def _terms(text: str) -> set[str]:
    """Return the terms of a source: `alberola`, `2010`, `fig 9`."""
    plain = unicodedata.normalize("NFKD", text.lower()).encode("ascii", "ignore").decode()
    spelled = _RANGE.sub(lambda found: ", ".join(_between(*found.groups())), plain)
    found, kind = set(), ""
    for word in re.findall(r"[a-z][a-z-]*[a-z]|\d[\d.]*[a-z]?", spelled):
        word = word.rstrip(".")  # noqa: PLW2901 - the end of a sentence
        name = _WORDS.get(word, word)
        if name in {"fig", "table", "section", "test"}:
            kind = name
        elif word[0].isdigit() and kind:
            found |= {f"{kind} {word}", f"{kind} {word.rstrip('abcd')}"}
        else:
            found.add(word)
    return found - {"and", "to"}


def _between(first: str, letter: str, last: str, final: str) -> list[str]:
    if letter and final:
        return [f"{first}{chr(code)}" for code in range(ord(letter), ord(final) + 1)]
    return [str(number) for number in range(int(first), int(last) + 1)]
