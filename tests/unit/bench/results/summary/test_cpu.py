"""Which repetitions are profiled, what is computed of profiles, and what is said."""

import os
import threading
from contextlib import ExitStack, nullcontext
from types import SimpleNamespace

import msgspec
import pytest
from msgspec.structs import replace
from tests.unit.bench.synthetic import EVIL, STARTED, asking, document, main_extras, make_run, round_trips

from formicary.core import mailbox
from formicary.errors import TracingError, UsageError
from formicary.profiling.model.declarations import with_group
from formicary.profiling.model.profile import Account as ProfileAccount
from formicary.profiling.model.profile import Frame, Method, Process, Profile, Role, Stack, Thread
from formicary.profiling.sampling.window import Window
from formicary_bench.reports.document.cpu import cpu_sentences
from formicary_bench.reports.document.report import columns, heading, parts, said, to_know
from formicary_bench.reports.formats.html import render
from formicary_bench.reports.formats.terminal import console_for_reports, show
from formicary_bench.results.store.model import Repetition
from formicary_bench.results.store.raw import RoundTrips
from formicary_bench.results.summary.cpu import cpu_estimates, summed, whole
from formicary_bench.results.summary.load import load_of
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.forecast.default_durations import default_duration
from formicary_bench.runner.observers import profiled
from formicary_bench.runner.observers.observer import PlacedWorker
from formicary_bench.runner.observers.profiled import Sampling, _rate
from formicary_bench.runner.planning.options import Options
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.statistics.estimates import mean_estimate
from formicary_bench.subjects.ours import behaviours
from formicary_bench.worker import worker
from formicary_bench.worker.messages import Account, Accounted, Mark
from formicary_bench.worker.windows import window_on

FRAMES = tuple(
    with_group(Frame(function, module.__file__))
    for function, module in (("Ask.run", behaviours), ("Mailbox.put", mailbox), ("_report", worker))
)
COUNTED = {"seconds": 2.0, "round_trips": 20_000.0, "rate_during": 10_000.0}


def profile(cpu_s=1.0, counts=(25, 70, 5), frames=FRAMES, server_s=0.0, **about):
    """A window of two seconds in which one process used the CPU, a quarter of it by agents."""
    stacks = tuple(Stack(7, (place,), count) for place, count in enumerate(counts))
    threads = (Thread(7, "MainThread", "loop", cpu_s),)
    worker = Process(7, Role.CONTAINER, "python", cpu_s, 0.0, threads, stacks)
    server = Process(9, Role.SERVER, "prosody", server_s, 0.0)
    return Profile(
        method=Method.SAMPLED, host="lab-3", began=0.0, window_s=2.0, rate_hz=100.0,
        processes=(worker, server) if server_s else (worker,), frames=frames, **about,
    )  # fmt: skip


def repetition(configuration, number=1, **counted):
    return Repetition(
        configuration=configuration.key, number=number, seed=1, started=STARTED, ended=STARTED,
        counters={**COUNTED, **counted},
    )  # fmt: skip


def run_of(path, plan, profiles, **about):
    """Write a run whose profiled repetitions have these profiles, in order."""
    run = make_run(path, plan, repetitions=0, **about)
    for configuration in plan:
        like = msgspec.structs.replace(
            configuration, platform="tasks", kind="", placement="same-container", route="in-process"
        )
        for number, one in enumerate(profiles, 1):
            about = dict.fromkeys(
                ("echo", "ask") if configuration.placement != "same-container" else ("both",), one
            )
            run.add(
                repetition(configuration, number),
                round_trips(like, number),
                about if configuration.profiled else {},
            )
    return run


def figures_of(*profiles, counted=None):
    configuration, _ = cpu_plan()
    known = [repetition(configuration, **(counted or {})) for _ in profiles]
    return cpu_estimates(known, [{"both": one} for one in profiles])


def cpu_plan(experiment="messaging/cpu", **about):
    options = {
        "subjects": ("formicary-behaviours",),
        "placements": ("same-container",),
        "rounds": (5, 20, 5),
        **about,
    }
    return make_plan(asking(experiment=experiment, **options))


