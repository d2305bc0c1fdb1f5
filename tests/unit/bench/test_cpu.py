"""Which repetitions are profiled, what is computed of profiles, and what is said."""

from contextlib import ExitStack, nullcontext
from types import SimpleNamespace

import msgspec
import pytest
from tests.unit.bench.synthetic import EVIL, STARTED, make_run, round_trips

from formicary import mailbox
from formicary.errors import UsageError
from formicary.profiling.model import Frame, Method, Process, Profile, Role, Stack, Thread
from formicary_bench.engine import profiled, worker
from formicary_bench.engine.messages import Mark
from formicary_bench.engine.options import Options
from formicary_bench.engine.plan import make_plan
from formicary_bench.engine.profiled import Sampling, _rates
from formicary_bench.platforms import behaviours
from formicary_bench.reports.families import columns, extras, heading, parts, said, to_know
from formicary_bench.reports.html import render
from formicary_bench.reports.terminal import console_for_reports, show
from formicary_bench.results.cpu import cpu_figures
from formicary_bench.results.model import Repetition
from formicary_bench.results.summary import summarise

FRAMES = tuple(
    Frame(function, module.__file__)
    for function, module in (("Ask.run", behaviours), ("Mailbox.put", mailbox), ("_report", worker))
)
COUNTED = {"seconds": 2.0, "round_trips": 20_000.0, "rate_before": 10_500.0, "rate_during": 10_000.0}


def profile(cpu_s=1.0, counts=(25, 70, 5), frames=FRAMES, server_s=0.0, **about):
    """A window of two seconds in which one process used the CPU: a quarter of it the agents'."""
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
    """Write a run whose profiled repetitions have these profiles, one after the other."""
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
    (configuration,) = cpu_plan()
    known = [repetition(configuration, **(counted or {})) for _ in profiles]
    return cpu_figures(known, [{"both": one} for one in profiles])


def cpu_plan(experiment="messaging/cpu", **about):
    options = {
        "subjects": ("formicary-behaviours",),
        "placements": ("same-container",),
        "rounds": (5, 20, 5),
        **about,
    }
    return make_plan(Options(experiment, **options))


def test_cpu_time_is_given_for_each_round_trip_by_group():
    found = {one.group: one for one in figures_of(profile()).groups if one.us.mean}
    # One second of CPU in two, at 10 000 round trips a second: 50 µs each.
    assert sum(one.us.mean for one in found.values()) == pytest.approx(50)
    assert {group: one.share for group, one in found.items()} == {
        "agents": pytest.approx(0.25), "platform": pytest.approx(0.7), "runtime": pytest.approx(0.05),
    }  # fmt: skip


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


def test_what_profiling_costs_is_the_rate_before_against_that_meanwhile():
    assert figures_of(profile()).cost.mean == pytest.approx(1 - 10_000 / 10_500)
    assert figures_of(profile(), counted={"rate_before": 0.0}).cost is None


def test_rates_are_of_the_later_part_of_t1_and_of_the_time_of_the_sampler(monkeypatch):
    monkeypatch.setattr(profiled, "Window", lambda *_, **__: nullcontext(SimpleNamespace(end=profile)))
    monkeypatch.setattr(profiled, "perf_counter_ns", lambda: 12 * 10**9)
    with ExitStack() as undo:
        sampling = Sampling(0, undo)
        sampling.begin({"both": 1})
        for second, done in enumerate((0, 10, 20, 30, 1030, 2030, 3030, 4030, 5030)):
            sampling.advance(done, second * 10**9)
        sampling.mark(Mark(True, 6030, 9 * 10**9, (0, 0)))
        # The sampler was there from second 12 on: what was said before, and read later, does not count.
        for second, done in ((10, 9000), (11, 9999), (12, 10_000), (14, 11_000)):
            sampling.advance(done, second * 10**9)
        sampling.mark(Mark(False, 12_000, 16 * 10**9, (0, 0)))
        sampling.advance(99_999, 17 * 10**9)
    assert _rates(sampling) == {"rate_before": pytest.approx(1000), "rate_during": pytest.approx(500)}


@pytest.mark.parametrize(
    "counted", [{"seconds": 0.0, "rate_during": 0.0}, {"round_trips": 0.0, "rate_during": 0.0}]
)
def test_without_a_rate_there_are_no_figures(counted):
    assert figures_of(profile(), counted=counted) is None


def test_the_option_adds_a_longer_repetition_of_each_configuration():
    plain = make_plan(Options("messaging/pairs", pairs=(1, 10)))
    both = make_plan(Options("messaging/pairs", pairs=(1, 10), profile=True))
    assert [one for one in both if not one.profiled] == plain
    profiled = [one for one in both if one.profiled]
    assert len(profiled) == len(plain)
    assert all(one.measured > other.measured for one, other in zip(profiled, plain, strict=True))
    assert len({one.key for one in both}) == len(both)


