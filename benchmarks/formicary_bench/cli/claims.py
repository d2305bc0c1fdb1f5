"""`formicary bench claims`: what the papers conclude, and what a run says of it."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer resolves the annotations
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.options import examples
from formicary.cli.output import say
from formicary_bench.cli.listing import JsonLines  # noqa: TC001 - typer resolves the annotations

if TYPE_CHECKING:
    from formicary_bench.reports.document.claims import CardText

CLAIMS = examples(
    "bench claims",
    "bench claims runs/2026-03-14T15-09-26-quick",
    "bench claims my-run --json",
)


def claims(
    run: Annotated[
        Path | None,
        typer.Argument(
            metavar="[RUN]",
            help="The run's folder.",
            show_default="none: list the claims and how to test them",
        ),
    ] = None,
    *,
    as_json: JsonLines = False,
) -> None:
    """Check the papers' conclusions against a run: reproduced, refuted or inconclusive."""
    from formicary_bench.published.claims import claims as known
    from formicary_bench.reports.document.claims import cards, counted, references
    from formicary_bench.reports.document.sections import Document
    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.verdicts.claims import verdict_on

    found = Document(RunFolder.open(run)).cards if run else cards(verdict_on(known(), []))
    if as_json:
        _write(found)
        return
    for card in found:
        _say(card)
    for reference in references():
        say(reference)
    say()
    say(f"{counted(found)}.")


def _write(found: list[CardText]) -> None:
    import msgspec

    from formicary.core.quoting import printable_json

    for card in found:
        say(printable_json(msgspec.json.encode(card).decode()))


def _say(card: CardText) -> None:
    say(f"{card.outcome.upper()}: {card.says}")
    say(f"  {card.source}{': ' if card.published else ''}{'; '.join(card.published)}")
    for line in card.ours:
        say(f"  {line}")
    for word in (card.remark, f"To decide: {card.takes}" if card.takes else ""):
        if word:
            say(f"  {word}")
    say()
