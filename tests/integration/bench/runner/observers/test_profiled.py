"""Real profiled repetitions, short ones."""

import pytest
from tests.integration.bench.conftest import perform

from formicary.errors import TracingError
from formicary.profiling.sampling.window import Window
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.errors import RepetitionError
from formicary_bench.runner.execution.repetition import Task
from formicary_bench.runner.observers import profiled
from formicary_bench.runner.observers.profiled import measure_profiled
from formicary_bench.runner.planning.options import Options
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.worker import messages


def configuration(placement="same-container", rounds=(2000, 20_000, 2000), **about):
    options = {"subjects": ("formicary-behaviours",), "pairs": (20,), **about}
    routes = ("direct",) if placement == "two-containers" else None
    one, _ = make_plan(
        Options("messaging/cpu", placements=(placement,), routes=routes, rounds=rounds, **options)
    )
    return one


def group_totals(cpu):
    totals = {}
    for one in cpu.groups:
        totals[one.group] = totals.get(one.group, 0.0) + one.us.mean
    return totals


def test_what_agents_say_to_each_other_in_one_process_needs_no_communication(silent, started, tmp_path):
    options = Options(
        "messaging/cpu", placements=("same-container",), subjects=("formicary-behaviours",), pairs=(20,),
        rounds=(2000, 20_000, 2000),
    )  # fmt: skip
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    (row,) = summarise(outcome.folder)
    totals = group_totals(row.cpu)
    assert totals["agents"] > 0
    assert totals["platform"] > 0
    assert totals.get("communication", 0) + totals.get("directory", 0) < 0.1 * sum(totals.values())
    assert started() == []


def test_between_two_processes_each_has_its_own_profile(silent):
    known, _, profiles = measure_profiled(
        Task(configuration("two-containers", (200, 3000, 500)), 1, 7), silent()
    )
    assert list(profiles) == ["echo", "ask"]
    assert len({profile.processes[0].pid for profile in profiles.values()}) == 2
    for profile in profiles.values():
        # The window lies within T2.
        assert 0 < profile.window_s <= known.counters["seconds"] * 1.5
        assert profile.processes[0].cpu_s > 0
        assert any("transport" in frame.file for frame in profile.frames)


@pytest.mark.server
def test_the_servers_time_is_its_own(silent, tmp_path):
    options = Options(
        "messaging/cpu", placements=("two-containers",), routes=("xmpp",), subjects=("formicary-micro",),
        pairs=(20,), rounds=(100, 1500, 300),
    )  # fmt: skip
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    (row,) = summarise(outcome.folder)
    assert {one.process for one in row.cpu.groups if one.us.mean} == {"echo", "ask", "server"}


@pytest.fixture
def refused(monkeypatch):
    def refuse(window):
        raise TracingError("looking into other processes is not permitted")

    monkeypatch.setattr(Window, "__enter__", refuse)


def test_where_nobody_may_look_into_processes_they_account_for_themselves(silent, refused, tmp_path):
    options = Options(
        "messaging/cpu", placements=("two-containers",), routes=("direct",), pairs=(20,),
        subjects=("formicary-behaviours",), rounds=(200, 3000, 300),
    )  # fmt: skip
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    (row,) = summarise(outcome.folder)
    assert row.cpu.method == "accounted"
    for process in ("echo", "ask"):
        groups = {one.group for one in row.cpu.groups if one.process == process and one.us.mean}
        assert groups >= {"runtime", "agents", "communication", "platform"}
    assert "is not permitted; so the platform accounted" in row.cpu.warnings[0]
    assert "the accounting itself took" in row.cpu.warnings[1]
    assert row.cpu.cost is not None


@pytest.mark.server
def test_the_servers_time_is_read_off_its_clock_where_the_workers_account(silent, refused, tmp_path):
    options = Options(
        "messaging/cpu", placements=("two-containers",), routes=("xmpp",), subjects=("formicary-micro",),
        pairs=(20,), rounds=(100, 1500, 300),
    )  # fmt: skip
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    (row,) = summarise(outcome.folder)
    by_process = {one.process: one.group for one in row.cpu.groups if one.process == "server"}
    assert by_process == {"server": "server"}


def test_where_they_cannot_account_either_their_time_as_a_whole_is_known(
    silent, refused, tmp_path, monkeypatch
):
    monkeypatch.setattr(profiled, "Account", lambda step: messages.Account("end"))  # which never began
    options = Options(
        "messaging/cpu", placements=("same-container",), subjects=("formicary-micro",), pairs=(20,),
        rounds=(2000, 20_000, 2000),
    )  # fmt: skip
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    (row,) = summarise(outcome.folder)
    assert [one.group for one in row.cpu.groups if one.us.mean] == ["(unknown)"]
    assert "is not permitted; nor could they account for it: it had not begun" in row.cpu.warnings[0]


@pytest.mark.parametrize("is_permitted", [True, False])
def test_creating_agents_can_be_profiled(silent, is_permitted, tmp_path, request):
    if not is_permitted:
        request.getfixturevalue("refused")
    options = Options("create", subjects=("formicary-micro",), agents=(60_000,), profile=True)
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    plain, row = summarise(outcome.folder)
    assert (plain.profiled, row.profiled) == (False, True)
    assert row.cpu.method == ("sampled" if is_permitted else "accounted")
    assert any(one.group == "platform" and one.us.mean for one in row.cpu.groups)
    assert row.cpu.cost is not None


def test_churn_can_be_profiled(silent, tmp_path):
    options = Options(
        "directory/churn", subjects=("formicary-replica",), routes=("direct",), agents=(6000,), profile=True
    )
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    row = next(row for row in summarise(outcome.folder) if row.profiled)
    assert {one.process for one in row.cpu.groups if one.us.mean} == {"echo", "ask"}
    assert any(one.group == "directory" and one.us.mean for one in row.cpu.groups)


def test_propagation_can_be_profiled(silent, tmp_path):
    # The directory has a fifteenth of the time: so many samples that one of them is of it for certain.
    options = Options(
        "directory/propagation", subjects=("formicary-replica",), routes=("direct",),
        rounds=(100, 10_000, 50), profile=True,
    )  # fmt: skip
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    row = next(row for row in summarise(outcome.folder) if row.profiled)
    assert any(one.group == "directory" and one.us.mean for one in row.cpu.groups)


def test_a_phase_that_is_too_short_is_a_sentence(silent, started):
    with pytest.raises(RepetitionError, match="T2 was too short"):
        measure_profiled(Task(configuration(rounds=(5, 20, 5)), 1, 7), silent())
    assert started() == []


def test_an_interruption_while_it_is_profiled_leaves_no_process(silent, started, tmp_path):
    seen = []

    def interrupt(_):
        names = {child.name() for child in started()}
        if "py-spy" in names:
            seen.append(names)
            raise KeyboardInterrupt

    options = Options(
        "messaging/cpu", placements=("two-containers",), routes=("direct",),
        subjects=("formicary-behaviours",), pairs=(20,), rounds=(200, 100_000, 500),
    )  # fmt: skip
    outcome = perform(options, tmp_path / "run", silent(interrupt))
    assert seen
    assert outcome.interrupted
    assert started() == []
    assert not (tmp_path / "run").exists()
