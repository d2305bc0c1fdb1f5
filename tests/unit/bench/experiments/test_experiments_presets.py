"""Presets and run plans: how much is measured of what, and what is said to be left out."""

import re

import pytest
from tests.unit.bench.synthetic import STARTED

from formicary.errors import UsageError
from formicary_bench.experiments.presets import preset_of
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.experiments.selections import SELECTIONS
from formicary_bench.results.store.model import Manifest
from formicary_bench.runner.forecast.forecast import Forecast
from formicary_bench.runner.planning.options import Options, parse
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.runner.planning.run_plan import everything, of_one, of_several, order_of
from formicary_bench.vocabulary.places import N_HOSTS

LOCAL = [one.name for one in EXPERIMENTS.values() if one.placements != (N_HOSTS,)]


@pytest.mark.parametrize("experiment", LOCAL)
def test_quick_is_once_and_less_than_usual(experiment):
    options = parse(experiment, preset="quick")
    assert options.repeat == 1
    usual = {"pairs": 200, "payload_bytes": 10_000, "agents": 1000, "services": 1000, "containers": 3}
    for one in make_plan(options):
        assert all(one.parameters.get(field, 0) <= most for field, most in usual.items())
        assert one.parameters.get("seconds", 0) < 10
    assert len(make_plan(options)) <= len(make_plan(parse(experiment)))


def test_sizes_that_are_given_come_before_those_of_a_preset():
    options = parse("messaging/pairs", preset="quick", pairs="70", repeat="4", rounds="1,2,3")
    assert {(one.exchange.pairs, one.exchange.measured) for one in make_plan(options)} == {(70, 2)}
    assert options.repeat == 4


@pytest.mark.parametrize("preset", [None, "quick", "paper"])
def test_total_times_are_of_as_many_messages(preset):
    plan = make_plan(parse("messaging/lower-bound", preset=preset))
    assert {one.exchange.rounds for one in plan} == {(500, 1000, 500)}
    assert {"same-container", "two-containers"} == {one.placement for one in plan}


def test_every_experiment_of_the_papers_has_their_sizes():
    papers = re.compile("Alberola|Burbeck|Frantz")
    # Agents are created in Alberola's Table 8 without a time; the delay is what that paper does not measure.
    own = {"create", "directory/propagation"}
    of_papers = {one.name for one in EXPERIMENTS.values() if papers.search(one.source)} - own
    assert of_papers <= {one.name for one in EXPERIMENTS.values() if one.paper}


def test_the_papers_sizes():
    pairs = make_plan(parse("messaging/pairs", preset="paper"))
    assert {one.exchange.pairs for one in pairs} == {1, 10, 50, 100, 150, 200}
    assert {one.exchange.rounds for one in pairs} == {(500, 1000, 500)}
    size = make_plan(parse("messaging/size", preset="paper"))
    assert {one.exchange.pairs for one in size} == {50}
    assert {one.exchange.payload_bytes for one in size} == {10**n for n in range(6)}
    many = parse("messaging/many-to-one", preset="paper", hosts=("a", "b"))
    assert {(one.placement, one.exchange.senders) for one in make_plan(many)} == {
        ("two-hosts", senders) for senders in (1, 10, 50, 100, 150, 200)
    }
    cpu = parse("directory/cpu-search", preset="paper")
    assert (cpu.repeat, cpu.sizes["services"]) == (100, (200,))
    memory = parse("memory", preset="paper")
    assert (memory.repeat, memory.sizes["agents"]) == (100, (100,))
    scale = parse("messaging/scale", preset="paper")
    assert {one.exchange.pairs for one in make_plan(scale)} == {*range(1, 11), *range(20, 101, 10)}
    assert {(one.exchange.payload_bytes, one.exchange.measured) for one in make_plan(scale)} == {
        (2048, 10_000)
    }
    assert scale.repeat == 10
    encryption = make_plan(parse("messaging/encryption", preset="paper"))
    sizes = [one.exchange for one in encryption]
    assert {one.payload_bytes for one in sizes if one.pairs > 1} == {2048}
    assert {one.payload_bytes for one in sizes if one.pairs == 1} >= {0, 2048, 100_000}
    assert {one.tls for one in encryption} == {False, True}
    assert parse("messaging/lower-bound", preset="paper").repeat == 100
    search = make_plan(parse("directory/search", preset="paper"))
    assert {one.exchange.measured for one in search if one.family == "directory"} == {100}


