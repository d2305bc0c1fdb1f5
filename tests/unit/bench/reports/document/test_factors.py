"""How many times faster one is than another: a factor above 1 with its interval, or that nobody can tell."""

import pytest
from msgspec.structs import replace
from tests.unit.bench.synthetic import row

from formicary_bench.reports.document.factors import against_baseline, all_of, faster
from formicary_bench.results.summary.baselines import typical_of
from formicary_bench.results.summary.each import Each, named
from formicary_bench.vocabulary.metrics import RATE, TIME


def measured(platform, *rates, held=True, **about):
    each = tuple(Each(values=named({RATE: float(rate), TIME: 1e6 / rate}), full_load=held) for rate in rates)
    kind = "behaviours" if platform == "formicary" else ""
    return row(platform, kind, each=each, round_trips_per_s=sum(rates) / len(rates), **about)


OURS = measured("formicary", 3800, 3900, 3700, 3850, 3750)
JADE = measured("jade", 100, 101, 99, 100.5, 99.5)
TASKS = measured("tasks", 4400, 4300, 4500, 4450, 4350)


@pytest.mark.parametrize("metric", [RATE, TIME])
def test_a_factor_is_above_one_and_has_its_interval_by_rates_and_by_times(metric):
    assert faster(OURS, JADE, metric).startswith("38× faster than JADE (37–39)")
    assert faster(JADE, OURS, metric).startswith("38× slower than Agents (37–39)")


def test_where_the_interval_has_one_in_it_nobody_is_said_to_be_faster():
    other = measured("jade", 2000, 4000, 8000, 3000, 5000)
    assert faster(OURS, other, RATE) == ""


def test_what_differs_by_next_to_nothing_is_said_to():
    other = measured("jade", 3801, 3899, 3702, 3851, 3751)
    assert faster(OURS, other, RATE) == "no difference from JADE (within 5%)"


def test_no_list_has_those_about_which_nobody_can_tell():
    few = measured("jade", 100, 101, 99)
    assert all_of(OURS, [few, TASKS], RATE) == faster(OURS, TASKS, RATE) != ""
    assert all_of(replace(OURS, each=OURS.each[:4]), [few, TASKS], RATE) == ""


def test_all_that_a_row_is_held_against_is_one_list_of_factors():
    said = all_of(OURS, [OURS, JADE, TASKS], RATE)
    assert said.startswith("1.16× slower than asyncio tasks (1.")
    assert ", 38× faster than JADE (" in said
    assert against_baseline(OURS, [OURS, TASKS]) == "1.16× slower than asyncio tasks (1.13–1.19)"


def test_a_search_is_held_against_a_message():
    search = measured("formicary", 1000, 1001, 999, 1000, 1000, experiment="directory/search")
    assert "than a message and its answer (" in faster(search, OURS, RATE)


def test_repetitions_without_full_load_do_not_count_unless_there_are_no_others():
    mixed = row(each=(*OURS.each, Each(values=named({RATE: 1e9}), full_load=False)))
    assert typical_of(mixed, RATE).values == typical_of(OURS, RATE).values
    assert typical_of(measured("formicary", 5, 6, held=False), RATE).values == (5.0, 6.0)