def test_cpu_time_is_given_for_each_round_trip_by_group():
    found = {one.group: one for one in figures_of(profile()).groups if one.us.mean}
    # One second of CPU in two, at 10 000 round trips a second: 50 µs each.
    assert sum(one.us.mean for one in found.values()) == pytest.approx(50)
    assert {group: one.share for group, one in found.items()} == {
        "agents": pytest.approx(0.25), "platform": pytest.approx(0.7), "runtime": pytest.approx(0.05),
    }  # fmt: skip


def test_what_agents_call_is_theirs_as_the_papers_have_it():
    """Of 100 samples, 25 are an agent's own code, 40 what it calls, 30 the scheduler, 5 another thread."""
    thread = Frame("Thread.run", threading.__file__)
    stacks = (Stack(7, (0,), 25), Stack(7, (0, 1), 40), Stack(7, (1,), 30), Stack(7, (3, 2), 5))
    worker = Process(7, Role.CONTAINER, "python", 1.0, 0.0, (Thread(7, "MainThread", "loop", 1.0),), stacks)
    looked = profile(frames=(*FRAMES, thread))
    found = figures_of(msgspec.structs.replace(looked, processes=(worker,)))

    def shares(estimates):
        return {one.group: pytest.approx(one.share) for one in estimates if one.us.mean}

    assert shares(found.groups) == {"agents": 0.25, "platform": 0.7, "runtime": 0.05}
    assert shares(found.strands) == {"agents": 0.65, "platform": 0.3, "runtime": 0.05}


def test_accounts_of_agents_are_theirs_and_those_of_the_directory_are_not():
    accounts = (
        ProfileAccount(7, "agents", 0.2, "user/Use"),
        ProfileAccount(7, "platform", 0.3, "user/Use"),
        ProfileAccount(7, "directory", 0.4, "df"),
        ProfileAccount(7, "runtime", 0.1),
    )
    worker = Process(7, Role.CONTAINER, "python", 1.0, 0.0, accounts=accounts)
    looked = msgspec.structs.replace(profile(), method=Method.ACCOUNTED, processes=(worker,))
    found = figures_of(looked)
    assert {one.group: round(one.share, 3) for one in found.strands if one.us.mean} == {
        "agents": 0.5, "directory": 0.4, "runtime": 0.1,
    }  # fmt: skip
    assert {one.group: round(one.share, 3) for one in found.groups if one.us.mean}["platform"] == 0.3


def test_one_repetition_has_the_interval_of_its_samples_and_several_that_over_them():
    alone = {one.group: one.us for one in figures_of(profile()).groups}["agents"]
    assert alone.ci95[0] < 12.5 < alone.ci95[1]
    several = {one.group: one for one in figures_of(profile(0.9), profile(1.0), profile(1.1)).groups}[
        "agents"
    ]
    assert several.values == pytest.approx((11.25, 12.5, 13.75))
    assert several.us.ci95 == pytest.approx((12.5 - 3.105, 12.5 + 3.105), abs=0.01)  # t(2) = 4.303


def test_the_server_is_a_process_of_its_own():
    groups = figures_of(profile(server_s=0.5)).groups
    (server,) = [one for one in groups if one.process == "server"]
    assert (server.group, server.share) == ("server", 1.0)
    assert server.us.mean == pytest.approx(25)
    assert sum(one.share for one in groups if one.process == "both") == pytest.approx(1)


def test_groups_of_several_processes_are_summed_by_one_definition():
    configuration, _ = cpu_plan()
    known = [repetition(configuration) for _ in range(3)]
    found = cpu_estimates(
        known,
        [{"ask@a": profile(cpu_s), "echo@b": profile(2 * cpu_s, server_s=0.5)} for cpu_s in (0.9, 1.0, 1.1)],
    )
    for process in ("ask@a", "echo@b", "server@b"):
        of_it = [one for one in found.groups if one.process == process]
        assert summed(of_it, process) == of_it  # of one process it is what it was
        assert sum(one.share for one in of_it) == pytest.approx(1)
    together = {one.group: one for one in summed(found.groups)}
    assert list(together) == ["runtime", "agents", "communication", "directory", "platform", "server"]
    assert together["agents"].values == pytest.approx((33.75, 37.5, 41.25))
    assert together["agents"].us.mean == pytest.approx(37.5)
    assert together["agents"].margin_us == pytest.approx(3 * 3.105, abs=0.01)
    assert together["agents"].share == pytest.approx(37.5 / 175)
    assert together["server"].share == pytest.approx(25 / 175)
    assert whole(found.groups).us.mean == pytest.approx(175)
    assert summed(()) == []
    assert whole(()).us.mean == 0


