"""The tables of `formicary hosts check`, and the sentences below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from formicary.cli.output import say, show_table
from formicary.doctor.finding import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.remote.checks.check import Checked
    from formicary_bench.remote.checks.facts import Facts, Installed, Prosody, Seen, Way

_HOSTS = (
    *("HOST", "#REACHED", "PYTHON", "FORMICARY", "PROSODY", "#CLOCK", "PORTS", "PY-SPY"),
    *("#CORES", "#MEMORY", "#DISK", "#LOAD", "#OTHERS"),
)
_WAYS = ("FROM", "TO", "#ROUND TRIP", "#BANDWIDTH")
_UNKNOWN = "-"
_COLOURS = {State.MISSING: "red", State.LIMITED: "yellow", State.GOOD: "green"}


def show(checked: Checked, digest: str) -> None:
    """Print the tables on standard output, then what is wrong on standard error, the worst first.

    Args:
        checked: what came of the check.
        digest: of the code here.
    """
    show_table(_HOSTS, [_row(seen, digest) for seen in checked.hosts])
    if checked.ways:
        say()
        show_table(_WAYS, [_way(way) for way in checked.ways])
    for state, sentence in sorted(sentences(checked), key=lambda each: each[0] is not State.MISSING):
        mark = typer.style("problem:" if state is State.MISSING else "warning:", fg=_COLOURS[state])
        say(sentence, mark=mark, err=True)


def sentences(checked: Checked) -> Iterator[tuple[State, str]]:
    """Give what is wrong with which host, with the next step."""
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
    """Return a number of bytes for people."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"  # noqa: PLR2004 -- a gigabyte
