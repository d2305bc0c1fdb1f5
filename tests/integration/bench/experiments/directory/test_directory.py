"""The directory in real runs, tiny ones: by each design, at each place, and what makes a run worthless."""

import pytest
from msgspec.structs import replace
from tests.integration.bench.conftest import Silent, perform
from tests.unit.bench.synthetic import asking

from formicary_bench.experiments.directory import SEEN, hosts
from formicary_bench.results.store.raw import Creations
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.execution.repetition import RepetitionError, Task, measure
from formicary_bench.runner.planning.options import Options
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.metrics import CREATION, RATE, TIME
from formicary_bench.vocabulary.places import APART, SAME
from formicary_bench.vocabulary.values import DESIGNS

ROUNDS = (2, 10, 0)
OURS = tuple(f"formicary-{design}" for design in DESIGNS)
USES = ("directory/register", "directory/deregister", "directory/search")


@pytest.mark.grid
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("experiment", USES)
def test_one_agent_uses_the_directory_in_its_own_container(experiment, design, silent):
    subjects = (f"formicary-{design}",)
    options = Options(
        experiment,
        sizes={"services": (0, 237), "rounds": ROUNDS},
        placements=(SAME,),
        subjects=subjects,
    )
    plan = make_plan(options)
    assert [configuration.parameters["services"] for configuration in plan] == [0, 237]
    for configuration in plan:
        repetition, data = measure(Task(configuration, 1, 7), silent())
        assert (repetition.round_trips, len(data.rtt_ns)) == (10, 12)
        assert (data.rtt_ns > 0).all()
        # One after the other: nothing begins before what came before it has ended.
        assert (data.start_ns[1:] >= (data.start_ns + data.rtt_ns)[:-1]).all()


@pytest.mark.grid
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("experiment", USES)
def test_every_design_is_used_from_another_process(experiment, design, silent, tmp_path):
    asked = {"placements": (APART,), "routes": ("direct",), "subjects": (f"formicary-{design}",)}
    outcome = perform(
        Options(experiment, sizes={"services": (120,), "rounds": ROUNDS}, **asked), tmp_path / "run", silent()
    )
    assert outcome.problems == []
    (row,) = summarise(outcome.folder)
    assert (row.kind, row.size("services"), row.round_trips) == (design, 120, 10)
    assert row.mean(TIME) > 0
    assert row.mean(RATE) is None
    if design == "replica" and experiment == "directory/register":
        assert row.mean(SEEN) > row.mean(TIME)  # it is on its way before it is there
    else:
        assert SEEN.name not in row.figures


@pytest.mark.parametrize("containers", [(4,), pytest.param((1, 4), marks=pytest.mark.full("by one, too"))])
def test_all_others_tell_that_they_have_seen_a_registration(containers, silent, tmp_path):
    options = Options(
        "directory/propagation",
        sizes={"services": (30,), "containers": containers, "rounds": ROUNDS},
        routes=("direct",),
        subjects=OURS,
    )
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    assert [(one.kind, one.size("containers"), one.round_trips) for one in summarise(outcome.folder)] == [
        (design, many, 10) for many in containers for design in ("replica", "central")
    ]


@pytest.mark.parametrize("agents", [pytest.param(1, marks=pytest.mark.full("few of them")), 203])
def test_agents_come_and_go_and_nothing_of_them_stays(agents, silent, tmp_path):
    options = Options("directory/churn", sizes={"agents": (agents,)}, routes=("direct",), subjects=OURS)
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    rows = summarise(outcome.folder)
    assert [(one.kind, one.size("agents")) for one in rows] == [("replica", agents), ("central", agents)]
    assert all(one.mean(CREATION) > 0 for one in rows)
    (repetition, _) = outcome.folder.manifest.repetitions
    assert int(outcome.folder.raw(repetition, Creations).agents.sum()) == agents


def test_a_directory_that_refuses_ends_churn_at_once_with_its_reason(silent):
    options = Options(
        "directory/churn", sizes={"agents": (40,)}, routes=("direct",), subjects=("formicary-central",)
    )
    (configuration,) = make_plan(options)
    # It cannot be looked at as a whole, so nobody could say that nothing is left.
    with pytest.raises(
        RepetitionError, match=r"asking process failed: in c1, this directory only finds services"
    ):
        measure(Task(replace(configuration, kind="lookup"), 1, 7), silent())


@pytest.mark.server
@pytest.mark.parametrize(
    ("experiment", "asked", "designs"),
    [
        ("search", {"services": (60,), "placements": (APART,), "rounds": ROUNDS}, DESIGNS),
        ("propagation", {"containers": (2,), "rounds": ROUNDS}, ("replica", "central")),
        ("churn", {"agents": (60,)}, ("central", "replica")),
    ],
)
@pytest.mark.parametrize("how_many", [1, pytest.param(None, marks=pytest.mark.full("all designs"))])
def test_every_design_through_prosody(experiment, asked, designs, how_many, tmp_path):
    subjects = tuple(f"formicary-{design}" for design in designs[:how_many])
    options = asking(experiment=f"directory/{experiment}", routes=("xmpp",), subjects=subjects, **asked)
    outcome = perform(options, tmp_path / "run", Silent())
    assert outcome.problems == []
    rows = summarise(outcome.folder)
    assert {one.route for one in rows} == {"xmpp"}
    assert {one.kind for one in rows} == {*designs[:how_many]}


def test_a_message_is_measured_beside_it_and_the_report_says_so(bench, tmp_path):
    ran = bench(
        "run", "directory/search", "--placement", "same-container", "--services", "10", "--repeat", 1,
        "--rounds", "2,20,0", "--output", tmp_path / "run",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    said = " ".join(bench("show", tmp_path / "run").out.split())
    assert "a search for the services of a type in the replica with 10 services takes" in said
    assert "(median)." in said  # of one repetition nothing is told
    assert "a message and its answer" in (tmp_path / "run" / "report.html").read_text()
    rows = bench("show", tmp_path / "run", "--json").rows
    assert [(row["experiment"], row["kind"], row["parameters"].get("services")) for row in rows] == [
        *(("directory/search", design, 10) for design in DESIGNS), ("messaging/pairs", "behaviours", None)
    ]  # fmt: skip


@pytest.mark.parametrize(("placement", "routes"), [(SAME, None), (APART, ("direct",))])
def test_many_clients_search_at_once(placement, routes, silent, tmp_path):
    sizes = {"pairs": (7,), "services": (50,), "rounds": (2, 10, 3)}
    options = Options("directory/clients", sizes=sizes, placements=(placement,), routes=routes)
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    rows = summarise(outcome.folder)
    assert [(one.kind, one.exchange.load, one.round_trips) for one in rows] == [
        ("replica", 7, 70), ("central", 7, 70)
    ]  # fmt: skip
    assert all(one.mean(TIME) > 0 for one in rows)


def test_searches_see_containers_that_come_and_go(silent, tmp_path):
    sizes = {"containers": (2,), "services": (3,), "rounds": (5, 200, 0)}
    outcome = perform(Options("directory/hosts", sizes=sizes), tmp_path / "run", silent())
    assert outcome.problems == []
    rows = [one for one in summarise(outcome.folder) if one.experiment == "directory/hosts"]
    assert [(one.kind, one.round_trips) for one in rows] == [("replica", 200), ("central", 200)]
    assert all(one.mean(hosts.JOINED) > 0 and one.mean(TIME) > 0 for one in rows)
    assert all(one.mean(hosts.STALE) < 1 for one in rows)
