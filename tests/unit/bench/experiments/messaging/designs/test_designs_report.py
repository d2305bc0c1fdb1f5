"""`messaging/designs`: what takes part, and what the report says of it."""

import re

import msgspec
import pytest
from tests.unit.bench.synthetic import row

from formicary import Container
from formicary.profiling.model.declarations import with_group
from formicary.profiling.model.profile import Frame
from formicary_bench.experiments.messaging.designs.report import design_extras, design_sentences, held_against
from formicary_bench.reports.charts.series import label_of_other
from formicary_bench.reports.document.report import extras, said
from formicary_bench.results.summary.cpu import RULES, CpuEstimate, CpuEstimates
from formicary_bench.results.summary.each import Each, named
from formicary_bench.results.verdicts.verdicts import with_comparisons
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.runner.planning.values import parse
from formicary_bench.statistics.estimates import Estimate
from formicary_bench.subjects.variants.delivery import outbox
from formicary_bench.vocabulary.designs import BUFFER, CHAIN, DELIVERIES, HAND_OVER, POOL
from formicary_bench.vocabulary.metrics import RATE

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
    assert RULES.group_of_stack([with_group(Frame("_work", outbox.__file__))]) == "communication"


# -- what it says -------------------------------------------------------------------------------------------


def designs(pairs=10, **factors):
    """Return rows of designs that have so many times the rate of the hand-over."""
    return [
        row("design", kind, pairs, each=each(rate * factor for rate in RATES))
        for kind, factor in {HAND_OVER: 1, **factors}.items()
    ]


def each(rates):
    return tuple(Each(values=named({RATE: rate})) for rate in rates)


def in_designs(rows):
    return with_comparisons([msgspec.structs.replace(one, experiment="messaging/designs") for one in rows])


@pytest.mark.parametrize(
    ("factors", "outcome"),
    [
        ({"pool": 0.5, "buffer": 0.6, "chain": 0.3}, "reproduced"),
        ({"pool": 0.5, "buffer": 1.5, "chain": 0.3}, "refuted"),
        ({"pool": 0.5, "buffer": 1.0, "chain": 0.3}, "refuted in part"),
        ({"pool": 1.0, "buffer": 1.0, "chain": 1.0}, "refuted"),
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
    rows = in_designs(rows)
    said = "Whether the papers' findings are reproduced: to say so takes 5 or more repetitions."
    assert design_sentences(rows) == [said]
    assert design_extras(rows) == []


@pytest.mark.parametrize(
    ("factors", "outcomes"),
    [
        ({"pool": 0.6, "buffer": 0.5, "chain": 0.3}, ("reproduced", "reproduced")),
        ({"pool": 0.5, "buffer": 0.6, "chain": 0.8}, ("refuted", "refuted")),
        ({"pool": 0.5, "buffer": 0.5, "chain": 0.5}, ("refuted", "refuted")),
    ],
)
def test_what_the_paper_says_of_pools_and_chains_is_asked_too(factors, outcomes):
    rows = in_designs(designs(**factors))
    bases = {(one.row.kind, one.base.kind) for one in held_against(rows)}
    assert bases == {
        *((kind, HAND_OVER) for kind in (POOL, BUFFER, CHAIN)),
        (POOL, BUFFER),
        (CHAIN, POOL),
    }
    _, pool, chain = design_sentences(rows)
    assert "a pool of workers delivers more than a single one" in pool
    assert "a chain of agents delivers less than a pool of workers" in chain
    for sentence, outcome in zip((pool, chain), outcomes, strict=True):
        assert f"(Alberola 2010, Section 6), is {outcome} in one process with 10 pairs" in sentence
    against = r"Against Buffer with one worker: Outbox with five workers .* \(rate [-+].*%, 95% interval"
    assert re.search(against, pool)


def test_verdicts_are_those_of_json_and_are_shown_once():
    rows = in_designs(designs(pool=0.5, buffer=0.6, chain=0.3))
    (table,) = [one for one in extras("messaging/designs", rows, rows) if not one.minor]
    assert table.title == "Which designs are faster"
    said = [(label_of_other(row, one), str(one.comparison.verdict)) for row in rows for one in row.compared]
    shown = [column.cells for column in table.columns if column.title in {"held against", "verdict"}]
    assert sorted(zip(*shown, strict=True)) == sorted(said)


def test_the_table_has_every_verdict():
    (extra,) = design_extras(in_designs(designs(pool=0.5, copied=0.2)))
    cells = {column.title: column.cells for column in extra.columns}
    assert set(cells["verdict"]) == {"slower"}
    assert set(cells["held against"]) == {"Hand-over by the sender"}


def test_other_loads_and_routes_are_not_held_against_each_other():
    rows = in_designs([*designs(10), *designs(1, pool=0.5)[1:]])
    assert held_against(rows) == []
    assert design_extras(rows) == []


def profiled(kind, **groups):
    by = (0.99, 1.0, 1.01, 1.005, 0.995)
    known = tuple(
        CpuEstimate("both", group, Estimate(us), 0.1, tuple(us * scale for scale in by))
        for group, us in groups.items()
    )
    one = row("design", kind, profiled=True, cpu=CpuEstimates(groups=known, window_s=1.0))
    return msgspec.structs.replace(one, experiment="messaging/designs")


def test_profiled_designs_say_of_what_they_take_more():
    rows = [
        profiled(HAND_OVER, agents=2.0, runtime=1.0, communication=1.0),
        profiled(BUFFER, agents=2.1, runtime=9.0, communication=2.0),
    ]
    first, *_ = said("messaging/designs", rows, rows)
    assert first == (
        "Buffer with one worker at 1 pair: a round trip takes 9.10 µs of CPU more than with Hand-over by the "
        "sender, 3.3× slower than Hand-over by the sender (3.2–3.3); most of that is runtime "
        "(+8.00 µs)."
    )
    few = [msgspec.structs.replace(row, full_load=False) for row in rows]
    first, *_ = said("messaging/designs", few, few)
    assert first.startswith(
        "Buffer with one worker at 1 pair, CPU of a round trip: cannot tell against Hand-over"
    )
    table, *_ = extras("messaging/designs", rows, rows)
    cells = {column.title: column.cells for column in table.columns}
    assert cells["runtime"] == ("1.00 µs", "9.00 µs")
    assert cells["all"] == ("4.00 µs", "13.1 µs")
