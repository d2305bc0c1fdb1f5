"""`messaging/designs`: what takes part, and what the report says of it."""

import msgspec
import pytest
from tests.unit.bench.synthetic import row

from formicary import Container
from formicary.profiling.model.declarations import with_group
from formicary.profiling.model.profile import Frame
from formicary_bench.reports.charts.series import label_of_other
from formicary_bench.reports.document.report import extras
from formicary_bench.results.summary.cpu import RULES
from formicary_bench.results.summary.each import Each, named
from formicary_bench.results.verdicts.verdicts import with_comparisons
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.subjects.variants.delivery import designs as deliveries
from formicary_bench.vocabulary.metrics import RATE
from formicary_bench.vocabulary.values import BUFFER, CHAIN, DELIVERIES, HAND_OVER, POOL

RATES = (100.0, 101.0, 99.0, 100.5, 99.5)


def test_the_platforms_own_containers_have_nothing_of_it():
    assert type(Container("c1").dispatcher.routes) is dict


# -- the experiment -----------------------------------------------------------------------------------------


def test_the_experiment_has_all_designs_in_one_process_and_what_links_do_without_in_two():
    plan = make_plan(parse("messaging/designs"))
    one = {(c.platform, c.kind) for c in plan if c.placement == "same-container"}
    others = {("formicary", "behaviours"), ("style", "tuned"), ("tasks", "")}
    assert one == {("design", kind) for kind in DELIVERIES} | others
    two = {c.platform for c in plan if c.placement == "two-containers"}
    assert {"formicary", "formicary-unbatched"} <= two
    assert not any(c.platform == "design" for c in make_plan(parse("messaging/pairs")))


def test_a_design_can_be_named_in_other_experiments():
    plan = make_plan(parse("messaging/many-to-one", platform="design-pool", placement="same-container"))
    assert {(c.platform, c.kind) for c in plan} == {("design", POOL)}


@pytest.mark.accounts
def test_a_login_for_each_makes_fewer_round_trips():
    plan = make_plan(parse("messaging/designs", platform="formicary-logins", pairs="1,100"))
    assert [c.exchange.rounds for c in plan] == [(500, 2000, 0), (5, 20, 20)]


def test_a_designs_own_code_is_communication():
    assert RULES.group_of_stack([with_group(Frame("_work", deliveries.__file__))]) == "communication"


# -- what it says -------------------------------------------------------------------------------------------


def designs(pairs=10, **factors):
    """Return rows of designs with given multiples of the hand-over's rate."""
    return [
        row("design", kind, pairs, each=each(rate * factor for rate in RATES))
        for kind, factor in {HAND_OVER: 1, **factors}.items()
    ]


def each(rates):
    return tuple(Each(values=named({RATE: rate})) for rate in rates)


def in_designs(rows):
    return with_comparisons([msgspec.structs.replace(one, experiment="messaging/designs") for one in rows])


def test_verdicts_are_those_of_json_and_are_shown_once():
    rows = in_designs(designs(pool=0.5, buffer=0.6, chain=0.3))
    (table,) = [one for one in extras("messaging/designs", rows, rows) if one.title == "Which is faster"]
    held = [(row.kind, one.kind) for row in rows for one in row.compared]
    assert set(held) == {
        *((kind, HAND_OVER) for kind in (POOL, BUFFER, CHAIN)),
        (POOL, BUFFER),
        (CHAIN, POOL),
    }
    said = [(label_of_other(row, one), str(one.comparison.verdict)) for row in rows for one in row.compared]
    cells = {column.title: column.cells for column in table.columns}
    shown = [
        (other, verdict.split(" ")[1])
        for other, verdict in zip(cells["compared with"], cells["verdict"], strict=True)
    ]
    assert sorted(shown) == sorted(said)
    assert "2.0× slower (1.98–2.0)" in cells["verdict"]


def test_other_loads_are_not_held_against_each_other():
    rows = in_designs([*designs(10), *designs(1, pool=0.5)[1:]])
    assert [one for row in rows for one in row.compared] == []