def test_what_profiling_costs_is_what_repetitions_without_it_were_faster(tmp_path):
    profiled, reference = cpu_plan()
    assert (profiled.profiled, reference.reference) == (True, True)
    run = run_of(tmp_path / "run", [profiled, reference], [profile(), profile()])
    (row,) = summarise(run)
    loads = [load_of(run.raw(one, RoundTrips)) for one in run.manifest.repetitions_of(reference)]
    rates = [load.round_trips_in_window / load.window_s for load in loads]
    assert row.cpu.cost.mean == pytest.approx(sum(1 - 10_000 / rate for rate in rates) / 2)
    assert "sampling cost" in said(row.experiment, [row], [row])[0]
    assert figures_of(profile()).cost is None


@pytest.mark.parametrize(
    ("losses", "sentence"),
    [
        ((0.01,), "sampling cost 1.0% of the rate, by one repetition with and one without it."),
        ((0.004, 0.01), "sampling cost 0.7% ± 3.8% of the rate; up to 3% is accepted."),
        ((0.05, 0.051), "sampling cost 5.1% ± 0.6% of the rate; up to 3% is accepted, which it exceeds."),
        ((-0.05, -0.051), "sampling cost \N{MINUS SIGN}5.1% ± 0.6% of the rate; up to 3% is accepted."),
    ],
)
def test_what_profiling_costs_is_said(losses, sentence, tmp_path):
    (row,) = summarise(run_of(tmp_path / "run", cpu_plan(), [profile()]))
    cost = mean_estimate(losses)
    (words,) = cpu_sentences([msgspec.structs.replace(row, cpu=msgspec.structs.replace(row.cpu, cost=cost))])
    assert words.endswith(sentence)


class There:
    """A worker, and the place where it is."""

    pid = 7
    server = None

    def __init__(self, refused="", found=None, name="", server=0):
        self.told = []
        self.name = name
        self.server = SimpleNamespace(pid=server) if server else None
        self.host = self
        self.opened = []
        self.process = SimpleNamespace(pid=7, send=self.told.append)
        self.refused = refused
        self.found = found or profile()

    def window(self, pid, servers):
        self.opened.append((pid, servers))
        return nullcontext(SimpleNamespace(refused=self.refused, end=lambda: self.found))


def sampled(undo, *, as_a_whole=False, **workers):
    sampling = Sampling(undo, as_a_whole=as_a_whole)
    sampling.begin({name.replace("_", "@"): PlacedWorker(one, one.process) for name, one in workers.items()})
    return sampling


def mark(*, begins, done=0, at_s=1):
    return Mark(begins, done, at_s * 10**9, (0, 0))


REFUSED = "inspecting process 7 is not permitted"


def test_rates_are_of_the_time_of_the_sampler(monkeypatch):
    monkeypatch.setattr(profiled, "monotonic_ns", lambda: 12 * 10**9)
    with ExitStack() as undo:
        sampling = sampled(undo, both=There())
        sampling.advance(5030, 8 * 10**9)
        sampling.mark(mark(begins=True, done=6030, at_s=9))
        # The sampler was there from second 12 on: what was said before, and read later, does not count.
        for second, done in ((10, 9000), (11, 9999), (12, 10_001), (13, 10_500), (14, 11_000)):
            sampling.advance(done, second * 10**9)
        sampling.mark(mark(begins=False, done=12_000, at_s=16))
        sampling.advance(99_999, 17 * 10**9)
    assert _rate(sampling.during) == pytest.approx(500)


