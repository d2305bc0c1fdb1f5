"""`messaging/designs`: what takes part, and what the report says of it."""

import msgspec
import pytest
from tests.unit.bench.synthetic import row

from formicary import Container
from formicary.profiling.model import Frame
from formicary_bench.designs import outbox
from formicary_bench.engine.plan import make_plan
from formicary_bench.engine.words import parse
from formicary_bench.platforms.catalogue import BUFFER, DELIVERIES, HAND_OVER, POOL
from formicary_bench.reports.designs import design_extras, design_sentences, held_against
from formicary_bench.results.cpu import RULES
from formicary_bench.results.each import Each
from formicary_bench.results.verdicts import with_comparisons

RATES = (100.0, 101.0, 99.0, 100.5, 99.5)


def test_the_platforms_own_containers_have_nothing_of_it():
    assert type(Container("c1").neighbours) is dict


# -- the experiment -----------------------------------------------------------------------------------------


def test_the_experiment_has_all_designs_in_one_process_and_what_links_do_without_in_two():
    plan = make_plan(parse("messaging/designs"))
    one = {(c.platform, c.kind) for c in plan if c.placement == "same-container"}
    assert one == {("design", kind) for kind in DELIVERIES} | {("formicary", "behaviours"), ("tasks", "")}
    two = {c.platform for c in plan if c.placement == "two-containers"}
    assert {"formicary", "formicary-unbatched"} <= two
    assert not any(c.platform == "design" for c in make_plan(parse("messaging/pairs")))


def test_a_design_can_be_named_in_other_experiments():
    plan = make_plan(parse("messaging/many-to-one", platform="design-pool", placement="same-container"))
    assert {(c.platform, c.kind) for c in plan} == {("design", POOL)}


@pytest.mark.accounts
def test_a_login_for_each_makes_fewer_round_trips():
    plan = make_plan(parse("messaging/designs", platform="formicary-logins", pairs="1,100"))
    assert [(c.warm_up, c.measured, c.cool_down) for c in plan] == [(500, 2000, 0), (5, 20, 20)]


def test_a_designs_own_code_is_communication():
    assert RULES.group_of_stack([Frame("_work", outbox.__file__)]) == "communication"


# -- what it says -------------------------------------------------------------------------------------------


def designs(pairs=10, **factors):
    """Return rows of designs that have so many times the rate of the hand-over."""
    return [
        row("design", kind, pairs, each=each(rate * factor for rate in RATES))
        for kind, factor in {HAND_OVER: 1, **factors}.items()
    ]


def each(rates):
    return tuple(Each(per_s=rate) for rate in rates)


def in_designs(rows):
    return with_comparisons([msgspec.structs.replace(one, experiment="messaging/designs") for one in rows])


@pytest.mark.parametrize(
    ("factors", "outcome"),
    [
        ({"pool": 0.5, "buffer": 0.6, "chain": 0.3}, "reproduced"),
        ({"pool": 0.5, "buffer": 1.5, "chain": 0.3}, "refuted"),
        ({"pool": 0.5, "buffer": 1.0, "chain": 0.3}, "refuted in part"),
    ],
)
def test_the_papers_finding_is_reproduced_or_refuted_by_verdicts(factors, outcome):
    first, *_ = design_sentences(in_designs(designs(**factors)))
    assert f"is {outcome}" in first
    assert "with 10 pairs" in first


def test_with_few_repetitions_nothing_is_decided():
    rows = [
        row("design", kind, 1, each=each((rate, rate * 1.01)))
        for kind, rate in ((HAND_OVER, 100.0), (POOL, 50.0))
    ]
    first, *_ = design_sentences(in_designs(rows))
    assert "is undecided" in first
    assert "repeat each at least 5 times" in first


def test_workers_of_a_pool_are_held_against_one_as_well():
    rows = in_designs(designs(pool=0.6, buffer=0.5))
    bases = [(one.row.kind, one.base.kind) for one in held_against(rows)]
    assert sorted(bases) == [(BUFFER, HAND_OVER), (POOL, BUFFER), (POOL, HAND_OVER)]
    assert any(
        said.startswith("Five workers against one, with 10 pairs: faster") for said in design_sentences(rows)
    )


def test_the_table_has_every_verdict():
    (extra,) = design_extras(in_designs(designs(pool=0.5, copied=0.2)))
    cells = {column.title: column.cells for column in extra.columns}
    assert set(cells["verdict"]) == {"slower"}
    assert set(cells["held against"]) == {"Hand-over by the sender"}


def test_other_loads_and_routes_are_not_held_against_each_other():
    rows = in_designs([*designs(10), *designs(1, pool=0.5)[1:]])
    assert held_against(rows) == []
    assert design_extras(rows) == []
