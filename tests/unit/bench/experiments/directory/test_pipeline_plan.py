"""What of the directory is measured, and by which name it is kept."""

import msgspec
import pytest
from tests.unit.bench.synthetic import asking

from formicary_bench.experiments.directory import OF_A_TYPE, SERVICES, Spreading, Uses, has_type, types
from formicary_bench.experiments.directory.declared import SIZES
from formicary_bench.runner.execution.repetition import roles_of
from formicary_bench.runner.planning.options import Options, parse
from formicary_bench.runner.planning.plan import describe, make_plan
from formicary_bench.subjects.ours.churn import HOMES, Batch, _differences, _shares
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.places import APART, DIRECT, SAME, XMPP
from formicary_bench.vocabulary.values import DESIGNS

USES = ("directory/register", "directory/deregister", "directory/search")


def of(experiment, **asked):
    return [c for c in make_plan(asking(experiment=experiment, **asked)) if c.experiment == experiment]


@pytest.mark.parametrize("experiment", USES)
def test_each_design_is_used_everywhere_with_all_numbers_of_services(experiment):
    plan = of(experiment)
    assert {(c.kind, c.placement, c.route, Uses.of(c).services) for c in plan} == {
        (design, placement, route, services)
        for design in DESIGNS
        for placement, route in ((SAME, "in-process"), (APART, DIRECT), (APART, XMPP))
        for services in (SIZES if experiment == "directory/search" else SERVICES)
    }
    assert {(c.exchange.rounds, c.exchange.load) for c in plan} == {((50, 100, 0), 1)}


@pytest.mark.parametrize("experiment", [*USES, "directory/propagation"])
def test_a_message_by_each_way_is_measured_beside_it(experiment):
    plan = make_plan(Options(experiment))
    ways = {(c.placement, c.route) for c in plan if c.experiment == experiment}
    messages = [c for c in plan if c.experiment == "messaging/pairs"]
    assert {(c.placement, c.route) for c in messages} == ways
    assert {(c.platform, c.kind, c.exchange.pairs) for c in messages} == {("formicary", "behaviours", 1)}


def test_what_expires_takes_no_part_in_what_needs_to_be_told_or_to_end():
    assert {c.kind for c in of("directory/propagation")} == {"replica", "central"}
    assert {c.kind for c in of("directory/churn")} == {"replica", "central"}


def test_options_choose_the_sizes():
    options = parse("directory/propagation", services="0,7", containers="2,4", rounds="1,2,0", route="direct")
    plan = [Spreading.of(c) for c in make_plan(options) if c.kind == "replica"]
    assert [(c.services, c.containers) for c in plan] == [(0, 2), (0, 4), (7, 2), (7, 4)]
    assert {c.rounds for c in plan} == {(1, 2, 0)}
    assert options.as_asked()["containers"] == [2, 4]
    assert all(c.parameters == {"agents": 8} for c in of("directory/churn", agents=(8,)))


def test_the_selection_has_all_of_it():
    plan = make_plan(Options("directory"))
    assert {c.experiment for c in plan if c.experiment.startswith("directory/")} == {
        *USES, "directory/propagation", "directory/churn"
    }  # fmt: skip
    spread = [Spreading.of(c) for c in plan if c.experiment == "directory/propagation"]
    assert {c.containers for c in spread} == {1, 3, 7}


def test_configurations_have_names_that_say_what_is_measured():
    def only(experiment, **options):
        subjects = ("formicary-central",)
        (found,) = of(experiment, subjects=subjects, placements=(APART,), routes=(DIRECT,), **options)
        return found

    search, churn = only("directory/search", services=(0,)), only("directory/churn")
    spread = only("directory/propagation", services=(5,))
    where = "formicary-central/two-containers/direct"
    assert search.key == f"directory/search/{where}/pairs-1-rounds-50-100-0-services-0"
    assert spread.key == f"directory/propagation/{where}/containers-3-pairs-1-rounds-50-100-0-services-5"
    assert churn.key == f"directory/churn/{where}/agents-20000"
    assert [describe(one).partition(", two-containers (direct), ")[2] for one in (search, spread, churn)] == [
        "0 services", "5 services, 3 other containers", "20000 agents"
    ]  # fmt: skip
    assert roles_of(churn) == roles_of(search) == ("echo", "ask")


