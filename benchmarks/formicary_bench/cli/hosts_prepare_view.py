"""What `formicary hosts prepare` says when it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

import formicary
from formicary.core.quoting import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from formicary_bench.remote.provisioning.prepare import Prepared


def show(prepared: Iterable[Prepared]) -> None:
    """Print a line for each host; what went wrong goes to standard error, after all others."""
    problems = []
    for each in prepared:
        if each.problem:
            problems.append(each.problem)
        elif each.outcome == "ready":
            typer.echo(f"{each.host}: formicary {formicary.__version__} is there, nothing to do")
        else:
            sent = f"{each.sent_bytes / 1e6:.1f} MB sent"
            typer.echo(
                f"{each.host}: formicary {formicary.__version__} installed, {sent}, {each.seconds:.1f} s"
            )
    for problem in dict.fromkeys(problems):  # what is wrong here is wrong for all of them
        typer.echo(f"{typer.style('problem:', fg='red')} {printable(problem)}", err=True)
