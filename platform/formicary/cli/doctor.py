"""`formicary doctor`: what this machine can do for Formicary, and what is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from formicary.cli.options import Json, examples
from formicary.cli.output import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formicary.doctor.finding import Finding

EPILOG = examples("doctor", "doctor --json")

_COLOURS = {"good": "green", "limited": "yellow", "missing": "red"}


def doctor(*, as_json: Json = False) -> None:
    """Check this machine and suggest fixes.

    Tries things out, such as whether py-spy may inspect a process, how fine the
    clocks are and whether programs may listen on a port, and changes nothing.

    The exit code is 0 if everything required is there, and 1 otherwise.
    """
    from formicary.cli.output import show_json
    from formicary.doctor.finding import State

    findings = list(_look())
    is_fit = all(finding.state is not State.MISSING for finding in findings)
    if as_json:
        show_json({"is_fit": is_fit, "findings": findings})
    else:
        for finding in findings:
            _show(finding)
    if not is_fit:
        raise typer.Exit(1)


def _look() -> Iterator[Finding]:
    from formicary.doctor import machine, programs
    from formicary.doctor.finding import missing

    looks: tuple[Callable[[], Finding | list[Finding]], ...] = (
        machine.system,
        programs.python,
        programs.libraries,
        programs.uvloop,
        machine.folder,
        machine.ports,
        programs.prosody,
        programs.extras,
        programs.tracing,
        machine.processes,
        machine.clocks,
        machine.noise,
    )
    for look in looks:
        try:
            found = look()
        except ModuleNotFoundError as error:
            name = (error.name or "").partition(".")[0]
            why = f"not checked, because {name} is not installed"
            found = missing(look.__name__, why, f"pip install {name}")
        yield from found if isinstance(found, list) else [found]


def _show(finding: Finding) -> None:
    state = typer.style(f"{finding.state:8}", fg=_COLOURS[finding.state])
    step = f"; next: {finding.next_step}" if finding.next_step else ""
    say(f"{finding.name}: {finding.what}{step}", mark=state)
