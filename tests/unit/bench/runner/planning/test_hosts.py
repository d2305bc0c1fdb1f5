"""What is measured over hosts: where, on how many, who talks to whom, and where services are."""

import shlex

import pytest

from formicary.errors import UsageError
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.results.summary.commands import command
from formicary_bench.runner.planning.options import Options, parse
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.subjects import subject
from formicary_bench.subjects.registry import subject_of
from formicary_bench.vocabulary.places import ALL_TO_ALL, APART, DIRECT, N_HOSTS, RING, SAME, TWO_HOSTS, XMPP

HOSTS = ("a", "b", "c")


@pytest.fixture(autouse=True)
def _without_others(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(subject, "find_spec", lambda _: None)


def of(experiment, **options):
    plan = make_plan(Options(experiment, hosts=HOSTS, **options))
    return [c for c in plan if c.experiment == experiment]


def test_scale_out_goes_from_one_host_to_all_with_as_many_pairs_on_each():
    plan = of("messaging/scale-out", subjects=("formicary-behaviours",))
    assert {(c.hosts, c.traffic, c.route) for c in plan} == {(1, "", "in-process")} | {
        (hosts, traffic, route)
        for hosts in (2, 3)
        for traffic in (RING, ALL_TO_ALL)
        for route in (DIRECT, XMPP)
    }
    assert {(c.placement, c.exchange.pairs, c.exchange.payload_bytes) for c in plan} == {(N_HOSTS, 50, 100)}
    assert len({c.key for c in plan}) == len(plan) == 9


def test_scale_out_follows_its_options():
    options = parse(
        "messaging/scale-out", hosts=HOSTS, count="2,3", traffic="ring", route="direct", tls="on", pairs="7"
    )
    plan = make_plan(options)
    assert [(c.kind, c.hosts, c.traffic, c.route, c.tls, c.exchange.pairs) for c in plan] == [
        (kind, hosts, RING, DIRECT, True, 7) for hosts in (2, 3) for kind in ("behaviours", "micro")
    ]
    asked = options.as_asked()
    assert (asked["hosts"], asked["count"], asked["traffic"]) == (["a", "b", "c"], [2, 3], ["ring"])


@pytest.mark.parametrize(
    "one", [one for one in EXPERIMENTS.values() if TWO_HOSTS in one.placements and not one.tls]
)
def test_what_is_in_two_processes_here_is_on_two_hosts_there(one):
    def about(plan):  # how many round trips there are follows from the place
        without = ((c, c.parameters.items() - {("rounds", c.exchange.rounds)}) for c in plan)
        return {(c.platform, c.kind, c.route, *sorted(sizes)) for c, sizes in without}

    here = [
        c
        for c in make_plan(Options(one.name, placements=(APART,)))
        if c.experiment == one.name and TWO_HOSTS in subject_of(c.platform, c.kind).carriers
    ]
    plan = of(one.name)
    assert {(c.placement, c.hosts, c.traffic) for c in plan} == {(TWO_HOSTS, 2, "")}
    assert about(plan) == about(here)


def test_local_placements_stand_beside_those_over_hosts():
    plan = of("messaging/pairs", sizes={"pairs": (5,)}, placements=(SAME, TWO_HOSTS, N_HOSTS))
    assert {(c.placement, c.hosts, c.traffic) for c in plan} == {
        (SAME, 0, ""), (TWO_HOSTS, 2, ""), (N_HOSTS, 3, ALL_TO_ALL)
    }  # fmt: skip
    assert {c.platform for c in plan if c.placement == N_HOSTS} == {"formicary"}


def test_a_selection_over_hosts_has_what_can_be_there():
    plan = make_plan(Options("tour", hosts=HOSTS))
    assert {c.placement for c in plan} == {TWO_HOSTS}
    assert {"messaging/pairs", "messaging/size", "directory/search"} <= {c.experiment for c in plan}


def test_the_papers_have_services_apart_beside_and_split():
    plan = of(
        "directory/search", sizes={"services": (0, 100)}, subjects=("formicary-central",), routes=(DIRECT,)
    )
    assert [(c.parameters["services"], c.spread) for c in plan] == [
        (0, ""),
        (100, ""),
        (100, "beside"),
        (100, "split"),
    ]
    key = "directory/search/formicary-central/{}/direct-tls/pairs-1-rounds-50-100-0-services-100"
    assert [c.key for c in plan[1:]] == [
        key.format(f"two-hosts{spread}") for spread in ("", "-beside", "-split")
    ]
    assert {c.spread for c in of("directory/register")} == {""}
    assert {c.spread for c in of("directory/cpu-search")} == {"split"}


def test_services_can_be_spread_over_two_processes_of_one_machine():
    options = parse("directory/search", spread="apart,split", placement=APART, services="100")
    spreads = [c.spread for c in make_plan(options) if c.kind == "replica" and c.route == DIRECT]
    assert spreads == ["", "split"]
    assert options.as_asked()["spread"] == ["apart", "split"]
    plain = make_plan(Options("directory/search", placements=(APART,)))
    assert {c.spread for c in plain} == {""}


def test_the_directory_can_be_on_many_hosts():
    plan = of("directory/search", sizes={"services": (90,)}, placements=(N_HOSTS,))
    assert {(c.hosts, c.traffic, c.spread, c.exchange.pairs) for c in plan} == {(3, "", "", 1)}


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"experiment": "messaging/scale-out"}, "n-hosts needs hosts: name them with --hosts FILE, or make"),
        ({"experiment": "messaging/pairs", "placement": "two-hosts"}, "two-hosts needs hosts: name them"),
        ({"experiment": "messaging/pairs", "hosts": ["a"]}, "needs two hosts with the role containers"),
        (
            {"experiment": "messaging/scale-out", "hosts": HOSTS, "count": "2,4"},
            "--count 4 is more than the 3 hosts with the role containers",
        ),
        ({"experiment": "messaging/pairs", "count": "2"}, "messaging/pairs has no --count; it has"),
        (
            {"experiment": "messaging/scale-out", "traffic": "star"},
            "no traffic 'star'; choose one of: all-to-all",
        ),
        (
            {"experiment": "directory/search", "placement": SAME, "spread": "split"},
            "services are spread over two containers",
        ),
        ({"experiment": "messaging/pairs", "traffic": "ring"}, "--traffic is for agents of several hosts"),
        (
            {"experiment": "messaging/pairs", "traffic": "ring", "hosts": HOSTS, "placement": "two-hosts"},
            "--traffic is for agents of several hosts, with --placement n-hosts and --hosts FILE; leave --tr",
        ),
        (
            {"experiment": "messaging/scale-out", "traffic": "ring", "hosts": HOSTS, "count": "1"},
            "--traffic is for agents of several hosts",
        ),
        ({"experiment": "directory/search", "spread": "spilt"}, "did you mean split?"),
    ],
)
def test_what_cannot_be_is_refused(given, sentence):
    with pytest.raises(UsageError) as error:
        make_plan(parse(**given))
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    "options",
    [
        {"experiment": "messaging/scale-out"},
        {"experiment": "messaging/pairs", "placement": N_HOSTS, "traffic": "ring"},
        {"experiment": "directory/search", "services": "0,50"},
    ],
)
def test_the_command_of_a_configuration_measures_it_alone(options):
    for configuration in make_plan(parse(hosts=HOSTS, **options)):
        words = shlex.split(command(configuration))[3:]
        given = {
            option.removeprefix("--"): value for option, value in zip(words[1::2], words[2::2], strict=True)
        }
        again = make_plan(parse(words[0], hosts=HOSTS, **given))
        assert configuration in again
        assert {c.experiment for c in again} >= {configuration.experiment}
        assert len([c for c in again if c.experiment == configuration.experiment]) == 1