def test_what_was_written_keeps_its_name():
    written = b"""{"experiment": "messaging/many-to-one", "platform": "formicary", "kind": "behaviours",
                  "placement": "two-containers", "route": "direct", "tls": true, "parameters":
                  {"pairs": 7, "senders": 9, "payload_bytes": 100, "rounds": [1, 2, 3]}}"""
    read = msgspec.json.decode(written, type=Configuration)
    assert msgspec.json.decode(msgspec.json.encode(read), type=Configuration) == read
    assert (Spreading.of(read).services, Spreading.of(read).containers) == (0, 0)
    who = "messaging/many-to-one/formicary-behaviours/two-containers/direct-tls"
    assert read.key == f"{who}/pairs-7-payload-bytes-100-rounds-1-2-3-senders-9"
    created = Configuration(experiment="create", platform="tasks", route="none", parameters={"agents": 5})
    assert created.key == "create/tasks/same-container/none/agents-5"


@pytest.mark.parametrize("services", [0, 1, 4, 5, 99, 100, 1000])
def test_every_service_has_a_type_and_few_have_the_same(services):
    each = [has_type(services, number) for number in types(services)]
    assert sum(each) == services
    assert max(each) < 2 * OF_A_TYPE
    assert services < OF_A_TYPE or min(each) >= OF_A_TYPE


@pytest.mark.parametrize("agents", [1, 3, 4, 1001])
def test_a_batch_is_shared_out_evenly(agents):
    shares = _shares(agents, HOMES)
    assert sum(shares.values()) == agents
    assert max(shares.values()) - min(shares.values()) <= 1
    assert len(Batch(3, shares).agents()) == agents


class Home:
    """A container that sees services of these agents."""

    name = "c3"

    def __init__(self, *agents):
        self.agents = agents
        self.directory = self

    async def search(self, *, max_results, offset):
        page = self.agents[offset : offset + max_results]
        return [type("Service", (), {"agent": agent}) for agent in page]


async def test_a_container_that_sees_too_much_or_too_little_says_so(monkeypatch):
    monkeypatch.setattr("formicary_bench.subjects.ours.churn._SETTLE_SECONDS", 0.0)
    monkeypatch.setattr("formicary_bench.subjects.ours.churn._PAGE", 2)
    batch = Batch(1, {"c1.lab": 2, "c2.lab": 1})
    there = sorted(batch.agents())
    assert there == ["churn-1-0@c1.lab", "churn-1-0@c2.lab", "churn-1-1@c1.lab"]
    assert await _differences(Home(*there), batch) == ""
    assert await _differences(Home(*there[1:], "churn-0-5@c2.lab"), batch) == (
        "in c3, 1 registrations were lost, such as that of churn-1-0@c1.lab and 1 of ended agents remain, "
        "such as that of churn-0-5@c2.lab"
    )


@pytest.mark.parametrize(("kind", "in_all"), [("replica", 100_000), ("central", 5_000)])
def test_many_clients_share_their_searches_but_none_makes_too_few(kind, in_all):
    plan = make_plan(parse("directory/clients", pairs="1,100", platform=f"formicary-{kind}"))
    found = {one.exchange.load: one.exchange for one in plan}
    assert (found[1].measured, found[1].warm_up) == (in_all, in_all // 4)
    assert found[100].measured == max(in_all // 100, 100)
    asked = make_plan(parse("directory/clients", pairs="100", rounds="1,2,3"))
    assert {one.exchange.rounds for one in asked} == {(1, 2, 3)}