def test_rounds_that_were_asked_for_are_those_of_profiled_repetitions_too():
    plan = make_plan(Options("messaging/pairs", pairs=(1,), rounds=(3, 4, 5), profile=True))
    assert {(c.warm_up, c.measured, c.cool_down) for c in plan} == {(3, 4, 5)}


@pytest.mark.parametrize("experiment", ["create", "memory", "directory/churn"])
def test_what_has_no_measured_phase_cannot_be_profiled(experiment):
    with pytest.raises(UsageError, match=r"nothing of .* can be profiled"):
        make_plan(
            Options(
                experiment,
                profile=True,
                placements=None,
                subjects=("formicary-behaviours",)
                if experiment != "directory/churn"
                else ("formicary-replica",),
            )
        )


def test_experiments_with_cpu_time_have_profiled_repetitions_alone():
    plan = make_plan(Options("messaging/cpu"))
    assert {(one.profiled, one.pairs) for one in plan} == {(True, 100)}
    assert {one.platform for one in plan} == {"formicary"}
    plan = make_plan(Options("directory/cpu"))
    assert {(one.profiled, one.services) for one in plan} == {(True, 200)}
    assert {one.experiment for one in plan} == {"directory/cpu-register", "directory/cpu-search"}


def test_the_papers_table_stands_beside_ours(tmp_path):
    run = run_of(tmp_path / "run", cpu_plan(), [profile(0.9), profile(1.0)])
    rows = summarise(run)
    (extra,) = extras("messaging/cpu", rows, rows)
    assert "Table 2 of Alberola 2010" in extra.title
    table = {column.title: column.cells for column in extra.columns}
    assert table["group"] == ("runtime (jvm)", "agents (mas)", "communication (com)", "platform (map)")
    assert table["Jade, %"] == ("14.2%", "57.2%", "27.8%", "0.9%")
    # 1000 round trips of each of 100 pairs, 25% of 47.5 µs each.
    assert table["ours, ms"][1].startswith("1187.5 ± ")


def test_hosts_are_columns_of_their_own(tmp_path):
    plan = cpu_plan(placements=("two-containers",), routes=("direct",))
    rows = summarise(run_of(tmp_path / "run", plan, [profile()]))
    (extra,) = extras("messaging/cpu", rows, rows)
    assert "Table 3" in extra.title
    hosts = extra.columns[0].cells
    assert (hosts.count("A"), hosts.count("B")) == (4, 4)


def test_differences_are_tested_and_a_remark_is_made_where_there_is_none(tmp_path):
    plan = cpu_plan(subjects=("formicary-behaviours", "formicary-micro"))
    run = make_run(tmp_path / "run", plan, repetitions=0)
    for configuration, agents in zip(plan, (25, 60), strict=True):
        for number, cpu_s in enumerate((0.99, 1.0, 1.01), 1):
            like = msgspec.structs.replace(configuration, platform="tasks", kind="")
            found = profile(cpu_s, (agents, 95 - agents, 5))
            run.add(repetition(configuration, number), round_trips(like, number), {"both": found})
    rows = summarise(run)
    tests = extras("messaging/cpu", rows, rows)[-1]
    table = {column.title: column.cells for column in tests.columns}
    verdicts = dict(zip(table["group"], table["remark"], strict=True))
    assert verdicts["agents"] == verdicts["platform"] == ""
    assert verdicts["all"] == verdicts["runtime"] == "not significant"


def test_profiled_rows_are_shown_apart_and_are_nobodys_floor(tmp_path, capsys):
    plan = cpu_plan("messaging/pairs", subjects=("formicary-behaviours", "tasks"), pairs=(2,), profile=True)
    run = run_of(tmp_path / "run", plan, [profile(warnings=("few samples",)), profile(1.1)])
    rows = summarise(run)
    (plain, profiled) = parts(rows)
    assert [row.profiled for row in plain[1]] == [False, False]
    assert heading(*profiled) == "Pairs of agents, all talking at once: where the CPU time goes"
    assert set(columns(*plain, rows)[0].cells) == {"Agents", "asyncio tasks"}
    assert "platform 70%, agents 25%, runtime 5%" in said(*profiled, rows)[0]
    assert any("few samples" in remark for remark in to_know(profiled[1]))
    show(run, rows, console_for_reports())
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
    (kept,) = run.manifest.repetitions
    file = run.path / "profiles" / kept.profiles["both"]
    file.write_bytes(b"{")
    with pytest.raises(UsageError, match="is not a profile"):
        summarise(run)
    file.unlink()
    with pytest.raises(UsageError, match="cannot be read"):
        summarise(run)
