"""What a run claims, and what becomes of it where it is measured again."""

import pytest
from tests.unit.bench.synthetic import row

from formicary_bench.results.summary.each import Each, named
from formicary_bench.results.verdicts.verdicts import with_comparisons
from formicary_bench.results.verdicts.verifying import Verified, statements
from formicary_bench.vocabulary.metrics import MEAN, RATE, TIME

SCATTER = (0.98, 0.99, 1.0, 1.0, 1.01, 1.02)


def measured(micro, behaviours, scatter=SCATTER):
    rows = [
        row(
            kind=kind,
            each=tuple(
                Each(values=named({MEAN: time * one, TIME: time * one, RATE: 1e6 / (time * one)}))
                for one in scatter
            ),
        )
        for kind, time in (("micro", micro), ("behaviours", behaviours))
    ]
    return with_comparisons(rows)


CLAIMED = measured(1.0, 6.0)


def outcomes(again):
    return {one.says.partition(":")[0]: one.outcome for one in statements(CLAIMED, again)}


def test_a_run_claims_what_it_tells_and_of_which_rows():
    found = statements(CLAIMED)
    who = "formicary micro, messaging/pairs, same-container, 1 pair, 100 bytes: faster than"
    paper = "Micro-agents are many times faster than a platform's full agents."
    assert [one.says for one in found] == [
        f"reproduced: {paper} (Frantz 2010, Section 2.6, Table 1)",
        f"{who} formicary behaviours by median round trip",
        f"{who} formicary behaviours by round trips per second",
    ]
    both = tuple(sorted(one.anchor for one in CLAIMED))
    assert {one.rows for one in found} == {both}
    assert {one.outcome for one in found} == {Verified.OPEN}
    assert [one.says[:8] for one in statements(measured(1.0, 1.001))] == ["refuted:"]
    assert statements(measured(1.0, 6.0, SCATTER[:3])) == []


@pytest.mark.parametrize(
    ("again", "outcome"),
    [
        (measured(2.0, 14.0), Verified.HOLDS),
        (measured(3.0, 1.0), Verified.FAILS),
        (measured(1.0, 6.0, SCATTER[:3]), Verified.OPEN),
        ([], Verified.OPEN),
    ],
)
def test_what_was_measured_again_decides(again, outcome):
    assert set(outcomes(again).values()) == {outcome}
    assert all(one.here for one in statements(CLAIMED, again))


def test_claims_are_decided_one_by_one():
    """Faster still, but not many times: the paper's claim fails, and the comparisons hold."""
    found = [one.outcome for one in statements(CLAIMED, measured(2.0, 6.0))]
    assert found == [Verified.FAILS, Verified.HOLDS, Verified.HOLDS]
