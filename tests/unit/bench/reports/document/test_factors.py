"""How many times faster one is than another: a factor above 1 with its interval, or that nobody can tell."""

import pytest
from tests.unit.bench.synthetic import row

from formicary_bench.reports.document.factors import against_baseline, all_of, faster
from formicary_bench.results.summary.each import RATE, TIME, Each
from formicary_bench.results.summary.typical import typical_of


def measured(platform, *rates, held=True, **about):
    each = tuple(Each(per_s=float(rate), median_us=1e6 / rate, full_load=held) for rate in rates)
    kind = "behaviours" if platform == "formicary" else ""
    return row(platform, kind, each=each, round_trips_per_s=sum(rates) / len(rates), **about)


OURS = measured("formicary", 3800, 3900, 3700)
JADE = measured("jade", 100, 101, 99)
TASKS = measured("tasks", 4400, 4300, 4500)


@pytest.mark.parametrize("figure", [RATE, TIME])
def test_a_factor_is_above_one_and_has_its_interval_by_rates_and_by_times(figure):
    assert faster(OURS, JADE, figure).startswith("38 times faster than JADE (36 to 40")
    assert faster(JADE, OURS, figure).startswith("38 times slower than Agents (36 to 40")


def test_where_the_interval_has_one_in_it_nobody_is_said_to_be_faster():
    assert faster(OURS, measured("jade", 2000, 4000, 8000), RATE) == "not told apart from JADE"


def test_all_that_a_row_is_held_against_is_one_list_of_factors():
    said = all_of(OURS, [OURS, JADE, TASKS], RATE)
    assert said.startswith("1.16 times slower than asyncio tasks (1.")
    assert ", 38 times faster than JADE (" in said
    assert against_baseline(OURS, [OURS, TASKS]) == "1.16 times slower than tasks"


def test_a_search_is_held_against_a_message():
    search = measured("formicary", 1000, 1001, 999, experiment="directory/search")
    assert "than a message and its answer (" in faster(search, OURS, RATE)


def test_repetitions_without_full_load_do_not_count_unless_there_are_no_others():
    mixed = row(each=(*OURS.each, Each(per_s=1e9, full_load=False)))
    assert typical_of(mixed, RATE) == typical_of(OURS, RATE)
    assert typical_of(measured("formicary", 5, 6, held=False), RATE).values == (5.0, 6.0)