def test_between_hosts_links_do_tls_and_so_do_servers_unless_it_is_said_otherwise():
    def ways(**options):
        subjects = ("formicary-behaviours", "tcp", "components")
        plan = of("messaging/pairs", sizes={"pairs": (1,)}, subjects=subjects, **options)
        return [(c.platform, c.route, c.tls) for c in plan]

    direct = [("formicary", DIRECT, True)]
    xmpp = [("formicary", XMPP, False)]
    tcp, components = [("tcp", "tcp", False), ("tcp", "tcp", True)], [("components", XMPP, False)]
    assert ways() == [*xmpp, *direct, *tcp, *components]
    assert ways(routes=(DIRECT,)) == [*direct, *tcp, *components]
    assert ways(tls=(False,), routes=(DIRECT,)) == [("formicary", DIRECT, False), tcp[0], *components]
    here = of(
        "messaging/pairs",
        sizes={"pairs": (1,)},
        subjects=("formicary-behaviours",),
        placements=(APART, TWO_HOSTS),
    )
    assert [(c.placement, c.route, c.tls) for c in here] == [
        (APART, XMPP, False), (APART, DIRECT, False), (TWO_HOSTS, XMPP, False), (TWO_HOSTS, DIRECT, True)
    ]  # fmt: skip


def test_what_is_on_one_machine_only_says_what_to_leave_out():
    with pytest.raises(UsageError, match=r"cannot do create over hosts; leave --platform, --hosts or"):
        of("create")
