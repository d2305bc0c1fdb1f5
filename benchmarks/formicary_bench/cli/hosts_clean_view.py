"""What `formicary hosts clean` says when it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from formicary.core.quoting import printable
from formicary_bench.cli.hosts_check_view import size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from formicary_bench.remote.clean import Cleaned


def show(cleaned: Iterable[Cleaned]) -> None:
    """Print for each host what was ended and removed; what went wrong goes to standard error, after all."""
    problems = []
    for each in cleaned:
        if each.problem:
            problems.append(each.problem)
            continue
        for sentence in _sentences(each):
            typer.echo(printable(f"{each.host}: {sentence}"))
    for problem in problems:
        typer.echo(f"{typer.style('problem:', fg='red')} {printable(problem)}", err=True)


def _sentences(cleaned: Cleaned) -> Iterator[str]:
    for command in cleaned.ended:
        yield f"ended {command}"
    if cleaned.freed:
        yield f"removed {cleaned.folder}, {size(cleaned.freed)}"
    else:
        yield f"nothing of ours is in {cleaned.folder}"
    if cleaned.kept:
        yield f"left what is not ours in it: {', '.join(cleaned.kept)}"
