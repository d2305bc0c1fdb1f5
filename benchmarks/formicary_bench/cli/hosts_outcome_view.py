"""What `formicary hosts prepare` and `clean` say when they are done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

import formicary
from formicary.cli.output import say
from formicary_bench.cli.hosts_check_view import size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from formicary_bench.remote.clean import Cleaned
    from formicary_bench.remote.provisioning.prepare import Prepared


def show_prepared(prepared: Iterable[Prepared]) -> None:
    """Print a line for each host; what went wrong goes to standard error, after all others."""
    _show((each.host, each.problem, [_prepared(each)]) for each in prepared)


def show_cleaned(cleaned: Iterable[Cleaned]) -> None:
    """Print for each host what was ended and removed; what went wrong goes to standard error, after all."""
    _show((each.host, each.problem, _cleaned(each)) for each in cleaned)


def _show(outcomes: Iterable[tuple[str, str, Iterable[str]]]) -> None:
    """Print the sentences about each host, or keep its problem for the end."""
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
