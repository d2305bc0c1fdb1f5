"""Runs over the hosts of a lab: agents on all of them, the directory split over them, and what more cost."""

import json
import tempfile
from pathlib import Path

import pytest
from tests.integration.bench.conftest import Silent, perform
from tests.unit.bench.synthetic import asking
from typer.testing import CliRunner

from formicary_bench.cli import app
from formicary_bench.experiments.directory import SEEN
from formicary_bench.experiments.messaging.scale_out import AGENTS_CPU, AGENTS_HOLD, SERVERS_CPU
from formicary_bench.extrapolation.model import DIRECT as DIRECT_LINKS
from formicary_bench.extrapolation.model import FEDERATED, ONE_SERVER
from formicary_bench.remote.launchers.launcher import provider
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.execution.run_hosts import HostSelection
from formicary_bench.vocabulary.metrics import CREATION, TIME
from formicary_bench.vocabulary.names import REGISTER
from formicary_bench.vocabulary.places import N_HOSTS, TWO_HOSTS
from formicary_bench.vocabulary.values import DESIGNS

ROUNDS = (2, 10, 0)
OURS = tuple(f"formicary-{design}" for design in DESIGNS)
DIRECT = {"routes": ("direct",)}
OTHER = pytest.mark.full("the other route")


@pytest.fixture
def there():
    """A folder for the hosts' files, with a path short enough for sockets."""
    with tempfile.TemporaryDirectory(prefix="formicary-") as folder:
        yield Path(folder)


@pytest.fixture
def over(tmp_path, there):
    """Run an experiment over the hosts of a lab; return its rows and the run."""

    def call(lab, experiment, **options):
        path = tmp_path / "hosts.toml"
        path.write_text(lab.inventory.read_text().replace("[defaults]", f'[defaults]\nfolder = "{there}"', 1))
        selection = HostSelection(provider("ssh", path, None))
        names = tuple(host.name for host in selection.containers)
        asked = asking(experiment=experiment, hosts=names, **{"rounds": ROUNDS, **options})
        outcome = perform(asked, tmp_path / "run", Silent(), selection)
        assert outcome.problems == []
        return summarise(outcome.folder), outcome.folder

    return call


@pytest.mark.server
@pytest.mark.parametrize(
    "traffics", [("ring",), pytest.param(("ring", "all-to-all"), marks=pytest.mark.full("all traffics"))]
)
def test_scale_out_says_what_messages_cost_on_agents_and_servers(traffics, make_lab, over):
    asked = {"pairs": (4,), "subjects": ("formicary-behaviours",), "rounds": (50, 800, 200)}
    rows, run = over(make_lab(3), "messaging/scale-out", traffics=traffics, **asked)
    assert {(row.hosts, row.traffic, row.route) for row in rows} == {(1, "", "in-process")} | {
        (hosts, traffic, route) for hosts in (2, 3) for traffic in traffics for route in ("direct", "xmpp")
    }
    for row in rows:
        assert row.round_trips == row.hosts * 4 * 800
        # In one process it is over too soon for clocks that count hundredths of a second.
        assert row.mean(AGENTS_CPU) > 0 or row.hosts == 1
        assert (row.mean(SERVERS_CPU) is not None) is (row.route == "xmpp")
        assert row.mean(AGENTS_HOLD) > 1e6
    members = {len(one.members) for one in run.manifest.repetitions}
    assert members == {0, 2, 3}
    # As many agents' processes were looked at as there were hosts.
    for one in run.manifest.repetitions:
        looked = [name for name in one.counters if name.startswith("agents@") and name.endswith(" cores")]
        assert len(looked) == max(len(one.members), 1)
        taken = [name for name in one.counters if name.endswith((" others", " stolen"))]
        assert len(taken) == 2 * len(looked)  # for the badge
    model = CliRunner().invoke(app, ["model", str(run.path), "--count", "10", "--json"])
    assert model.exit_code == 0, model.output
    ways = {json.loads(line)["way"] for line in model.output.splitlines()}
    assert ways == {DIRECT_LINKS, FEDERATED, ONE_SERVER}


def test_many_send_to_one_from_all_other_hosts(make_lab, over):
    rows, run = over(
        make_lab(3),
        "messaging/many-to-one",
        pairs=(4,),
        placements=(N_HOSTS,),
        subjects=("formicary-micro",),
        **DIRECT,
    )
    assert [row.round_trips for row in rows] == [2 * 4 * 10]
    assert [one.members for one in run.manifest.repetitions] == [(4, 4)]


@pytest.mark.parametrize(
    "designs", [("central",), pytest.param(DESIGNS, marks=pytest.mark.full("all designs"))]
)
def test_services_are_apart_beside_and_split_over_two_hosts(designs, lab, over):
    subjects = tuple(f"formicary-{design}" for design in designs)
    rows, _ = over(lab, "directory/search", services=(120,), subjects=subjects, **DIRECT)
    searches = [row for row in rows if row.experiment == "directory/search"]
    assert {(row.kind, row.placement, row.spread) for row in searches} == {
        (design, TWO_HOSTS, spread) for design in designs for spread in ("", "beside", "split")
    }
    assert all(row.round_trips == 10 and row.mean(TIME) > 0 for row in searches)


def test_the_directory_is_on_the_first_of_many_hosts_and_its_user_on_the_last(make_lab, over):
    rows, run = over(
        make_lab(3), "directory/search", services=(130,), placements=(N_HOSTS,), subjects=OURS, **DIRECT
    )
    assert [(row.kind, row.hosts, row.round_trips) for row in rows] == [(design, 3, 10) for design in DESIGNS]
    assert {one.members for one in run.manifest.repetitions} == {()}


def test_all_other_hosts_tell_that_they_see_a_registration(make_lab, over):
    subjects = ("formicary-replica",)
    rows, _ = over(make_lab(3), REGISTER, services=(20,), placements=(N_HOSTS,), subjects=subjects, **DIRECT)
    (row,) = [one for one in rows if one.experiment == REGISTER]
    assert row.mean(SEEN) > row.mean(TIME)
    assert (row.hosts, row.machines) == (3, 1)  # namespaces


@pytest.mark.server
@pytest.mark.parametrize("route", ["direct", pytest.param("xmpp", marks=OTHER)])
def test_registrations_spread_to_the_containers_of_another_host(lab, over, route):
    rows, _ = over(lab, "directory/propagation", containers=(1, 3), subjects=OURS, routes=(route,))
    spread = [row for row in rows if row.size("containers")]
    assert {(row.kind, row.placement, row.size("containers"), row.round_trips) for row in spread} == {
        (design, TWO_HOSTS, containers, 10) for design in ("replica", "central") for containers in (1, 3)
    }


@pytest.mark.server
@pytest.mark.parametrize("route", [pytest.param("direct", marks=OTHER), "xmpp"])
def test_agents_come_and_go_on_two_hosts(lab, over, route):
    rows, _ = over(lab, "directory/churn", agents=(203,), subjects=OURS, routes=(route,), rounds=None)
    assert [(row.kind, row.placement, row.size("agents")) for row in rows] == [
        ("replica", TWO_HOSTS, 203), ("central", TWO_HOSTS, 203)
    ]  # fmt: skip
    assert all(row.mean(CREATION) > 0 for row in rows)
