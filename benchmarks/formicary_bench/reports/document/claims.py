"""The papers' claims as cards: what they conclude, their figures beside ours, and the verdict."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.registry import EXPERIMENTS, declared, metric_of
from formicary_bench.published.claims import papers
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import PLACES, label
from formicary_bench.reports.document.figures import said as said_size
from formicary_bench.reports.document.figures import writer
from formicary_bench.results.verdicts.claims import Outcome, values_of
from formicary_bench.vocabulary.parameters.shared import ROUNDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.claims import At, Card

_USUAL = 100
"""The usual size of a message in bytes, which captions leave out."""

TITLE = "What the papers conclude"

MOST, FEW = 6, 2
"""How many points of a claim are shown at most; and of an undecided one."""


class CardText(msgspec.Struct, frozen=True):
    """A card as a reader sees it.

    Attributes:
        id: The claim's name, for links.
        outcome: The verdict, in a word or two.
        says: The claim.
        source: The paper, and where in it.
        published: What the paper prints.
        ours: Our measurements, a line for each point.
        takes: What would decide it; empty if it is decided.
        remark: What differs from the paper's experiment; empty where nothing does.
        experiment: The experiment that measured it; empty if none did.
    """

    id: str
    outcome: str
    says: str
    source: str
    published: tuple[str, ...]
    ours: tuple[str, ...]
    takes: str
    remark: str
    experiment: str

    @property
    def is_decided(self) -> bool:
        """Whether the run has something to say about it."""
        return self.outcome in {Outcome.REPRODUCED, Outcome.REFUTED}


def cards(judged: Sequence[Card]) -> list[CardText]:
    """Return the cards of claims, those that are decided first."""
    return sorted(map(_card, judged), key=lambda card: (not card.is_decided, not card.experiment))


def counted(judged: Sequence[CardText]) -> str:
    """Return the number of claims by verdict: `2 reproduced, 1 refuted, 44 inconclusive`."""
    there = {outcome: sum(card.outcome == outcome for card in judged) for outcome in Outcome}
    return ", ".join(f"{many} {outcome}" for outcome, many in there.items() if many)


def claims_said(judged: Sequence[CardText]) -> list[str]:
    """Return what a run decides about the papers' claims, a sentence each."""
    return [
        f"{card.outcome}: {card.says} ({card.source}: {'; '.join([*card.published, *card.ours[:1]])}.)"
        for card in judged
        if card.is_decided
    ]


def references(text: str | None = None) -> list[str]:
    """Return the full references of the papers that a text names; of all without one."""
    return [paper.reference for paper in papers().values() if text is None or paper.name in text]


def _card(card: Card) -> CardText:
    claim, check = card.claim, card.claim.check
    figure = check.figure if check else ""
    most = FEW if card.outcome is Outcome.OPEN else MOST
    shown = [_ours(point, card) for point in _telling(card)[:most]]
    more = len(card.points) - len(shown)
    lines = [
        *([card.counted] if card.counted else []),
        *shown,
        *([f"{more} more points"] if more > 0 else []),
    ]
    return CardText(
        id=f"claim-{claim.id}",
        outcome=card.outcome,
        says=claim.says,
        source=f"{claim.paper}, {claim.where}",
        published=claim.published,
        ours=tuple(lines),
        takes=card.takes,
        remark=check.stands_for if check and figure else "",
        experiment=card.points[0].rows[0].experiment if card.points else "",
    )


def _telling(card: Card) -> list[At]:
    """Return the points of a card, the decisive ones first."""
    return sorted(card.points, key=lambda point: point.outcome is not card.outcome)


def _ours(point: At, card: Card) -> str:
    """Write one point: `two processes: JADE 12.3 µs / MaDKit 9.8 µs: ratio 1.26 (1.21–1.31)`."""
    check = card.claim.check
    assert check is not None
    figures = [check.figure, (check.other and check.other.figure) or check.figure]
    if check.along:
        figures = [check.figure] * 2
    parts = [_one(row, figure, check.along) for row, figure in zip(point.rows, figures, strict=False)]
    where = point_of(point.rows[0], check.along)
    said = f"{where}: {' / '.join(parts)}"
    if point.doubt:
        return f"{said}; {point.doubt}"
    if point.value is None:
        return said
    value, experiment = point.value, point.rows[0].experiment
    if check.other is None and not check.along:  # the figure itself, which has been said
        bounds = (written(one, check.figure, experiment) for one in (value.low, value.high))
        return f"{said} ({formatting.between(*bounds)})"
    mean, low, high = map(formatting.times, (value.mean, value.low, value.high))
    what = "growth beside that of others" if check.other and check.along else "ratio"
    of = " of what is proportional" if check.proportional and not check.other else ""
    return f"{said}: {what} {mean}{of} ({low}–{high})"


def point_of(row: Row, along: str = "") -> str:
    """Return a row's place and sizes, without the parameter that grows."""
    said = [PLACES.get(row.placement, row.placement)]
    known = EXPERIMENTS.get(row.experiment)
    for one in known.own if known else ():
        is_said = one.in_label or one.attribute in {ROUNDS.attribute, along}
        if not is_said and row.size(one.attribute) not in {0, "", _USUAL}:
            said.append(said_size(one, row.size(one.attribute)))
    return ", ".join(said)


def _one(row: Row, figure: str, along: str) -> str:
    """Write a row's name and figure, with the value of the parameter that grows."""
    known, values = row.figures.get(figure), values_of(row, figure)
    value = known.mean if known and not row.profiled else fmean(values) if values else None
    own = declared(row.experiment)
    at = (
        next((f" {said_size(one, row.size(along))}" for one in own.own if one.attribute == along), "")
        if own
        else ""
    )
    return (
        f"{label(row)}{at and ','}{at}{'' if value is None else ' ' + written(value, figure, row.experiment)}"
    )


def written(value: float, figure: str, experiment: str) -> str:
    """Write a value of a figure of an experiment with its unit."""
    if figure.startswith("share of"):
        return f"{value:.1%} {figure.removeprefix('share of ')}"
    return writer(metric_of(experiment, figure))(value)
