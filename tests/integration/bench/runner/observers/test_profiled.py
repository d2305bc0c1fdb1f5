"""Real profiled repetitions, short ones."""

from contextlib import suppress
from dataclasses import replace as replaced

import pytest
from msgspec.structs import replace
from tests.integration.bench.conftest import Silent, perform
from tests.integration.bench.subjects.drivers.conftest import GOOD, hello_of, keep
from tests.unit.bench.synthetic import asking

from formicary.errors import TracingError, UsageError
from formicary.profiling.sampling.window import RATE, Window
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner import RepetitionError
from formicary_bench.runner.execution.repetition import Task
from formicary_bench.runner.execution.run import perform_all
from formicary_bench.runner.observers import profiled
from formicary_bench.runner.observers.profiled import measure_profiled
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.runner.planning.run_plan import of_one
from formicary_bench.worker import messages

ONE = {"placements": ("same-container",), "rounds": (200, 5000, 200)}
TWO = {"placements": ("two-containers",), "routes": ("direct",), "rounds": (50, 2000, 50)}
THROUGH_SERVER = {"placements": ("two-containers",), "routes": ("xmpp",), "rounds": (50, 600, 50)}


@pytest.fixture(autouse=True)
def _many_samples(monkeypatch):
    """Sample more often, so that even a short window shows everything."""
    monkeypatch.setitem(Window.__init__.__kwdefaults__, "rate", 5 * RATE)


