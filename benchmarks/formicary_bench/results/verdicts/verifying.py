"""A run's claims, and which of them another run of the same configurations confirms.

A run claims its verdicts on the papers' claims (reproduced, or refuted), and which platforms are faster.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.experiments.registry import declared, metric_of
from formicary_bench.published.claims import claims
from formicary_bench.results.verdicts.claims import Card, Outcome, judge
from formicary_bench.results.verdicts.verdicts import others_of
from formicary_bench.statistics.comparisons import Verdict
from formicary_bench.vocabulary.parameters.parameter import declared_by
from formicary_bench.vocabulary.parameters.shared import ROUNDS, Talk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row
    from formicary_bench.results.verdicts.verdicts import Compared

_TOLD = (Verdict.FASTER, Verdict.SLOWER)
_DIRECTED = (Outcome.REPRODUCED, Outcome.REFUTED)


class Verified(StrEnum):
    """The outcome of verifying a claim."""

    HOLDS = "holds"
    FAILS = "does not hold"
    OPEN = "inconclusive"


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """A claim of a run.

    Attributes:
        says: The claim, with the run's verdict.
        rows: The anchors of its rows.
        outcome: The outcome of measuring it again.
        here: The other run's verdict, if any.
    """

    says: str
    rows: tuple[str, ...]
    outcome: Verified = Verified.OPEN
    here: str = ""


def statements(rows: Sequence[Row], again: Sequence[Row] = ()) -> list[Statement]:
    """Return a run's claims, and whether another run confirms them.

    Args:
        rows: The run's.
        again: Those of the run that measured it again, if any.
    """
    return [*_of_papers(rows, again), *_of_platforms(rows, again)]


def _of_papers(rows: Sequence[Row], again: Sequence[Row]) -> list[Statement]:
    found = []
    for claim in claims():
        card = judge(claim, rows)
        if card.outcome not in _DIRECTED:
            continue
        there = {row.anchor for point in card.points for row in point.rows}
        other = judge(claim, [row for row in again if row.anchor in there])
        found.append(
            Statement(
                says=f"{card.outcome}: {claim.says} ({claim.paper}, {claim.where})",
                rows=tuple(sorted(there)),
                outcome=_became(card.outcome, other.outcome, _DIRECTED),
                here=_here(other),
            )
        )
    return found


def _here(card: Card) -> str:
    if not card.points:
        return "not measured"
    doubts = dict.fromkeys(point.doubt for point in card.points if point.doubt)
    return "; ".join(filter(None, (str(card.outcome), card.counted, *doubts)))


def _of_platforms(rows: Sequence[Row], again: Sequence[Row]) -> list[Statement]:
    other = {row.anchor: row for row in again}
    found = []
    for row in rows:
        for one in row.compared:
            others = others_of(row, one, rows)
            if one.comparison.verdict not in _TOLD or not others:
                continue
            known = _same(one, other.get(row.anchor))
            verdict = known.comparison.verdict if known else Verdict.UNDECIDED
            found.append(
                Statement(
                    says=f"{_name(row)}, {row.experiment}, {row.placement}, {_size(row)}: "
                    f"{one.comparison.verdict} than {f'{one.platform} {one.kind}'.strip()} by "
                    f"{metric_of(row.experiment, one.figure).title}",
                    rows=tuple(sorted((row.anchor, others[0].anchor))),
                    outcome=_became(one.comparison.verdict, verdict, _TOLD),
                    here=known.comparison.sentence if known else "not measured",
                )
            )
    return found


def _became(before: StrEnum, now: StrEnum, told: Sequence[StrEnum]) -> Verified:
    if now not in told and now is not Verdict.SAME:
        return Verified.OPEN
    return Verified.HOLDS if now is before else Verified.FAILS


def _same(compared: Compared, row: Row | None) -> Compared | None:
    wanted = compared.platform, compared.kind, compared.route, compared.figure
    known = row.compared if row else ()
    return next((one for one in known if (one.platform, one.kind, one.route, one.figure) == wanted), None)


def _name(row: Row) -> str:
    by = f" by {row.route}" if row.route not in {"in-process", "none"} else ""
    return f"{row.platform} {row.kind}".strip() + by


def _size(row: Row) -> str:
    known = declared(row.experiment)
    own = known.own if known else declared_by(Talk)
    there = [one for one in own if one.attribute != ROUNDS.attribute and row.size(one.attribute)]
    return ", ".join(one.said(row.size(one.attribute)) for one in there)
