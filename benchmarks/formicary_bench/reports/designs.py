"""What `messaging/designs` found: each design against the one that it is a change of, by verdicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from formicary_bench.platforms.catalogue import BUFFER, CHAIN, HAND_OVER, POOL
from formicary_bench.reports import figures
from formicary_bench.reports.points import ordered
from formicary_bench.reports.series import PLACES, label
from formicary_bench.reports.tables import Column, Extra
from formicary_bench.results.changes import is_change_of
from formicary_bench.statistics.comparisons import Comparison, Verdict, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.row import Row

_CENTRAL = POOL, BUFFER, CHAIN
_FINDING = (
    "That messages come sooner if the sender itself hands them over than through any central point "
    "(Alberola 2010, Section 5.1)"
)
_REMARK = (
    "By the rates of the repetitions, all comparisons of this table corrected together (Holm). The hand-over "
    "by the sender makes the detour out of the platform's own path that the other designs make: against the "
    "agents, it shows what the construction costs."
)


class Held(NamedTuple):
    """A design held against another one."""

    row: Row
    base: Row
    comparison: Comparison


def design_sentences(rows: Sequence[Row]) -> list[str]:
    """Say whether the paper's findings are reproduced, by the verdicts."""
    held = held_against(rows)
    return [*_hand_over(held), *_workers(held), *_without(held)]


def design_extras(rows: Sequence[Row]) -> list[Extra]:
    """Give the table of verdicts."""
    held = held_against(rows)
    if not held:
        return []
    ratios = [one.comparison.ratio for one in held]
    bounds = [(ratio.mean, (ratio.low, ratio.high)) if ratio else (None, None) for ratio in ratios]
    columns = [
        Column("who", tuple(label(one.row) for one in held), names=True),
        Column("where", tuple(PLACES[one.row.placement] for one in held), names=True, minor=True),
        Column("pairs", tuple(str(one.row.pairs) for one in held)),
        Column("held against", tuple(label(one.base) for one in held), names=True),
        Column("times its rate", tuple(figures.times(ratio.mean) if ratio else "" for ratio in ratios)),
        Column("95%", tuple(figures.spread(*one) for one in bounds)),
        Column("verdict", tuple(str(one.comparison.verdict) for one in held), names=True),
    ]
    return [Extra("Which designs are faster", columns, _REMARK)]


def held_against(rows: Sequence[Row]) -> list[Held]:
    """Give all comparisons of a run's designs, in the order of the tables."""
    return [
        Held(row, base, one.comparison)
        for row in ordered(rows)
        for one in row.compared
        for base in rows
        if (base.platform, base.kind, base.route) == (one.platform, one.kind, one.route)
        and is_change_of(row, base)
    ]


def _hand_over(held: Sequence[Held]) -> list[str]:
    """Say of each number of pairs whether central points lose."""
    central = [one for one in held if one.row.kind in _CENTRAL and one.base.kind == HAND_OVER]
    by_load: dict[tuple[int, int], list[Held]] = {}
    for one in central:
        by_load.setdefault((one.row.payload_bytes, one.row.pairs), []).append(one)
    return [
        f"{_FINDING}, is {_outcome([one.comparison.verdict for one in of_it])} in one process with "
        f"{_pairs(of_it[0])}: {'; '.join(map(_change, of_it))}."
        for of_it in by_load.values()
    ]


def _outcome(verdicts: Sequence[Verdict]) -> str:
    """Say what becomes of a finding that all of these are slower."""
    if Verdict.FASTER in verdicts:
        return "refuted"
    if all(verdict is Verdict.SLOWER for verdict in verdicts):
        return "reproduced"
    return "undecided" if Verdict.UNDECIDED in verdicts else "refuted in part"


def _workers(held: Sequence[Held]) -> list[str]:
    return [
        f"Five workers against one, with {_pairs(one.row)}: {one.comparison.sentence}."
        for one in held
        if one.row.kind == POOL and one.base.kind == BUFFER
    ]


def _without(held: Sequence[Held]) -> list[str]:
    """Say what everything else comes to, where most pairs talk."""
    other = [one for one in held if one.row.kind not in _CENTRAL and one.row.platform != "formicary"]
    most = max((one.row.pairs for one in other), default=0)
    return [
        f"{label(one.row)}, against {label(one.base)}, with {_pairs(one.row)}: {one.comparison.sentence}."
        for one in other
        if one.row.pairs == most
    ]


def _change(one: Held) -> str:
    ratio = one.comparison.ratio
    by = f" ({percent(ratio.mean)})" if ratio else f" ({one.comparison.sentence.partition(': ')[2]})"
    return f"{label(one.row)} {one.comparison.verdict}{by}"


def _pairs(one: Held | Row) -> str:
    row = one.row if isinstance(one, Held) else one
    return "one pair" if row.pairs == 1 else f"{row.pairs} pairs"
