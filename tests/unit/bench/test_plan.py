import shlex
from collections import Counter

import pytest

from formicary.errors import UsageError
from formicary_bench.engine.options import Options, parse
from formicary_bench.engine.plan import command, make_plan, needs_server, schedule
from formicary_bench.experiments import quick
from formicary_bench.experiments.catalogue import EXPERIMENTS
from formicary_bench.experiments.create import batches
from formicary_bench.platforms import catalogue
from formicary_bench.platforms.catalogue import APART, SAME
from formicary_bench.results.baselines import BASELINES, baseline_of
from formicary_bench.results.summary import Row


@pytest.fixture(autouse=True)
def _without_spade(monkeypatch):
    monkeypatch.setattr(catalogue, "find_spec", lambda _: None)


@pytest.fixture
def with_spade(monkeypatch):
    monkeypatch.setattr(catalogue, "find_spec", lambda _: "there")


def as_row(configuration):
    figures = {"agents_per_s": 1.0} if configuration.agents else {"round_trips_per_s": 1.0}
    same = ("experiment", "platform", "kind", "placement", "route", "pairs", "payload_bytes", "agents")
    about = {name: getattr(configuration, name) for name in same}
    return Row(**about, senders=configuration.load, repetitions=1, **figures)


def test_pairs_are_what_the_paper_and_the_options_say():
    plan = make_plan(Options("messaging/pairs", pairs=(1, 10), placements=(SAME,)))
    assert [(c.platform, c.kind, c.pairs) for c in plan] == [
        ("formicary", "behaviours", 1), ("formicary", "micro", 1), ("tasks", "", 1), ("callbacks", "", 1),
        ("formicary", "behaviours", 10), ("formicary", "micro", 10), ("tasks", "", 10), ("callbacks", "", 10),
    ]  # fmt: skip
    assert {(c.warm_up, c.measured, c.cool_down) for c in plan} == {(500, 1000, 500)}
    assert {(c.route, c.payload_bytes, c.senders) for c in plan} == {("in-process", 100, 0)}
    assert {c.pairs for c in make_plan(Options("messaging/pairs"))} == {1, 10, 50, 100, 150, 200}


def test_two_containers_go_through_prosody_and_tcp():
    plan = make_plan(Options("messaging/many-to-one", pairs=(7,), placements=(APART,)))
    assert [(c.platform, c.kind, c.route) for c in plan] == [
        ("formicary", "behaviours", "prosody"), ("tcp", "", "tcp"),
    ]  # fmt: skip
    assert {(c.pairs, c.senders, c.load) for c in plan} == {(7, 7, 7)}


def test_spade_takes_part_where_it_is_installed(with_spade):
    plan = make_plan(Options("messaging/pairs", pairs=(1,)))
    assert [(c.placement, c.route) for c in plan if c.platform == "spade"] == [(APART, "prosody")]


@pytest.mark.parametrize("experiment", [*(one.name for one in EXPERIMENTS), "quick"])
def test_everything_of_ours_has_its_floor_in_the_same_run(experiment):
    rows = [as_row(configuration) for configuration in make_plan(Options(experiment))]
    ours = [row for row in rows if row.platform not in BASELINES]
    assert ours
    assert all(baseline_of(row, rows) for row in ours)


@pytest.mark.parametrize("experiment", [*(one.name for one in EXPERIMENTS), "quick"])
def test_no_configuration_comes_twice(experiment, with_spade):
    keys = [configuration.key for configuration in make_plan(Options(experiment))]
    assert len(set(keys)) == len(keys)


def test_quick_has_some_of_all_and_follows_options():
    plan = make_plan(Options())
    assert {c.experiment for c in plan} == {one.name for one in EXPERIMENTS}
    assert {c.pairs for c in plan if c.experiment == "messaging/pairs"} == {1, 10, 100}
    fewer = make_plan(Options(pairs=(3,), placements=(SAME,), subjects=("tasks",), rounds=(1, 2, 3)))
    assert {(c.platform, c.placement) for c in fewer} == {("tasks", SAME)}
    assert {(c.pairs, c.warm_up, c.measured, c.cool_down) for c in fewer if not c.agents} == {(3, 1, 2, 3)}


def test_quick_measures_few_pairs_longer():
    subject = catalogue.SUBJECTS[0]
    trips = [quick.rounds(subject, SAME, load, 100)[1] for load in (1, 10, 100, 1000)]
    assert trips == sorted(trips, reverse=True)
    assert trips[0] > trips[-1]


def test_only_prosody_needs_the_server():
    assert needs_server(make_plan(Options("messaging/pairs", pairs=(1,))))
    assert not needs_server(make_plan(Options("messaging/pairs", pairs=(1,), subjects=("tcp", "tasks"))))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            Options("create", placements=(APART,)),
            "create has no placement two-containers; it has same-container",
        ),
        (Options("create", subjects=("tcp",)), "nothing is left to measure: tcp cannot do create"),
        (
            Options("messaging/pairs", subjects=("tasks",), placements=(APART,)),
            "tasks cannot do messaging/pairs with two-containers",
        ),
        (Options("messaging/pairs", pairs=(10_000,), rounds=(0, 10_000_000, 0)), "take smaller --rounds"),
    ],
)
def test_what_cannot_be_measured_is_refused(options, sentence):
    with pytest.raises(UsageError) as error:
        make_plan(options)
    assert sentence in str(error.value)


def test_the_order_is_drawn_anew_for_each_repetition_and_can_be_had_again():
    plan = make_plan(Options("messaging/pairs"))
    order = schedule(plan, 3, seed=5)
    assert order == schedule(plan, 3, seed=5)
    assert order != schedule(plan, 3, seed=6)
    rounds = [order[i : i + len(plan)] for i in range(0, len(order), len(plan))]
    assert all(Counter(c.key for c, _, _ in one) == Counter(c.key for c in plan) for one in rounds)
    assert [{number for _, number, _ in one} for one in rounds] == [{1}, {2}, {3}]
    assert len({tuple(c.key for c, _, _ in one) for one in rounds}) == 3
    assert len({seed for _, _, seed in order}) == len(order)


@pytest.mark.parametrize("experiment", ["messaging/many-to-one", "messaging/size", "create"])
def test_a_command_measures_the_same_again(experiment):
    for configuration in make_plan(Options(experiment)):
        words = shlex.split(command(configuration))[3:]
        given = dict(zip(words[1::2], words[2::2], strict=True))
        options = parse(words[0], **{name.removeprefix("--"): value for name, value in given.items()})
        assert make_plan(options) == [configuration]


@pytest.mark.parametrize("agents", [1, 19, 20, 21, 1000])
def test_batches_have_all_agents_and_are_even(agents):
    sizes = [len(numbers) for numbers in batches(agents)]
    assert [number for numbers in batches(agents) for number in numbers] == list(range(agents))
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= 1


def test_quick_has_few_spade_agents_unless_more_are_asked_for(with_spade):
    def loads(options):
        return [c.pairs for c in make_plan(options) if c.platform == "spade"]

    assert loads(Options()) == [1, 10]
    assert loads(Options(pairs=(100,))) == [100]
