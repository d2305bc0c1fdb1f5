"""What `messaging/designs` found: each design against the one that it is a change of, by verdicts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from formicary_bench.experiments.messaging.designs.changes import is_change_of
from formicary_bench.experiments.messaging.designs.report_cpu import designs_cpu_extras, designs_cpu_sentences
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import PLACES, label
from formicary_bench.reports.document.citing import anchors, cite, joined, told
from formicary_bench.reports.document.findings import Findings
from formicary_bench.reports.document.points import ordered
from formicary_bench.reports.document.report import CPU, ROUND_TRIPS
from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.statistics.changes import short_change
from formicary_bench.statistics.comparisons import FEWEST, Comparison, Verdict
from formicary_bench.vocabulary.designs import BUFFER, CHAIN, HAND_OVER, POOL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row

_CENTRAL = POOL, BUFFER, CHAIN
_REMARK = (
    "By the rates of the repetitions, all comparisons of this table corrected together (Holm). The hand-over "
    "by the sender makes the detour out of the platform's own path that the other designs make: against the "
    "agents, it shows what the construction costs."
)


class Finding(NamedTuple):
    """What a paper has found.

    Attributes:
        sentence: What, and where.
        kinds: The designs that it is about.
        base: The design that they are held against.
        verdict: What comparisons come to where it is so.
    """

    sentence: str
    kinds: tuple[str, ...]
    base: str
    verdict: Verdict


_FINDINGS = (
    Finding(
        "That messages come sooner if the sender itself hands them over than through any central point "
        "(Alberola 2010, Section 5.1)",
        _CENTRAL,
        HAND_OVER,
        Verdict.SLOWER,
    ),
    Finding(
        "That a pool of workers delivers more than a single one (Alberola 2010, Section 6)",
        (POOL,),
        BUFFER,
        Verdict.FASTER,
    ),
    Finding(
        "That a chain of agents delivers less than a pool of workers (Alberola 2010, Section 6)",
        (CHAIN,),
        POOL,
        Verdict.SLOWER,
    ),
)


class Held(NamedTuple):
    """A design held against another one."""

    row: Row
    base: Row
    comparison: Comparison


def design_sentences(rows: Sequence[Row]) -> list[str]:
    """Say whether the paper's findings are reproduced, by the verdicts."""
    held = held_against(rows)
    if held and not _can_be_judged(held):
        return [f"Whether the papers' findings are reproduced: to say so takes {FEWEST} or more repetitions."]
    return [*(said for finding in _FINDINGS for said in _said(finding, held)), *_without(held)]


def design_extras(rows: Sequence[Row]) -> list[Extra]:
    """Return the table of verdicts."""
    held = held_against(rows)
    if not _can_be_judged(held):
        return []
    ratios = [one.comparison.ratio if one.comparison.is_told else None for one in held]
    bounds = [(ratio.mean, (ratio.low, ratio.high)) if ratio else (None, None) for ratio in ratios]
    columns = [
        Column(
            "who",
            tuple(label(one.row) for one in held),
            names=True,
            of=tuple(anchors(one.row, one.base) for one in held),
        ),
        Column("where", tuple(PLACES[one.row.placement] for one in held), names=True, minor=True),
        Column("pairs", tuple(str(one.row.exchange.pairs) for one in held)),
        Column("held against", tuple(label(one.base) for one in held), names=True),
        Column("times its rate", tuple(formatting.times(ratio.mean) if ratio else "" for ratio in ratios)),
        Column("95%", tuple(formatting.spread(*one) for one in bounds)),
        Column("verdict", tuple(str(one.comparison.verdict) for one in held), names=True),
    ]
    return [Extra("Which designs are faster", columns, _REMARK)]


def held_against(rows: Sequence[Row]) -> list[Held]:
    """Return all comparisons of a run's designs, in the order of the tables."""
    return [
        Held(row, base, one.comparison)
        for row in ordered(rows)
        for one in row.compared
        for base in rows
        if (base.platform, base.kind, base.route) == (one.platform, one.kind, one.route)
        and is_change_of(row, base)
    ]


def _can_be_judged(held: Sequence[Held]) -> bool:
    return any(one.comparison.ratio for one in held)


def _said(finding: Finding, held: Sequence[Held]) -> list[str]:
    """Say of each number of pairs what becomes of a finding."""
    by_load: dict[tuple[object, ...], list[Held]] = {}
    for one in held:
        if one.row.kind in finding.kinds and one.base.kind == finding.base:
            by_load.setdefault(one.row.sizes, []).append(one)
    return [
        told(
            f"{finding.sentence}, is {_outcome([one.comparison.verdict for one in of_it], finding.verdict)} "
            f"in one process with {_pairs(of_it[0])}. Against {label(of_it[0].base)}: ",
            joined("; ", map(_change, of_it)),
            ".",
        )
        for of_it in by_load.values()
    ]


def _outcome(verdicts: Sequence[Verdict], expected: Verdict) -> str:
    """Say what becomes of a finding of which these came out."""
    opposite = Verdict.FASTER if expected is Verdict.SLOWER else Verdict.SLOWER
    if opposite in verdicts or set(verdicts) == {Verdict.SAME}:
        return "refuted"
    if set(verdicts) == {expected}:
        return "reproduced"
    return "undecided" if Verdict.UNDECIDED in verdicts else "refuted in part"


def _without(held: Sequence[Held]) -> list[str]:
    """Say what everything else comes to, where most pairs talk."""
    other = [one for one in held if one.row.kind not in _CENTRAL and one.row.platform != "formicary"]
    most = max((one.row.exchange.pairs for one in other), default=0)
    return [
        told(
            f"{label(one.row)}, against {label(one.base)}, with {_pairs(one.row)}: ",
            cite(one.comparison.sentence, one.row, one.base),
            ".",
        )
        for one in other
        if one.row.exchange.pairs == most
    ]


def _change(one: Held) -> str:
    ratio = one.comparison.ratio
    known = ratio if one.comparison.is_told else None
    by = short_change("rate", known) if known else one.comparison.sentence.partition(": ")[2]
    return told(f"{label(one.row)} {one.comparison.verdict} (", cite(by, one.row, one.base), ")")


def _pairs(one: Held | Row) -> str:
    row = one.row if isinstance(one, Held) else one
    return "one pair" if row.exchange.pairs == 1 else f"{row.exchange.pairs} pairs"


def _cpu_sentences(rows: Sequence[Row]) -> list[str]:
    return [*designs_cpu_sentences(rows), *CPU.sentences(Findings(rows))]


def _cpu_extras(rows: Sequence[Row]) -> list[Extra]:
    return [*designs_cpu_extras(rows), *CPU.extras(Findings(rows))]


REPORT = replace(
    ROUND_TRIPS,
    sentences=design_sentences,
    extras=design_extras,
    own_verdicts=True,
    profiled=replace(CPU, sentences=_cpu_sentences, extras=_cpu_extras),
)