@pytest.mark.parametrize(
    ("experiment", "places"),
    [
        ("messaging/pairs", {"same-container", "two-containers", "two-hosts"}),
        ("messaging/location", {"same-container", "two-containers", "two-hosts"}),
        ("messaging/size", {"two-hosts"}),
        ("messaging/lower-bound", {"same-container", "two-hosts"}),
        ("messaging/scale", {"same-container", "two-hosts"}),
        ("messaging/encryption", {"two-hosts"}),
        ("messaging/cpu", {"same-container", "two-hosts"}),
        ("directory/register", {"same-container", "two-hosts"}),
        ("network", {"two-hosts"}),
        ("memory", {"same-container"}),
    ],
)
def test_with_hosts_the_papers_places_are_taken(experiment, places):
    options = parse(experiment, preset="paper", hosts=("a", "b"))
    assert {one.placement for one in make_plan(options) if one.experiment == experiment} == places
    selected = parse("directory/cpu", preset="paper", hosts=("a", "b"))
    assert {one.placement for one in make_plan(selected)} == {"same-container", "two-hosts"}
    links = make_plan(parse("links", preset="paper", hosts=("a", "b")))
    assert {one.placement for one in links if one.experiment == "messaging/size"} == {"two-hosts"}
    named = parse("messaging/pairs", preset="paper", hosts=("a", "b"), placement="two-containers")
    assert {one.placement for one in make_plan(named)} == {"two-containers"}
    quick = parse("messaging/pairs", preset="quick", hosts=("a", "b"))
    assert {one.placement for one in make_plan(quick)} == {"two-hosts"}


def test_one_pair_has_a_thousand_round_trips_and_several_have_ten_thousand():
    plan = make_plan(parse("messaging/encryption", preset="paper"))
    trips = {(one.exchange.payload_bytes == 2048, one.exchange.measured) for one in plan}
    assert trips == {(True, 10_000), (False, 1000)}


@pytest.mark.parametrize("selection", SELECTIONS)
def test_selections_have_both_presets(selection):
    usual = of_one(parse(selection, seed="1"))
    quick = of_one(parse(selection, preset="quick", seed="1"))
    paper = of_one(parse(selection, preset="paper", seed="1"))
    experiments = {one.experiment for one in usual.plan}
    assert {one.experiment for one in quick.plan} == {one.experiment for one in paper.plan} == experiments
    assert set(quick.repeats.values()) == {1}
    assert max(one.exchange.load for one in quick.plan) <= 10
    assert max(one.parameters.get("services", 0) for one in quick.plan) <= 1000
    assert paper.asked["preset"] == "paper"
    for one, many in paper.repeats.items():
        assert many == (preset_of(EXPERIMENTS[one.experiment], "paper").repeat or 3)
    again = of_one(parse(selection, preset="paper", repeat="2", seed="1"))
    assert set(again.repeats.values()) == {2}


def test_a_selection_in_the_papers_sizes():
    links = of_one(parse("links", preset="paper")).plan
    pairs = {one.exchange.pairs for one in links if one.experiment == "messaging/pairs"}
    assert pairs == {1, 10, 50, 100, 150, 200}
    ours = {one.exchange.measured for one in links if one.platform == "formicary"}
    assert ours == {1000}
    assert "formicary-unnumbered" in {one.platform for one in links}


def test_what_is_named_takes_part_in_a_quick_run():
    plan = make_plan(parse("messaging/saturation", preset="quick", platform="tcp"))
    assert [(one.platform, one.placement) for one in plan] == [("tcp", "two-containers")]
    plan = make_plan(parse("messaging/saturation", preset="quick", route="direct"))
    assert {one.route for one in plan} >= {"direct"}
    plan = make_plan(parse("messaging/size", preset="quick", placement="same-container"))
    assert {one.placement for one in plan} == {"same-container"}


