"""Why one design of delivery is slower than another: what each group of CPU time takes more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.messaging.designs.changes import is_change_of
from formicary_bench.reports import formatting
from formicary_bench.reports.charts.series import label
from formicary_bench.reports.document.citing import cite, told
from formicary_bench.reports.document.factors import listed
from formicary_bench.reports.document.points import ordered, point
from formicary_bench.reports.document.tables import Column, Extra
from formicary_bench.results.summary.cpu import in_order, summed
from formicary_bench.results.summary.cpu import whole as whole_of
from formicary_bench.results.verdicts.factors import doubt_of, factor_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.row import Row

_REMARK = (
    "CPU time of a round trip in all processes together. What a design adds is what it takes more than the "
    "one that it is held against: its own code is communication, the event loop that wakes workers is "
    "runtime, agents that are woken on the way are platform."
)


def designs_cpu_sentences(rows: Sequence[Row]) -> list[str]:
    """Say of each design what it takes more than the one that it is a change of, and of what most."""
    known = [row for row in ordered(rows) if row.cpu]
    return [
        _sentence(row, base, known)
        for row in known
        for base in known
        if row.platform != "formicary" and is_change_of(row, base)
    ]


def designs_cpu_extras(rows: Sequence[Row]) -> list[Extra]:
    """Return the table of designs by group."""
    known = [row for row in ordered(rows) if row.cpu]
    if not known:
        return []
    taken = [_by_group(row) for row in known]
    groups = in_order(group for one in taken for group in one)
    columns = [
        Column("who", tuple(label(row) for row in known), names=True, of=tuple(row.anchor for row in known)),
        Column("at", tuple(point(row, known) for row in known)),
        *(
            Column(group, tuple(formatting.duration(one.get(group, 0.0)) for one in taken))
            for group in groups
        ),
        Column("all", tuple(formatting.duration(sum(one.values())) for one in taken)),
    ]
    return [Extra("What a round trip takes of the CPU, design by design", columns, _REMARK)]


def _by_group(row: Row) -> dict[str, float]:
    return {one.group: one.us.mean for one in summed(row.cpu.groups if row.cpu else ())}


def _sentence(row: Row, base: Row, rows: Sequence[Row]) -> str:
    ours, theirs = _by_group(row), _by_group(base)
    more = {group: ours.get(group, 0.0) - theirs.get(group, 0.0) for group in {**ours, **theirs}}
    whole = sum(more.values())
    group = max(more, key=lambda name: more[name] if whole > 0 else -more[name])
    who = f"{label(row)} at {point(row, rows)}"
    held = factor_of(_values(row), _values(base), label(base), doubt_of(row, base), is_rate=False)
    if held.ratio is None or held.is_same:
        return told(f"{who}, CPU of a round trip: ", listed([held]), ".")
    return told(
        f"{who}: a round trip takes ",
        cite(formatting.duration(abs(whole)), row, base),
        f" of CPU {'more' if whole > 0 else 'less'} than with {label(base)}, ",
        listed([held]),
        f"; most of that is {group} (",
        cite(_signed(more[group]), row, base),
        ").",
    )


def _values(row: Row) -> tuple[float, ...]:
    return whole_of(row.cpu.groups if row.cpu else ()).values


def _signed(us: float) -> str:
    return f"{'-' if us < 0 else '+'}{formatting.duration(abs(us))}"
