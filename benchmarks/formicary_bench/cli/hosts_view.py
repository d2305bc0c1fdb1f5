"""What `formicary hosts` shows: lines of progress, tables of what was found, and what to do next."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Column

import formicary
from formicary.cli.output import say, show_table
from formicary.core.quoting import printable
from formicary.doctor.finding import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from rich.progress import TaskID

    from formicary_bench.remote.checks.check import Checked
    from formicary_bench.remote.checks.facts import Facts, Installed, Prosody, Seen, Way
    from formicary_bench.remote.provisioning.prepare import Cleaned, Prepared


_HOSTS = (
    *("HOST", "#REACHED", "PYTHON", "FORMICARY", "PROSODY", "#CLOCK", "PORTS", "PY-SPY"),
    *("#CORES", "#MEMORY", "#DISK", "#LOAD", "#OTHERS"),
)
_WAYS = ("FROM", "TO", "#ROUND TRIP", "#BANDWIDTH")
_UNKNOWN = "-"
_COLOURS = {State.MISSING: "red", State.LIMITED: "yellow", State.GOOD: "green"}


def show(checked: Checked, digest: str) -> None:
    """Print the tables on standard output, then what is wrong on standard error, the worst first."""
    show_table(_HOSTS, [_row(seen, digest) for seen in checked.hosts])
    if checked.ways:
        say()
        show_table(_WAYS, [_way(way) for way in checked.ways])
    for state, sentence in sorted(sentences(checked), key=lambda each: each[0] is not State.MISSING):
        mark = typer.style("problem:" if state is State.MISSING else "warning:", fg=_COLOURS[state])
        say(sentence, mark=mark, err=True)


def sentences(checked: Checked) -> Iterator[tuple[State, str]]:
    """Yield what is wrong with which host, with the next step."""
    for seen in checked.hosts:
        for finding in seen.findings:
            step = f"; {finding.next_step}" if finding.next_step else ""
            yield finding.state, f"host {seen.host}: {finding.what}{step}"


def _row(seen: Seen, digest: str) -> list[str]:
    reached = _UNKNOWN if seen.reached_ms is None else f"{seen.reached_ms:.0f} ms"
    facts = seen.facts
    if facts is None:
        return [seen.host, reached, *[_UNKNOWN] * (len(_HOSTS) - 2)]
    machine = facts.machine
    return [
        seen.host,
        reached,
        facts.formicary.python or facts.python,
        _formicary(facts.formicary, digest),
        _prosody(facts.prosody),
        _clock(seen),
        _ports(facts),
        _tracing(facts),
        f"{machine.usable}" if machine.usable == machine.cores else f"{machine.usable} of {machine.cores}",
        size(machine.memory_bytes),
        size(facts.folder.free_bytes),
        f"{machine.load:.2f}",
        str(len(machine.others) + len(facts.folder.running)),
    ]


def _formicary(installed: Installed, digest: str) -> str:
    if installed.absent:
        return "no"
    if not installed.version or not installed.digest:
        return "broken"
    return installed.version if installed.digest == digest else f"{installed.version}, other"


def _prosody(prosody: Prosody) -> str:
    return prosody.version or ("?" if prosody.failed else "no")


def _clock(seen: Seen) -> str:
    if seen.offset_s is None or seen.uncertainty_s is None:
        return _UNKNOWN
    scale, unit = (1e3, "ms") if abs(seen.offset_s) < 1 else (1, "s")
    return f"{seen.offset_s * scale:+.2f} ± {seen.uncertainty_s * scale:.2f} {unit}"


def _ports(facts: Facts) -> str:
    listen = facts.listen
    if listen.failed:
        return "none"
    return f"{', '.join(listen.taken)} taken" if listen.taken else "free"


def _tracing(facts: Facts) -> str:
    tried = facts.formicary.tracing
    if tried is None:
        return "no" if facts.tracing else "not tested"
    return "no" if tried else "yes"


def _way(way: Way) -> list[str]:
    if way.seconds is None or way.bytes_per_second is None:
        return [way.source, way.target, "blocked", _UNKNOWN]
    rate = f"{way.bytes_per_second * 8 / 1e6:,.0f} Mbit/s".replace(",", " ")
    return [way.source, way.target, f"{way.seconds * 1e3:.3f} ms", rate]


def size(count: int) -> str:
    """Return a number of bytes as text."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"  # noqa: PLR2004 -- a gigabyte


def show_prepared(prepared: Iterable[Prepared]) -> None:
    """Print a line for each host; problems go to standard error, at the end."""
    _show((each.host, each.problem, [_prepared(each)]) for each in prepared)


def show_cleaned(cleaned: Iterable[Cleaned]) -> None:
    """Print what was ended and removed on each host; problems go to standard error, at the end."""
    _show((each.host, each.problem, _cleaned(each)) for each in cleaned)


def _show(outcomes: Iterable[tuple[str, str, Iterable[str]]]) -> None:
    """Print the sentences about each host; problems come last."""
    problems = []
    for host, problem, sentences in outcomes:
        if problem:
            problems.append(problem)
            continue
        for sentence in sentences:
            say(f"{host}: {sentence}")
    for problem in dict.fromkeys(problems):  # what is wrong here is wrong for all of them
        say(problem, mark=typer.style("problem:", fg="red"), err=True)


def _prepared(prepared: Prepared) -> str:
    if prepared.outcome == "ready":
        return f"formicary {formicary.__version__} is already installed"
    sent = f"{prepared.sent_bytes / 1e6:.1f} MB sent"
    return f"formicary {formicary.__version__} installed, {sent}, {prepared.seconds:.1f} s"


def _cleaned(cleaned: Cleaned) -> Iterator[str]:
    for command in cleaned.ended:
        yield f"ended {command}"
    if cleaned.freed:
        yield f"removed {cleaned.folder}, {size(cleaned.freed)}"
    else:
        yield f"nothing to remove in {cleaned.folder}"
    if cleaned.kept:
        yield f"kept files that are not ours: {', '.join(cleaned.kept)}"


_PER_SECOND = 8


class StepsDisplay:
    """Shows progress on each host on standard error, if that is a terminal; it is erased at the end."""

    def __init__(self) -> None:
        console = Console(stderr=True, highlight=False)
        self._is_shown = console.is_terminal and not os.environ.get("NO_COLOR")
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", style="bold", markup=False),
            TextColumn("{task.fields[what]}", markup=False, table_column=Column(no_wrap=True, ratio=1)),
            TimeElapsedColumn(),
            console=console,
            refresh_per_second=_PER_SECOND,
            transient=True,
            expand=True,
        )
        self._lines: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        if self._is_shown:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_shown:
            self._progress.stop()

    def begin(self, hosts: Iterable[str]) -> None:
        """Start a line for each host."""
        for host in hosts:
            self._lines[host] = self._progress.add_task(printable(host), total=None, what="connecting")

    def at(self, host: str, what: str) -> None:
        self._progress.update(self._lines[host], what=printable(what))

    def done(self, host: str, what: str = "done") -> None:
        self._progress.update(self._lines[host], what=printable(what), total=1, completed=1)