def test_who_may_not_be_looked_into_is_told_to_account_for_itself(monkeypatch):
    own = replace(profile(), method=Method.ACCOUNTED)
    worker = There(REFUSED, profile(counts=(), server_s=0.5), server=9)
    with ExitStack() as undo:
        sampling = sampled(undo, echo=worker)
        assert worker.told == [Account("prepare")]
        sampling.heard("echo", Accounted("prepare"))
        sampling.mark(mark(begins=True))
        assert worker.told == [Account("prepare"), Account("begin")]
        sampling.advance(100, 10**18)
        assert sampling.during == []  # not yet: the worker has not said that it has begun
        sampling.heard("echo", Accounted("begin"))
        sampling.advance(200, 10**18)
        assert len(sampling.during) == 1
        sampling.mark(mark(begins=False, at_s=10**10))
        assert worker.told[2:] == [Account("end")]
        sampling.heard("echo", Accounted("end", own))
    found = sampling.profiles()
    assert list(found) == ["echo", "server"]
    assert found["echo"].processes == own.processes
    assert [one.role for one in found["server"].processes] == [Role.SERVER]
    said = "inspecting the workers is not permitted; so the platform accounted for its time itself"
    assert found["echo"].warnings == (said,)


def test_a_window_says_why_nobody_may_look_through_it(monkeypatch):
    def refuse(window):
        raise TracingError("inspecting other processes is not permitted")

    monkeypatch.setattr(Window, "__enter__", refuse)
    with window_on(os.getpid(), ()) as window:
        assert window.refused == "inspecting other processes is not permitted"
        found = window.end()
    # Other tests may have started processes that stay, such as that which tracks shared memory.
    assert found.processes[0].pid == os.getpid()
    assert found.is_partial
    assert found.warnings == (f"CPU time is known by process alone: {window.refused}",)


def test_who_cannot_account_for_itself_is_known_as_a_whole():
    with ExitStack() as undo:
        sampling = sampled(undo, both=There(REFUSED))
        sampling.mark(mark(begins=True))
        sampling.heard("both", Accounted("begin", failed="this process is accounted already"))
        sampling.mark(mark(begins=False))
        sampling.heard("both", Accounted("end", failed="it had not begun"))
    (found,) = sampling.profiles().values()
    (warning,) = found.warnings
    assert warning == (
        "CPU time is known by process alone: inspecting the workers is not permitted; and they could not "
        "account for it: this process is accounted already"
    )


def test_what_has_no_phases_is_looked_at_as_a_whole():
    with ExitStack() as undo:
        worker = There(REFUSED)
        sampling = sampled(undo, as_a_whole=True, create=worker)
        assert worker.told == [Account("begin")]
        sampling.mark(mark(begins=True))
        sampling.mark(mark(begins=False))
    assert worker.told == [Account("begin"), Account("end")]


def test_each_host_has_its_own_server_which_counts_once():
    workers = {
        "echo_a": There(name="a", server=9),
        "ask_a": There(name="a", server=9),
        "ask_b": There(name="b", server=9),
        "ask_c": There(name="c"),
    }
    with ExitStack() as undo:
        sampling = sampled(undo, **workers)
        sampling.mark(mark(begins=True))
    assert [one.opened[-1] for one in workers.values()] == [(7, (9,)), (7, ()), (7, (9,)), (7, ())]


def test_of_what_was_looked_at_as_a_whole_figures_are_for_each_item():
    found = figures_of(profile(), counted={"items": 1000.0, "rate_during": 0.0})
    assert sum(one.us.mean for one in found.groups) == pytest.approx(1000)  # one second of CPU for a thousand


@pytest.mark.parametrize(
    "counted", [{"seconds": 0.0, "rate_during": 0.0}, {"round_trips": 0.0, "rate_during": 0.0}]
)
def test_without_a_rate_there_are_no_figures(counted):
    assert figures_of(profile(), counted=counted) is None