@pytest.fixture
def with_good(tmp_path, monkeypatch):
    """Install a driver that groups its threads."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    keep(GOOD, hello_of(GOOD))


def messages_of(subject="formicary-behaviours", **asked):
    return {"experiment": "messaging/cpu", "subjects": (subject,), "pairs": (20,), **asked}


def with_more(**asked):
    """Yield options with more work each time: a fast machine may finish before a sampler sees anything."""
    for times in (1, 4, 16):
        sizes = {
            name: tuple(times * size for size in asked[name]) for name in asked.keys() & {"rounds", "agents"}
        }
        yield asking(**asked | sizes)


def seen(row):
    """Return the groups and the processes that have some time."""
    return {name for one in row.cpu.groups if one.us.mean for name in (one.group, one.process)}


def profile(folder, *sees, with_plain=False, **asked):
    """Measure with a profile until it shows these groups and processes; return the rows."""
    for number, options in enumerate(with_more(**asked)):
        run_plan = of_one(options)
        repeats = {one: many for one, many in run_plan.repeats.items() if one.profiled or with_plain}
        outcome = perform_all(replaced(run_plan, repeats=repeats), folder / str(number), Silent())
        rows = [] if outcome.problems else summarise(outcome.folder)
        if rows and {*sees} <= seen(rows[-1]):
            break
    assert outcome.problems == []
    assert {*sees} <= seen(rows[-1])
    return rows


def group_totals(cpu):
    totals = {}
    for one in cpu.groups:
        totals[one.group] = totals.get(one.group, 0.0) + one.us.mean
    return totals


def test_what_agents_say_to_each_other_in_one_process_needs_no_communication(started, tmp_path):
    (row,) = profile(tmp_path, "agents", "platform", **messages_of(**ONE))
    totals = group_totals(row.cpu)
    assert totals.get("communication", 0) + totals.get("directory", 0) < 0.1 * sum(totals.values())
    assert started() == []


def sees_transport(profile):
    return any("transport" in frame.file for frame in profile.frames)


def test_between_two_processes_each_has_its_own_profile(silent):
    for options in with_more(**messages_of(**TWO)):
        one, _ = make_plan(options)
        with suppress(RepetitionError):  # it was too short
            known, _, profiles = measure_profiled(Task(one, 1, 7), silent())
            if all(map(sees_transport, profiles.values())):
                break
    assert list(profiles) == ["echo", "ask"]
    assert len({profile.processes[0].pid for profile in profiles.values()}) == 2
    for profile in profiles.values():
        # The window lies within T2.
        assert 0 < profile.window_s <= known.counters["seconds"] * 1.5
        assert profile.processes[0].cpu_s > 0
        assert sees_transport(profile)


@pytest.mark.server
def test_the_servers_time_is_its_own(tmp_path):
    processes = ("echo", "ask", "server")
    (row,) = profile(tmp_path, *processes, **messages_of("formicary-micro", **THROUGH_SERVER))
    assert {one.process for one in row.cpu.groups if one.us.mean} == {*processes}


@pytest.fixture
def refused(monkeypatch):
    def refuse(window):
        raise TracingError("looking into other processes is not permitted")

    monkeypatch.setattr(Window, "__enter__", refuse)


def test_where_nobody_may_look_into_processes_they_account_for_themselves(refused, tmp_path):
    (row,) = profile(tmp_path, with_plain=True, **messages_of(**TWO))
    assert row.cpu.method == "accounted"
    for process in ("echo", "ask"):
        groups = {one.group for one in row.cpu.groups if one.process == process and one.us.mean}
        assert groups >= {"runtime", "agents", "communication", "platform"}
    assert "is not permitted; so the platform accounted" in row.cpu.warnings[0]
    assert "the accounting itself took" in row.cpu.warnings[1]
    assert row.cpu.cost is not None


@pytest.mark.server
def test_the_servers_time_is_read_off_its_clock_where_the_workers_account(refused, tmp_path):
    (row,) = profile(tmp_path, **messages_of("formicary-micro", **THROUGH_SERVER))
    by_process = {one.process: one.group for one in row.cpu.groups if one.process == "server"}
    assert by_process == {"server": "server"}


def test_where_they_cannot_account_either_their_time_as_a_whole_is_known(refused, tmp_path, monkeypatch):
    monkeypatch.setattr(profiled, "Account", lambda step: messages.Account("end"))  # which never began
    (row,) = profile(tmp_path, **messages_of("formicary-micro", **ONE))
    assert [one.group for one in row.cpu.groups if one.us.mean] == ["(unknown)"]
    assert "is not permitted; and they could not account for it: it had not begun" in row.cpu.warnings[0]


@pytest.mark.parametrize("is_permitted", [True, False])
def test_creating_agents_can_be_profiled(is_permitted, tmp_path, request):
    if not is_permitted:
        request.getfixturevalue("refused")
    asked = {"experiment": "create", "subjects": ("formicary-micro",), "agents": (60_000,), "profile": True}
    plain, row = profile(tmp_path, "platform", with_plain=True, **asked)
    assert (plain.profiled, row.profiled) == (False, True)
    assert row.cpu.method == ("sampled" if is_permitted else "accounted")
    assert row.cpu.cost is not None


def test_the_time_of_a_platform_with_a_driver_is_that_of_its_threads(started, tmp_path, with_good):
    asked = messages_of("good", placements=("two-containers",), rounds=(5, 3000, 5))
    (row,) = profile(tmp_path, "echo", "ask", "agents", with_plain=True, **asked)
    assert row.cpu.method == "threads"
    assert row.cpu.cost is None
    assert row.cpu.used == row.cpu.used_by_strands
    assert {one.group for one in row.cpu.used} <= {"agents", "runtime"}
    assert started() == []


def test_a_platform_that_does_not_tell_its_threads_apart_is_left_out(with_good):
    keep(GOOD, replace(hello_of(GOOD), threads={}))
    with pytest.raises(UsageError, match="good cannot do messaging/cpu"):
        make_plan(asking(**messages_of("good")))


REPLICA = {"subjects": ("formicary-replica",), "routes": ("direct",), "profile": True}


def test_churn_can_be_profiled(tmp_path):
    profile(tmp_path, "echo", "ask", "directory", experiment="directory/churn", agents=(2500,), **REPLICA)


def test_propagation_can_be_profiled(tmp_path):
    # The directory has a fifteenth of the time: so many samples that one of them is of it for certain.
    profile(tmp_path, "directory", experiment="directory/propagation", rounds=(20, 1500, 20), **REPLICA)


def test_a_phase_that_is_too_short_is_a_sentence(silent, started):
    one, _ = make_plan(asking(**messages_of(**ONE | {"rounds": (5, 20, 5)})))
    with pytest.raises(RepetitionError, match="T2 was too short"):
        measure_profiled(Task(one, 1, 7), silent())
    assert started() == []


def test_an_interruption_while_it_is_profiled_leaves_no_process(silent, started, tmp_path):
    seen = []

    def interrupt(_):
        names = {child.name() for child in started()}
        if "py-spy" in names:
            seen.append(names)
            raise KeyboardInterrupt

    options = asking(**messages_of(**TWO | {"rounds": (200, 100_000, 500)}))
    outcome = perform(options, tmp_path / "run", silent(interrupt))
    assert seen
    assert outcome.interrupted
    assert started() == []
    assert not (tmp_path / "run").exists()
