"""What is said of `observe/watch`: whether a viewer costs no more than it may."""

from __future__ import annotations

import pytest
from tests.unit.bench.synthetic import row

from formicary_bench.experiments.observe import CHANGED_RATE, CPU
from formicary_bench.experiments.observe.limits import kept
from formicary_bench.experiments.observe.report import columns, sentences
from formicary_bench.results.summary.each import Each, named
from formicary_bench.vocabulary.watching import ALONE, FOLLOWED, LEFT, VIEWED


def watched(kind, cpu, rate=None, **about):
    rate = rate or [1 / each for each in cpu]
    each = tuple(
        Each(values=named({CPU: one, CHANGED_RATE: other})) for one, other in zip(cpu, rate, strict=True)
    )
    return row("watched", kind, 100, experiment="observe/watch", each=each, **about)


def verdicts(*arguments, **about):
    row = watched(*arguments, **about)
    return [one.verdict for one in kept(row, [row]).values()]


@pytest.mark.parametrize(
    ("kind", "cpu", "verdict"),
    [
        (VIEWED, [1.04, 1.05, 1.06, 1.05, 1.05], "met"),
        (VIEWED, [1.10, 1.105, 1.10, 1.105, 1.10], "met"),  # 1.11 times the time is 90% of the rate
        (FOLLOWED, [1.20, 1.21, 1.22, 1.20, 1.21], "not met"),
        (VIEWED, [1.00, 1.20, 1.10, 1.25, 0.95], "undecided"),
        (LEFT, [1.00, 1.01, 0.99, 1.00, 1.00], "met"),
        (LEFT, [1.04, 1.05, 1.06, 1.05, 1.05], "not met"),
        (LEFT, [1.00, 1.05, 0.95, 1.02, 1.00], "undecided"),
        (VIEWED, [1.05] * 4, "undecided"),
    ],
)
def test_a_limit_is_kept_or_not_or_nobody_can_tell(kind, cpu, verdict):
    assert verdicts(kind, cpu) == [verdict, verdict]


def test_after_a_viewer_is_held_against_as_late_without_one():
    left, alone = watched(LEFT, [1.05, 1.06] * 3), watched(ALONE, [1.06, 1.05] * 3)
    assert [one.verdict for one in kept(left, [left]).values()] == ["not met"] * 2
    assert [one.verdict for one in kept(left, [left, alone]).values()] == ["met"] * 2
    few = watched(ALONE, [1.06] * 4)
    assert [one.why for one in kept(left, [left, few]).values()] == [
        "6 repetitions against 4 are too few; repeat each at least 5 times"
    ] * 2


def test_cpu_time_may_tell_where_the_rate_does_not():
    assert verdicts(VIEWED, [1.05, 1.06] * 3, [0.7, 1.1, 0.9, 1.2, 0.8, 0.6]) == ["met", "undecided"]


def test_nothing_is_told_of_what_was_disturbed():
    assert verdicts(VIEWED, [1.05, 1.06] * 3, invalid=("somebody else",)) == ["undecided", "undecided"]


def test_the_report_says_what_was_found_and_what_may_be():
    rows = [
        watched(VIEWED, [1.05, 1.06] * 3, [0.7, 1.1, 0.9, 1.2, 0.8, 0.6]),
        watched(LEFT, [1.05, 1.06] * 3),
        watched(ALONE, [1.00, 1.01] * 3),
    ]
    viewed, left = map(str, sentences(rows))
    assert viewed.startswith(
        "With a viewer, 100 pairs: at most 10% of the rate may be lost. By CPU time that is met: the CPU "
        "time of a round trip changed by +5.5% (95% interval +4.9% to +6.1%). By the rate it is undecided: "
        "the rate changed by -"
    )
    assert viewed.endswith(". 6 repetitions.")
    assert left.startswith(
        "After a viewer has gone, 100 pairs: at most 2% of the rate may be lost. "
        "By CPU time that is not met: "
    )
    table = {column.title: column.cells for column in columns(rows)}
    assert table["CPU time"] == ("+5.5%", "+5.5%", "+0.5%")
    assert table["by the CPU time"] == ("met", "not met", "")


def test_the_report_says_what_it_takes():
    assert sentences([watched(VIEWED, [1.05] * 4)]) == [
        "What a viewer costs: to say so takes 5 or more repetitions."
    ]
    assert sentences([watched(VIEWED, [])]) == [
        "What a viewer costs: all was over before it had come and gone; make more round trips (--rounds)."
    ]