def test_the_option_adds_a_longer_repetition_of_each_configuration():
    plain = make_plan(Options("messaging/pairs", sizes={"pairs": (1, 10)}))
    both = make_plan(Options("messaging/pairs", sizes={"pairs": (1, 10)}, profile=True))
    assert [one for one in both if not one.profiled and not one.reference] == plain
    profiled = [one for one in both if one.profiled]
    assert len(profiled) == len(plain)
    assert all(
        one.exchange.measured > other.exchange.measured for one, other in zip(profiled, plain, strict=True)
    )
    assert len({one.key for one in both}) == len(both)
    references = [one for one in both if one.reference]
    assert [replace(one, profiled=False, reference=True) for one in profiled] == references


def test_rounds_that_were_asked_for_are_those_of_profiled_repetitions_too():
    plan = make_plan(Options("messaging/pairs", sizes={"pairs": (1,), "rounds": (3, 4, 5)}, profile=True))
    assert {c.exchange.rounds for c in plan} == {(3, 4, 5)}
    assert not any(c.reference for c in plan)  # those that are measured anyway are as long


@pytest.mark.parametrize("experiment", ["memory", "memory/growth"])
def test_what_is_about_memory_alone_cannot_be_profiled(experiment):
    with pytest.raises(UsageError, match=r"nothing of .* can be profiled: it is about memory of processes"):
        make_plan(Options(experiment, profile=True))


@pytest.mark.parametrize(
    ("experiment", "subject"),
    [
        ("create", "formicary-micro"),
        ("directory/churn", "formicary-replica"),
        ("directory/propagation", "formicary-central"),
        ("directory/search", "formicary-lookup"),
    ],
)
def test_all_that_works_can_be_profiled(experiment, subject):
    plan = [one for one in make_plan(Options(experiment, profile=True, subjects=(subject,))) if one.profiled]
    assert {one.experiment for one in plan} == {experiment}
    assert all(one.exchange.measured or one.parameters["agents"] >= 40_000 for one in plan)


def test_as_many_agents_are_profiled_as_were_asked_for():
    plan = make_plan(Options("create", profile=True, subjects=("formicary-micro",), sizes={"agents": (300,)}))
    assert [(one.parameters["agents"], one.profiled, one.reference) for one in plan] == [
        (300, False, False),
        (300, True, False),
    ]


def test_what_is_profiled_of_the_directory_takes_some_seconds_by_every_route():
    plan = make_plan(Options("directory/cpu"))
    seconds = {
        one.key: one.exchange.measured * default_duration(one).work / one.exchange.trips
        for one in plan
        if one.profiled
    }
    assert {key: round(lasts) for key, lasts in seconds.items() if not 1 <= lasts <= 15} == {}
    by_route = {one.route: one.exchange.measured for one in plan if one.kind == "lookup"}
    assert by_route["in-process"] > by_route["direct"] > by_route["xmpp"]


def test_experiments_with_cpu_time_have_profiled_repetitions_and_what_they_are_held_against():
    for experiment, about in (("messaging/cpu", {"pairs": 100}), ("directory/cpu", {"services": 200})):
        plan = make_plan(Options(experiment))
        assert [one.reference for one in plan] == [not one.profiled for one in plan]
        assert sum(one.profiled for one in plan) == len(plan) / 2
        assert {one.platform for one in plan} == {"formicary"}
        assert all(one.parameters[name] == value for one in plan for name, value in about.items())
    assert {one.experiment for one in plan} == {"directory/cpu-register", "directory/cpu-search"}
    ways = {(one.placement, one.route) for one in plan}
    assert ways == {
        ("same-container", "in-process"), ("two-containers", "direct"), ("two-containers", "xmpp"),
    }  # fmt: skip


def test_the_papers_table_stands_beside_ours(tmp_path):
    run = run_of(tmp_path / "run", cpu_plan(), [profile(0.9), profile(1.0)])
    rows = summarise(run)
    (extra,) = main_extras("messaging/cpu", rows, rows)
    assert "Table 2 of Alberola 2010" in extra.title
    table = {column.title: column.cells for column in extra.columns}
    assert table["group"] == ("runtime (jvm)", "agents (mas)", "communication (com)", "platform (map)")
    assert table["Jade, %"] == ("14.2%", "57.2%", "27.8%", "0.9%")
    # 1000 round trips of each of 100 pairs, 25% of 47.5 µs each.
    assert table["here, ms"][1].startswith("1187.5 ± ")


