import shlex
from collections import Counter

import pytest
from msgspec.structs import replace

from formicary.errors import UsageError
from formicary_bench.experiments.experiment import Take
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.experiments.selections import SELECTIONS, quick_rounds
from formicary_bench.results.summary.baselines import BASELINES, baseline_of
from formicary_bench.results.summary.commands import command
from formicary_bench.results.summary.row import frame
from formicary_bench.runner.planning.drafts import Draft
from formicary_bench.runner.planning.hosts import Layout
from formicary_bench.runner.planning.options import Options, parse
from formicary_bench.runner.planning.plan import beyond, describe, make_plan, needs_server, schedule
from formicary_bench.statistics.comparisons import FEWEST
from formicary_bench.statistics.estimates import Estimate
from formicary_bench.subjects.drivers.installed import Entry, keeping
from formicary_bench.subjects.drivers.protocol import Hello
from formicary_bench.subjects.registry import SUBJECTS
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.names import WEB_SHOP
from formicary_bench.vocabulary.places import APART, AUTO, DIRECT, SAME, XMPP, Carrier
from formicary_bench.vocabulary.values import REMOTE, UNMEDIATED
from formicary_bench.worker.creation import batches

ALL = [*EXPERIMENTS, *SELECTIONS]
RESOURCES = {
    "memory", "memory/growth", "network",
    "messaging/cpu", "directory/cpu", "directory/cpu-register", "directory/cpu-search",
    "messaging/scale-out", "traffic/pool-size", "traffic/speed-up", "protocols/memory", "observe/watch",
}  # fmt: skip
"""Nothing of theirs is a rate that has a baseline."""
_BY_NAME = (
    "broadcast",
    "fan-out-tree",
    "lower-bound",
    "designs",
    "styles",
    "location",
    "serialisation",
    "single-pair-size",
    "scale",
    "encryption",
    "open-loop",
    "saturation",
)
_MOBILE = (
    "create-local",
    "one-way",
    "two-way",
    "synchronize",
    "proxy",
    "mediators",
    "meeting",
    "forward-messages",
    "forward-agents",
)
BY_NAME = {
    "compute/mix",
    "directory/clients",
    "directory/hosts",
    "grid/fairness",
    *(f"messaging/{name}" for name in _BY_NAME),
    *(f"mobile/{name}" for name in _MOBILE),
    "traffic/massive-reception",
}
"""What is measured where somebody names it, and in no selection."""


