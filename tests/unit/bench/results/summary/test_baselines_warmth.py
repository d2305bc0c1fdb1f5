"""Whether another platform was warm: what rows say of it, from what was counted."""

from types import SimpleNamespace

import pytest
from tests.unit.bench.synthetic import row

from formicary_bench.reports.document.stability import cold_extras, warmth_column
from formicary_bench.results.summary.baselines import Warmth, warmth_of
from formicary_bench.runner.observers.validity import why_restless
from formicary_bench.vocabulary import values

SETTLED = {values.SETTLED: 1.0, values.WARM_UP_SECONDS: 4.0, values.COLD_RATE: 100.0, values.CPU_US: 9.0}


def repetitions(*changes):
    return [SimpleNamespace(counters=SETTLED | changed) for changed in changes]


def test_a_row_is_warm_if_all_of_its_repetitions_were():
    known = warmth_of(repetitions({}, {values.COLD_RATE: 300.0}))
    assert (known.word, known.cold_per_s, known.cpu_us, known.cold_cpu_us) == ("warm", 200.0, 9.0, None)
    assert warmth_of(repetitions({}, {values.SETTLED: 0.0})).word == "not settled"


def test_one_round_in_a_process_is_cold():
    assert warmth_of([SimpleNamespace(counters={values.SETTLED: 0.0})]).word == "cold"


def test_of_our_own_agents_it_is_no_question():
    assert warmth_of([SimpleNamespace(counters={})]) is None
    assert warmth_column([row()]) == []
    assert cold_extras([row()]) == []


@pytest.mark.parametrize(
    ("counters", "said"),
    [
        ({}, []),
        (SETTLED, []),
        (SETTLED | {values.SETTLED: 0.0}, ["it had not settled when it was measured"]),
        ({values.SETTLED: 0.0}, ["it was measured cold"]),
    ],
)
def test_what_was_not_warm_is_said_in_a_sentence(counters, said):
    found = why_restless(counters)
    assert len(found) == len(said)
    assert all(sentence.startswith(start) for sentence, start in zip(found, said, strict=True))


def test_tables_mark_what_was_not_warm_and_have_cold_figures_beside():
    warm = Warmth(settled=True, warm_up_s=4.0, cold_per_s=100.0, cold_mean_us=90.0, cold_cpu_us=80.0)
    lines = [row(), row("jason", "", warmth=warm), row("old", "", warmth=Warmth(settled=False, warm_up_s=0))]
    (column,) = warmth_column(lines)
    assert (column.cells, column.minor) == (("", "warm", "cold"), False)
    assert warmth_column(lines[:2])[0].minor
    (extra,) = cold_extras(lines)
    cells = {column.title: column.cells for column in extra.columns}
    assert cells["who"] == ("Jason",)
    assert cells["cold trips/s"] == ("100",)
    assert cells["warmed up for"] == ("4.0 s",)