def test_hosts_are_columns_of_their_own(tmp_path):
    plan = cpu_plan(placements=("two-containers",), routes=("direct",))
    rows = summarise(run_of(tmp_path / "run", plan, [profile()]))
    (extra,) = main_extras("messaging/cpu", rows, rows)
    assert "Table 3" in extra.title
    hosts = extra.columns[0].cells
    assert (hosts.count("A"), hosts.count("B")) == (4, 4)


def test_differences_are_tested_and_a_remark_is_made_where_there_is_none(tmp_path):
    plan = cpu_plan(subjects=("formicary-behaviours", "formicary-micro"))
    run = make_run(tmp_path / "run", plan, repetitions=0)
    for configuration, agents in zip((one for one in plan if one.profiled), (25, 60), strict=True):
        for number, cpu_s in enumerate((0.99, 1.0, 1.01), 1):
            like = msgspec.structs.replace(configuration, platform="tasks", kind="")
            found = profile(cpu_s, (agents, 95 - agents, 5))
            run.add(repetition(configuration, number), round_trips(like, number), {"both": found})
    rows = summarise(run)
    tests = main_extras("messaging/cpu", rows, rows)[-1]
    table = {column.title: column.cells for column in tests.columns}
    verdicts = dict(zip(table["group"], table["remark"], strict=True))
    assert verdicts["agents"] == verdicts["platform"] == ""
    assert verdicts["all"] == verdicts["runtime"] == "not significant"


def test_profiled_rows_are_shown_apart_and_are_nobodys_baseline(tmp_path, capsys):
    plan = cpu_plan("messaging/pairs", subjects=("formicary-behaviours", "tasks"), pairs=(2,), profile=True)
    run = run_of(tmp_path / "run", plan, [profile(warnings=("few samples",)), profile(1.1)])
    rows = summarise(run)
    (plain, profiled) = parts(rows)
    assert [row.profiled for row in plain[1]] == [False, False]
    assert heading(*profiled) == "Pairs of agents, all talking at once: where the CPU time goes"
    assert set(columns(*plain, rows)[0].cells) == {"Agents", "asyncio tasks"}
    assert "platform 70%, agents 25%, runtime 5%" in said(*profiled, rows)[0]
    assert any("few samples" in remark for remark in to_know(profiled[1]))
    show(document(run, rows), console_for_reports())
    assert "where the CPU time goes (messaging/pairs)" in capsys.readouterr().out
    page = render(run)
    assert page.count("<svg xmlns=") == 2
    assert page.count("Flame graph: ") >= 2


def test_names_of_functions_cannot_inject_anything(tmp_path):
    evil = (Frame(EVIL, EVIL), *FRAMES[1:])
    page = render(run_of(tmp_path / "run", cpu_plan(), [profile(frames=evil, warnings=(EVIL,))]))
    assert "<script>alert" not in page
    assert "onmouseover=x>" not in page.replace("&gt;", "")


@pytest.mark.parametrize("name", ["../manifest.json", "", "/etc/passwd"])
def test_profiles_outside_the_folder_are_refused(tmp_path, name):
    run = run_of(tmp_path / "run", cpu_plan(), [profile()])
    with pytest.raises(UsageError, match="fetch the run folder again"):
        run.profiles(msgspec.structs.replace(run.manifest.repetitions[0], profiles={"both": name}))


def test_a_missing_or_broken_profile_is_a_sentence(tmp_path):
    run = run_of(tmp_path / "run", cpu_plan(), [profile()])
    kept, _ = run.manifest.repetitions
    file = run.path / "profiles" / kept.profiles["both"]
    file.write_bytes(b"{")
    with pytest.raises(UsageError, match="is not a profile"):
        summarise(run)
    file.unlink()
    with pytest.raises(UsageError, match="cannot be read"):
        summarise(run)