@pytest.fixture(autouse=True)
def _without_others(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("formicary_bench.subjects.subject.find_spec", lambda _: None)


@pytest.fixture
def with_spade():
    experiments = ("messaging/pairs", "messaging/many-to-one", "messaging/size")
    hello = Hello(1, "spade", "4.1.4", experiments, (SAME, APART), server=True)
    with keeping(Entry(("a driver",), hello)):
        pass


def as_row(configuration):
    """Return a row with the figures that its platforms are compared by."""
    main = EXPERIMENTS[configuration.experiment].main_metric
    return replace(frame(configuration, []), figures={main.name: Estimate(1.0)})


def test_pairs_are_what_the_paper_and_the_options_say():
    plan = make_plan(Options("messaging/pairs", sizes={"pairs": (1, 10)}, placements=(SAME,)))
    assert [(c.platform, c.kind, c.exchange.pairs) for c in plan] == [
        ("formicary", "behaviours", 1), ("formicary", "micro", 1), ("tasks", "", 1), ("callbacks", "", 1),
        ("formicary", "behaviours", 10), ("formicary", "micro", 10), ("tasks", "", 10), ("callbacks", "", 10),
    ]  # fmt: skip
    rounds = {c.exchange.pairs: c.exchange.rounds for c in plan}
    assert rounds == {1: (25_000, 50_000, 25_000), 10: (2500, 5000, 2500)}  # 50 000 of all pairs last a while
    few = make_plan(Options("messaging/pairs", sizes={"pairs": (1, 100)}, placements=(SAME,), preset="paper"))
    assert {c.exchange.rounds for c in few} == {(500, 1000, 500)}  # as the paper has it
    apart = make_plan(
        Options("messaging/pairs", sizes={"pairs": (1,)}, placements=(APART,), routes=(DIRECT,))
    )
    assert {c.exchange.rounds for c in apart if c.platform == "formicary"} == {(500, 1000, 500)}
    assert {(c.route, c.exchange.payload_bytes, c.exchange.senders) for c in plan} == {("in-process", 100, 0)}
    assert {c.exchange.pairs for c in make_plan(Options("messaging/pairs"))} == {1, 10, 50, 100, 150, 200}


def carriers(options):
    """Who is carried by what between two containers."""
    return [(c.platform, c.kind, c.route, c.tls) for c in make_plan(options) if c.placement == APART]


def test_two_containers_have_every_usual_route():
    options = Options("messaging/many-to-one", sizes={"pairs": (7,)}, placements=(APART,))
    assert carriers(options) == [
        ("formicary", "behaviours", XMPP, False), ("formicary", "behaviours", DIRECT, False),
        ("formicary", "micro", XMPP, False), ("formicary", "micro", DIRECT, False),
        ("tcp", "", "tcp", False), ("components", "", XMPP, False),
    ]  # fmt: skip
    assert {(c.exchange.pairs, c.exchange.senders, c.exchange.load) for c in make_plan(options)} == {
        (7, 7, 7)
    }


def test_routes_and_tls_are_compared_in_one_run():
    subjects = ("formicary-behaviours", "tcp", "components")
    options = Options(
        "messaging/pairs", sizes={"pairs": (1,)}, subjects=subjects, routes=(AUTO, DIRECT), tls=(True, False)
    )
    assert carriers(options) == [
        ("formicary", "behaviours", DIRECT, False), ("formicary", "behaviours", DIRECT, True),
        ("formicary", "behaviours", AUTO, False), ("formicary", "behaviours", AUTO, True),
        ("tcp", "", "tcp", False), ("tcp", "", "tcp", True), ("components", "", XMPP, False),
        ("components", "", XMPP, True),
    ]  # fmt: skip


def test_what_has_no_choice_takes_part_where_it_fits(with_spade):
    def others(**options):
        return {c[0] for c in carriers(Options("messaging/pairs", sizes={"pairs": (1,)}, **options))} - {
            "formicary"
        }

    assert others(routes=(XMPP,)) == {"tcp", "components"}
    assert others(routes=(DIRECT,)) == {"tcp"}
    assert others(tls=(True,)) == {"tcp", "components"}
    assert others(tls=(True, False)) == {"tcp", "components"}
    assert others(routes=(DIRECT,), subjects=("formicary-micro", "spade")) == {"spade"}


def test_links_without_numbers_take_part_only_where_they_are_named():
    def named(*subjects, experiment="messaging/pairs"):
        chosen = subjects or None
        plan = make_plan(Options(experiment, sizes={"pairs": (1,)}, placements=(APART,), subjects=chosen))
        return [c.route for c in plan if c.platform == "formicary-unnumbered"]

    assert named() == named(*parse(platform="formicary").subjects) == []
    assert named("formicary-unnumbered") == [XMPP, DIRECT]
    assert named(experiment="links") == [XMPP, DIRECT, DIRECT]


def test_one_process_has_no_routes_to_choose():
    plan = make_plan(Options("messaging/pairs", sizes={"pairs": (1,)}, routes=(DIRECT,), tls=(True,)))
    assert [(c.platform, c.route, c.tls) for c in plan if c.placement == SAME] == [
        ("formicary", "in-process", False), ("formicary", "in-process", False),
        ("tasks", "in-process", False), ("callbacks", "in-process", False),
    ]  # fmt: skip


def test_links_hold_every_route_against_its_baseline(with_spade):
    plan = make_plan(Options("links"))
    assert {(c.platform, c.kind, c.route, c.tls) for c in plan if c.experiment == "messaging/pairs"} >= {
        ("formicary", kind, *carrier)
        for kind in ("behaviours", "micro")
        for carrier in (Carrier(XMPP), Carrier(DIRECT), Carrier(DIRECT, tls=True))
    } | {
        ("tcp", "", *Carrier("tcp")), ("tcp", "", *Carrier("tcp", tls=True)),
        ("components", "", *Carrier(XMPP)),
        ("spade", "", *Carrier(XMPP)), ("formicary-unnumbered", "", *Carrier(DIRECT)),
    }  # fmt: skip
    assert {c.exchange.pairs for c in plan if c.experiment == "messaging/pairs"} == {1, 100}
    large = [c for c in plan if c.experiment == "messaging/size"]
    assert {c.exchange.payload_bytes for c in large} == {100_000}
    assert {(c.platform, c.route) for c in large} >= {("formicary", DIRECT), ("tcp", "tcp")}


def test_spade_takes_part_where_it_is_installed_and_named(with_spade):
    def of_spade(**options):
        plan = make_plan(Options(**options))
        return {(c.placement, c.route) for c in plan if c.platform == "spade"}

    assert of_spade(experiment="messaging/pairs", sizes={"pairs": (1,)}) == set()
    assert of_spade(experiment="messaging/pairs", sizes={"pairs": (1,)}, subjects=("spade",)) == {
        (SAME, "in-process"),
        (APART, XMPP),
    }
    assert (
        of_spade(experiment="tour") == of_spade(experiment="links") == {(APART, XMPP)}
    )  # which name it themselves


@pytest.mark.parametrize("selection", ["tour", "links"])
def test_what_a_selection_names_and_is_not_installed_is_said(selection):
    options = Options(selection)
    said = "left out: spade is not installed; install it with: formicary bench platforms install spade"
    assert beyond(options, make_plan(options)) == [said]


@pytest.mark.parametrize("options", [Options(), Options("directory"), Options("messaging/pairs")])
def test_what_is_there_or_not_named_is_not_missed(options, with_spade):
    assert beyond(options, make_plan(options)) == []


@pytest.mark.parametrize(
    ("experiment", "sizes"),
    [
        ("messaging/lower-bound", {100}),
        ("messaging/location", {2048}),
        ("messaging/scale", {2048}),
        ("messaging/single-pair-size", {0, 1000, 10_000, 100_000}),
    ],
)
def test_experiments_with_the_exchange_that_a_driver_knows_are_done_by_it(experiment, sizes, with_spade):
    plan = make_plan(Options(experiment, subjects=("spade",)))
    assert {c.exchange.payload_bytes for c in plan} == sizes
    assert {c.placement for c in plan} == {SAME, APART}


MEASURED_ELSEWHERE = {
    *("mobile/create-local", "mobile/one-way", "mobile/two-way", "mobile/synchronize", "mobile/proxy"),
    *("mobile/forward-messages", "mobile/forward-agents", "messaging/fan-out-tree"),
    *("mobile/create-remote", "mobile/dispatch", "mobile/wake"),
    *("directory/clients", "grid/fairness", "messaging/serialisation"),
}


@pytest.mark.parametrize("experiment", [name for name in ALL if name not in RESOURCES])
def test_everything_of_ours_has_its_baseline_in_the_same_run(experiment):
    rows = [as_row(configuration) for configuration in make_plan(Options(experiment))]
    ours = [row for row in rows if row.platform not in BASELINES]
    assert ours
    # What uses the directory is held against a message; that message's own baseline is in other runs.
    # The two ways to a shop's data are held against each other.
    needed = [row for row in ours if row.experiment not in {"directory/churn", WEB_SHOP}]
    # What bare messages and tasks cost is measured by `messaging/pairs` and `create`; designs of the
    # directory, policies and encodings are held against each other.
    needed = [row for row in needed if row.experiment not in MEASURED_ELSEWHERE]
    # What is on its way by hand gets no messages meanwhile.
    needed = [row for row in needed if not (row.size("loop") and row.size("rate"))]
    # Patterns are held against the one that does without.
    needed = [row for row in needed if {*row.parameters.values()}.isdisjoint({UNMEDIATED, REMOTE})]
    if experiment.startswith("directory"):
        needed = [row for row in needed if row.experiment != "messaging/pairs"]
    if not any(row.platform == "components" for row in rows):  # what goes through the server has no other
        needed = [row for row in needed if row.route != XMPP]
    assert all(baseline_of(row, rows) for row in needed)


@pytest.mark.parametrize("experiment", ALL)
def test_no_configuration_comes_twice(experiment, with_spade):
    hosts = ("a", "b", "c") if experiment == "messaging/scale-out" else ()
    keys = [configuration.key for configuration in make_plan(Options(experiment, hosts=hosts))]
    assert len(set(keys)) == len(keys)


def test_a_tour_has_some_of_all_and_follows_options():
    plan = make_plan(Options("tour"))
    assert {c.experiment for c in plan} == set(EXPERIMENTS) - RESOURCES - BY_NAME
    assert {c.exchange.pairs for c in plan if c.experiment == "messaging/pairs"} == {1, 10, 100}
    fewer = make_plan(
        Options(
            "tour",
            sizes={"pairs": (3,), "rounds": (1, 2, 3)},
            placements=(SAME,),
            subjects=("tasks",),
        )
    )
    assert {(c.platform, c.placement) for c in fewer} == {("tasks", SAME)}
    assert {(c.exchange.pairs, c.exchange.rounds) for c in fewer if c.exchange.pairs} == {(3, (1, 2, 3))}
    assert {c.parameters["services"] for c in plan if c.experiment == "directory/search"} == {5, 1000}


def test_quick_is_enough_for_verdicts_and_ours_have_what_they_are_held_against():
    options = parse("quick")
    assert options.repeat >= FEWEST
    assert parse("quick", repeat="2").repeat == 2
    plan = make_plan(options)
    assert len(plan) <= 24
    assert {c.exchange.pairs for c in plan if c.experiment == "messaging/pairs"} == {1, 100}
    assert {c.platform for c in plan} <= {"formicary", *BASELINES}
    apart = [c for c in plan if c.placement == APART]
    assert all(c.parameters.get("cores") == 1 for c in apart if c.exchange.pairs == 1)
    assert not any("cores" in c.parameters for c in plan if c not in apart or c.exchange.pairs > 1)


def test_quick_measures_few_pairs_longer():
    part = Take().of(EXPERIMENTS["messaging/pairs"])
    one = Draft(part, Options(), SUBJECTS[0], Layout(SAME), Carrier("in-process"), {"payload_bytes": 100})
    trips = [quick_rounds(one.sized(pairs=load))[1] for load in (1, 10, 100, 1000)]
    assert trips == sorted(trips, reverse=True)
    assert trips[0] > trips[-1]


def test_only_what_goes_through_xmpp_or_has_accounts_there_needs_the_server(with_spade):
    plan = make_plan(Options("messaging/pairs", sizes={"pairs": (1,)}, routes=(AUTO, DIRECT, XMPP)))
    plan += make_plan(Options("messaging/pairs", sizes={"pairs": (1,)}, subjects=("spade",)))
    assert {(c.platform, c.route) for c in plan if needs_server(c)} == {
        ("formicary", XMPP), ("formicary", AUTO), ("components", XMPP), ("spade", XMPP),
        ("spade", "in-process"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            Options("create", placements=(APART,)),
            "create has no placement two-containers; it has same-container",
        ),
        (Options("create", subjects=("tcp",)), "nothing is left to measure: tcp cannot do create"),
        (Options("create", hosts=("a", "b"), profile=True), "nothing is left to measure: what is installed"),
        (
            Options("messaging/pairs", subjects=("tasks",), placements=(APART,)),
            "tasks cannot do messaging/pairs with two-containers",
        ),
        (
            Options("messaging/pairs", placements=(SAME,), routes=(DIRECT,)),
            "nothing measured here can use --route direct: routes are for formicary-behaviours,",
        ),
        (
            Options("messaging/pairs", subjects=("spade",), routes=(DIRECT,)),
            "nothing measured here can use --route",
        ),
        (Options("messaging/pairs", subjects=("tcp",), routes=(XMPP,)), "leave --route out"),
        (Options("messaging/pairs", subjects=("spade",), tls=(True,)), "links, tcp and components do"),
        (Options("quick", placements=(SAME,), tls=(True, False)), "leave --tls out"),
        (
            Options(
                "messaging/pairs",
                sizes={"pairs": (10_000,), "rounds": (0, 10_000_000, 0)},
            ),
            "use smaller --rounds",
        ),
        (
            Options("directory/churn", subjects=("formicary-lookup",)),
            "nothing is left to measure: formicary-lookup cannot do directory/churn",
        ),
        (
            Options("directory/search", subjects=("formicary-behaviours",)),
            "nothing is left to measure: formicary-behaviours cannot do directory/search",
        ),
        (
            Options("directory/propagation", placements=(SAME,)),
            "directory/propagation has no placement same-container; it has two-containers, two-hosts",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused(options, sentence):
    with pytest.raises(UsageError) as error:
        make_plan(options)
    assert sentence in str(error.value)


def test_the_order_is_drawn_anew_for_each_repetition_and_can_be_had_again():
    plan = make_plan(Options("messaging/pairs"))
    order = schedule(plan, [3] * len(plan), seed=5)
    assert order == schedule(plan, [3] * len(plan), seed=5)
    assert order != schedule(plan, [3] * len(plan), seed=6)
    rounds = [order[i : i + len(plan)] for i in range(0, len(order), len(plan))]
    assert all(Counter(c.key for c, _, _ in one) == Counter(c.key for c in plan) for one in rounds)
    assert [{number for _, number, _ in one} for one in rounds] == [{1}, {2}, {3}]
    assert len({tuple(c.key for c, _, _ in one) for one in rounds}) == 3
    assert len({seed for _, _, seed in order}) == len(order)


@pytest.mark.parametrize(
    "options",
    [
        Options("messaging/many-to-one"),
        Options("messaging/size", routes=(AUTO, DIRECT, XMPP)),
        Options("messaging/pairs", tls=(True, False)),
        Options("create"),
        Options("memory/growth", sizes={"seconds": 3}, tls=(True, False)),
        Options("messaging/cpu"),
        Options("directory/cpu"),
        Options("network"),
        Options("directory/search", tls=(True, False)),
        Options(
            "directory/propagation",
            sizes={"containers": (1, 8), "services": (0, 50)},
        ),
        Options("directory/churn"),
    ],
)
def test_a_command_measures_the_same_again(options, with_spade):
    for configuration in make_plan(options):
        words = shlex.split(command(configuration))[3:]
        given = dict(zip(words[1::2], words[2::2], strict=True))
        options = parse(words[0], **{name.removeprefix("--"): value for name, value in given.items()})
        found = make_plan(options)
        assert configuration in found
        # What is profiled comes with what it is held against.
        assert {replace(one, profiled=True, reference=False) for one in found} == {
            replace(configuration, profiled=True, reference=False)
        }


@pytest.mark.parametrize("agents", [1, 19, 20, 21, 1000])
def test_batches_have_all_agents_and_are_even(agents):
    sizes = [len(numbers) for numbers in batches(agents)]
    assert [number for numbers in batches(agents) for number in numbers] == list(range(agents))
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= 1


def test_a_tour_has_few_spade_agents_unless_more_are_asked_for(with_spade):
    def loads(options):
        return [c.exchange.pairs for c in make_plan(options) if c.platform == "spade"]

    assert loads(Options("tour")) == [1, 10]
    assert loads(Options("tour", sizes={"pairs": (100,)})) == [100]


def test_what_is_measured_is_said_with_its_hosts_and_its_way():
    two = Configuration(
        experiment="messaging/pairs",
        platform="tcp",
        placement="two-hosts",
        route="tcp",
        parameters={"pairs": 2, "payload_bytes": 0},
        hosts=2,
    )
    assert describe(two) == "messaging/pairs, tcp, two-hosts (tcp), 2 pairs, 0 bytes"
    many = replace(two, placement="n-hosts", hosts=3, traffic="ring", route="direct", tls=True)
    assert describe(many) == (
        "messaging/pairs, tcp, n-hosts (3 hosts, ring, direct with TLS), 2 pairs, 0 bytes"
    )
    alone = replace(two, placement="same-container", route="in-process", hosts=0)
    assert describe(alone) == "messaging/pairs, tcp, same-container, 2 pairs, 0 bytes"