def test_an_experiment_of_neither_paper_says_so():
    run_plan = of_one(parse("directory/churn", preset="paper"))
    assert run_plan.notes == (
        "directory/churn is of none of the papers: it takes the sizes that it has by itself",
    )
    assert of_one(parse("messaging/pairs", preset="paper")).notes == ()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"experiment": "create", "preset": "papers"}, "no preset 'papers'; did you mean paper?"),
        ({"experiment": "links", "preset": "few"}, "no preset 'few'"),
    ],
)
def test_presets_that_cannot_be(words, sentence):
    with pytest.raises(UsageError, match=re.escape(sentence)):
        parse(**words)


def test_everything_has_all_experiments_and_says_what_needs_hosts():
    run_plan = everything(None, None, "7")
    assert {one.experiment for one in run_plan.plan} >= set(LOCAL)
    assert [sentence.partition(" (")[0] for sentence in run_plan.left_out] == [
        "left out: messaging/scale-out"
    ]
    assert run_plan.asked == {"experiment": "everything", "preset": "quick", "seed": 7}
    assert set(run_plan.repeats.values()) == {1}
    over = everything(None, "2", "7", hosts=("a", "b"))
    assert "messaging/scale-out" in {one.experiment for one in over.plan}
    assert set(over.repeats.values()) == {2}
    assert over.asked["hosts"] == ["a", "b"]


def test_everything_takes_five_minutes_on_a_quiet_machine():
    run_plan = everything(None, None, "7")
    assert Forecast(run_plan.plan).remaining() < 300


@pytest.mark.parametrize("name", [*LOCAL, *SELECTIONS])
def test_what_is_quick_takes_a_minute_or_a_bit_more_on_a_quiet_machine(name, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # platforms that were installed come on top
    run_plan = of_one(parse(name, preset="quick", seed="7"))
    assert Forecast(run_plan.plan).remaining() < {"tour": 90}.get(name, 60)


def test_a_selection_that_names_no_platforms_has_the_quick_ones():
    plan = make_plan(parse("directory/cpu", preset="quick"))
    assert {(one.kind, one.placement) for one in plan} == {
        ("replica", "same-container"), ("central", "same-container")
    }  # fmt: skip
    named = make_plan(parse("directory/cpu", preset="quick", platform="formicary-lookup"))
    assert {(one.kind, one.placement) for one in named} >= {("lookup", "two-containers")}


@pytest.mark.parametrize("preset", ["quick", "paper"])
def test_what_needs_hosts_has_presets_too(preset):
    plan = make_plan(parse("messaging/scale-out", preset=preset, hosts=("a", "b", "c")))
    assert {one.hosts for one in plan} == {1, 2, 3}
    assert {one.exchange.load for one in plan} == {10 if preset == "quick" else 50}


def test_what_two_parts_have_in_common_is_measured_once_as_often_as_one_wants():
    few = Options("messaging/pairs", sizes={"pairs": (1, 2)}, subjects=("tasks",), repeat=2)
    more = Options("messaging/pairs", sizes={"pairs": (2, 3)}, subjects=("tasks",), repeat=5)
    run_plan = of_several("both", [few, more], {"seed": 3})
    assert {one.exchange.pairs: many for one, many in run_plan.repeats.items()} == {1: 2, 2: 5, 3: 5}
    manifest = Manifest(
        formicary="0.1.0",
        started=STARTED,
        options=run_plan.asked,
        configurations=tuple(run_plan.plan),
        repeats=tuple(run_plan.repeats.values()),
    )
    order = order_of(manifest)
    assert sorted((one.exchange.pairs, number) for one, number, _ in order) == [
        *((1, n) for n in (1, 2)), *((2, n) for n in range(1, 6)), *((3, n) for n in range(1, 6)),
    ]  # fmt: skip
    assert [number for _, number, _ in order] == sorted(number for _, number, _ in order)
    assert order == order_of(manifest)


@pytest.mark.parametrize(
    ("subjects", "experiment", "out"),
    [
        ("formicary,tasks", "directory/search", ["tasks"]),
        ("formicary,tasks", "messaging/pairs", []),
        ("formicary-micro,callbacks", "create", ["callbacks"]),
        ("components,tcp,formicary", "create", ["tcp", "components"]),
    ],
)
def test_platforms_that_cannot_do_an_experiment_are_listed(subjects, experiment, out):
    run_plan = of_one(parse(experiment, platform=subjects))
    assert [one.split()[2] for one in run_plan.left_out] == out
    assert all(sentence.endswith(f"cannot do {experiment} as asked for") for sentence in run_plan.left_out)
