"""What is planned of the experiments of Dikaiakos 2001, and what is said of their loops."""

import numpy as np
import pytest
from tests.unit.bench.synthetic import STARTED, make_run

from formicary import Message
from formicary.errors import UsageError
from formicary_bench import published
from formicary_bench.experiments.mobile import AVERAGE, LARGEST, PEAK, SMALLEST, SUSTAINED, Looped
from formicary_bench.experiments.mobile.mediating import SERVERS, Requests, addressee
from formicary_bench.experiments.mobile.pipeline import in_loops
from formicary_bench.experiments.mobile.play import Play
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.reports.document.sections import sections_of
from formicary_bench.results.store.model import Repetition
from formicary_bench.results.store.raw import Creations
from formicary_bench.results.summary.commands import command
from formicary_bench.results.summary.each import named, samples_of
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.forecast.default_durations import default_duration
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import describe, make_plan
from formicary_bench.vocabulary.metrics import TOTAL
from formicary_bench.vocabulary.names import OF_LOOPS
from formicary_bench.vocabulary.values import ASLEEP, AWAKE, IN_FILE, SUSTAINED_LAPS, laps, smallest_of

LOOPED = [name for name, one in EXPERIMENTS.items() if issubclass(one.parameters, Looped)]
FIXED, EACH = 2e-3, 1e-4  # seconds of a loop, and of each of its operations


def plan(experiment, **typed):
    return make_plan(parse(experiment, seed="1", **typed))


def loops(experiment, **typed):
    """Return what is measured of each."""
    return {Looped.of(one).loop for one in plan(experiment, **typed)}


def ways(experiment, **typed):
    return {Looped.of(one).way for one in plan(experiment, **typed)}


def made(configuration, speed=1.0):
    """Return loops with given times."""
    sizes = np.array(
        laps(Looped.of(configuration).loop, smallest_of(configuration.experiment)), dtype=np.int64
    )
    seconds = (FIXED + EACH * sizes) / speed
    return Creations(
        batch=np.arange(len(sizes), dtype=np.int32),
        agents=sizes,
        seconds=seconds,
        bytes=np.zeros(len(sizes), dtype=np.int64),
    )


def run_of(path, configurations, repetitions=3, speeds=None, counters=None):
    run = make_run(path, configurations, repetitions=0, complete=False)
    for number in range(1, repetitions + 1):
        for one in configurations:
            speed = (speeds or {}).get(one.platform, 1.0) * (1 + number / 1000)
            known = Repetition(
                configuration=one.key,
                number=number,
                seed=number,
                started=STARTED,
                ended=STARTED,
                counters=(counters or {}).get(one.platform, {}),
            )
            run.add(known, made(one, speed))
    run.finish(load_after=(0.0, 0.0, 0.0))
    return run


@pytest.mark.parametrize("experiment", LOOPED)
def test_a_command_measures_the_same_again(experiment):
    one = plan(experiment)[-1]
    loop = Looped.of(one).loop
    assert f"--loop {loop} " in f"{command(one)} "
    assert f", {loop} operations" in describe(one)
    assert default_duration(one).work > 0


def test_agents_are_created_elsewhere_by_a_request_each_or_by_one():
    assert ways("mobile/create-remote", route="direct") == {"in-turn", "at-once"}
    platforms = {one.platform for one in plan("mobile/create-remote", route="direct")}
    assert platforms == {"formicary"}
    assert ways("mobile/create-remote", way="at-once") == {"at-once"}
    assert ways("mobile/create-local") == {""}


def test_agents_are_dispatched_fifty_at_once_and_a_thousand():
    assert loops("mobile/dispatch") == {50, 1000}
    assert loops("mobile/dispatch", loop="7") == {7}


def test_agents_that_sleep_are_woken_by_their_time_or_by_messages():
    found = plan("mobile/wake")
    assert {(one.platform, Looped.of(one).way) for one in found} == {
        ("formicary", "by-time"), ("formicary", "by-message"),
    }  # fmt: skip
    assert {(one.placement, Looped.of(one).loop) for one in found} == {("same-container", 1000)}
    assert loops("mobile/wake", preset="quick") == {100}
    assert loops("mobile/wake", preset="paper") == {40_000}


def test_an_experiment_has_its_own_ways_and_no_others():
    with pytest.raises(
        UsageError,
        match=r"^no way 'by-time'; choose one of: at-once, in-turn$",
    ):
        plan("mobile/dispatch", way="in-turn,by-time")
    with pytest.raises(UsageError, match=r"^no way 'at-once'; choose one of: by-message, by-time$"):
        plan("mobile/wake", way="at-once")


def test_of_a_selection_each_experiment_takes_those_of_the_options_that_it_has():
    found = [one for one in plan("tour", way="in-turn", pairs="3", rate="50") if one.platform == "formicary"]

    def of(experiment):
        sizes = [Looped.of(one) for one in found if one.experiment == f"mobile/{experiment}"]
        return {(one.way, one.pairs, one.rate) for one in sizes}

    assert of("dispatch") == of("create-remote") == {("in-turn", 0, 0)}
    assert of("roam") == {("", 0, 0), ("", 0, 50)}
    assert of("messenger") == {("", 0, 0)}
    assert of("wake") == set()


def test_who_roams_is_alone_or_under_fire_and_what_is_sent_by_hand_is_alone():
    rates = {(one.platform, Looped.of(one).rate) for one in plan("mobile/roam")}
    assert rates == {("formicary", 0), ("formicary", 1000), ("tcp", 0)}
    ours = plan("mobile/roam", rate="50", platform="formicary")
    assert {Looped.of(one).rate for one in ours} == {0, 50}


def test_clients_are_as_many_as_in_the_paper():
    for experiment in ("mobile/proxy", "mobile/mediators", "mobile/forward-messages"):
        assert {Looped.of(one).pairs for one in plan(experiment)} == {3, 6, 12}
    assert loops("mobile/forward-messages", preset="paper") == {5000}


def test_who_roams_comes_back():
    with pytest.raises(
        UsageError, match=r"must have a multiple of 4 operations, not 30; use --loop 28, for example"
    ):
        plan("mobile/roam", loop="30")


def test_they_take_place_on_many_hosts():
    hosts = ("a", "b", "c", "d")
    for experiment in ("mobile/roam", "mobile/proxy", "mobile/forward-messages", "mobile/forward-agents"):
        found = plan(experiment, placement="n-hosts", hosts=hosts)
        assert {(one.placement, one.hosts) for one in found} == {("n-hosts", 4)}
    assert {one.placement for one in plan("mobile/dispatch", hosts=hosts)} == {"two-hosts"}


def test_rates_are_the_peak_of_all_sizes_and_that_of_the_largest_loop_again_and_again(tmp_path):
    (one,) = plan(
        "mobile/synchronize", platform="formicary", placement="two-containers", route="direct", loop="100"
    )
    (row,) = summarise(run_of(tmp_path / "run", [one]))
    found = in_loops(row, LARGEST)
    assert list(found) == [1, 2, 5, 10, 20, 50, 100]
    assert found[100].mean == pytest.approx(12_000, rel=0.01)
    assert row.mean(TOTAL) * 1e6 == pytest.approx(found[100].mean)
    assert in_loops(row, AVERAGE)[100].mean == pytest.approx(120, rel=0.01)
    assert in_loops(row, SUSTAINED)[100].mean == pytest.approx(row.mean(SUSTAINED))
    assert row.mean(SUSTAINED) == pytest.approx(100 / 0.012, rel=0.01)
    assert row.bounds(SUSTAINED) is not None
    assert row.mean(PEAK) == pytest.approx(row.mean(SUSTAINED))
    assert row.mean(AVERAGE) == pytest.approx(0.00012, rel=0.01)
    assert row.mean(SMALLEST) == pytest.approx(1 / 0.0021, rel=0.01)
    assert {name: len(values) for name, values in samples_of(row.each).items()} == dict.fromkeys(
        named(dict.fromkeys((PEAK, SMALLEST, SUSTAINED, TOTAL, AVERAGE), 0)), 3
    )


def test_a_repetition_without_loops_has_no_figures(tmp_path):
    (one,) = plan("mobile/create-local", platform="formicary-micro", loop="5")
    run = make_run(tmp_path / "run", [one], repetitions=0, complete=False)
    nothing = np.array([5] * SUSTAINED_LAPS, dtype=np.int64)
    seconds = np.full(len(nothing), 0.1)
    data = Creations(nothing.astype(np.int32), nothing, seconds, nothing)
    run.add(Repetition(configuration=one.key, number=1, seed=1, started=STARTED, ended=STARTED), data)
    run.finish(load_after=(0.0, 0.0, 0.0))
    (row,) = summarise(run)
    assert (row.figures, row.records, row.each) == ({}, (), ())
    (section,) = sections_of(run)
    assert section.charts == []


def test_a_section_draws_times_by_size_and_the_published_rates(tmp_path):
    configurations = plan("mobile/messenger", route="direct", loop="100", placement="two-containers")
    (section,) = sections_of(run_of(tmp_path / "run", configurations, 6, {"tcp": 2.0}))
    columns = {column.title: column.cells for column in section.columns}
    assert columns["who"] == ("Agents, direct", "TCP sockets")
    assert columns["baseline"][0] == "TCP sockets"
    assert columns["beside it"][0].startswith("2.0× slower (")
    first, *_ = section.sentences
    assert first.startswith("Between two processes over a direct link, agents: ")
    assert "journeys there and back per second sustained" in first
    extras = {extra.title: extra for extra in section.extras}
    beside = {column.title: column.cells for column in extras["Beside the published figures"].columns}
    assert "Concordia (Dikaiakos 2001, Table 8)" in beside["who"]
    assert "8.3" in beside["sustained/s"]
    assert [chart.title for chart in section.charts] == [
        "After Dikaiakos 2001, Fig. 15: Total time against the number of journeys there and back",
        "After Dikaiakos 2001, Fig. 15: Average time against the number of journeys there and back",
        "After Dikaiakos 2001, Table 8: Journeys there and back per second, sustained, 100 operations",
    ]
    lines = section.charts[0].plot.lines
    assert [len(points) for points in lines.values()] == [7] * 2
    assert "Published, not measured here: Dikaiakos 2001, Table 8" in section.charts[-1].plot.groups


def test_a_section_has_what_one_that_sleeps_holds(tmp_path):
    counters = {"formicary": {AWAKE: 2300.0, ASLEEP: 21.0, IN_FILE: 119.0}}
    run = run_of(tmp_path / "run", plan("mobile/wake", way="by-time"), counters=counters)
    (section,) = sections_of(run)
    columns = {column.title: column.cells for column in section.columns}
    assert columns["who"] == ("Agents, by time",)
    assert columns["awake holds"] == ("2.30 kB",)
    assert columns["asleep holds"] == ("21 B",)
    assert columns["in the file"] == ("119 B",)
    (sentence,) = section.sentences
    assert sentence.endswith("; each takes 2.30 kB of memory awake, 21 B asleep and 119 B of the file.")
    assert section.charts[-1].title == "Agents per second, sustained, 1 000 operations"
    assert not any("published" in extra.title for extra in section.extras)
    (row,) = summarise(run)
    assert samples_of(row.each)[ASLEEP] == [21.0] * 3


def test_where_nothing_is_weighed_nothing_is_said_of_it(tmp_path):
    (section,) = sections_of(run_of(tmp_path / "run", plan("mobile/create-local")))
    assert not {column.title for column in section.columns} & {"awake holds", "asleep holds", "in the file"}
    assert not any("holds" in sentence for sentence in section.sentences)


@pytest.mark.parametrize("experiment", LOOPED)
def test_each_has_a_section(tmp_path, experiment):
    configurations = plan(experiment, preset="quick")
    (section,) = sections_of(run_of(tmp_path / "run", configurations))
    assert section.sentences
    assert section.charts


def test_each_experiment_of_the_paper_has_its_lines_of_the_table():
    table = published.TABLES[OF_LOOPS]
    of_it = [one for one in EXPERIMENTS.values() if one.published == OF_LOOPS]
    assert sum(len(table.lines(one.benchmark)) for one in of_it) == 30
    assert table.lines("PROXY") == []
    assert {number for one in of_it for number in one.repeats.numbers([])} == {
        *("5", "6", "9", "11", "12", "14", "15", "16", "21"),
    }


FIGURES = {  # of the paper, and what is drawn beside the total time there
    "create-local": (5, "Average time", "agents"),
    "create-remote": (6, "Average time", "agents"),
    "dispatch": (9, "Average time", "agents"),
    "one-way": (11, "Average time", "messages"),
    "two-way": (12, "Average time", "messages and their answers"),
    "synchronize": (14, "Average time", "messages and their answers"),
    "messenger": (15, "Average time", "journeys there and back"),
    "roam": (16, "Average time", "hops"),
    "forward-agents": (21, "Rate", "agents"),
}


@pytest.mark.parametrize("name", FIGURES)
def test_both_diagrams_of_each_figure_of_the_paper_are_drawn(name, tmp_path):
    number, second, many = FIGURES[name]
    (section,) = sections_of(run_of(tmp_path / "run", plan(f"mobile/{name}", preset="quick")))
    assert [chart.title for chart in section.charts[:-1]] == [
        f"After Dikaiakos 2001, Fig. {number}: {what} against the number of {many}"
        for what in ("Total time", second)
    ]


def test_forwarded_messages_have_a_figure_for_each_number_of_clients_and_one_over_these(tmp_path):
    configurations = plan("mobile/forward-messages", route="direct", placement="two-containers", loop="100")
    (section,) = sections_of(run_of(tmp_path / "run", configurations))
    assert [chart.title for chart in section.charts] == [
        *(
            f"After Dikaiakos 2001, Fig. {number}: {what} against the number of requests, {clients} clients"
            for what in ("Total time", "Rate")
            for number, clients in ((17, 3), (18, 6), (19, 12))
        ),
        "After Dikaiakos 2001, Fig. 20: Rate against the number of clients",
        "After Dikaiakos 2001, Table 8: Requests per second, sustained, 12 clients",
    ]
    (points,) = section.charts[-2].plot.lines.values()
    assert [point.x for point in points] == [3, 6, 12]


@pytest.mark.parametrize(
    ("experiment", "chart", "base", "others"),
    [
        (
            "mobile/mediators",
            "Rate against the number of clients",
            "client-server",
            ("client agent server", "client intercept server", "proxy server"),
        ),
        ("mobile/meeting", "Rate against the number of exchanges", "remote", ("local",)),
    ],
)
def test_a_pattern_is_held_against_the_one_that_does_without(experiment, chart, base, others, tmp_path):
    configurations = plan(experiment, route="direct", placement="two-containers", loop="20")
    (section,) = sections_of(run_of(tmp_path / "run", configurations, 6))
    assert section.charts[0].title == chart
    columns = {column.title: column.cells for column in section.columns}
    against = dict(zip(columns["who"], columns["baseline"], strict=True))
    bare = f"Agents, direct, {base.replace('-', ' ')}"
    assert against == {bare: "", **{f"Agents, direct, {one}": base for one in others}}
    alone = [one for one in configurations if base not in one.parameters.values()]
    (section,) = sections_of(run_of(tmp_path / "alone", alone, 6))
    assert "baseline" not in {column.title for column in section.columns}


def test_a_request_goes_to_the_server_in_its_body_or_to_the_only_one_there_is():
    request = Message(to="mediator", body="1x")
    assert addressee(request, ["server-0", "server-1", "server-2"]) == "server-1"
    assert addressee(request, ["mediator-0"]) == "mediator-0"


def test_no_agent_of_a_loop_has_the_name_of_one_of_an_earlier_loop():
    loops = Play(work=None)
    names = [name for count in (3, 5, 3) for name in loops.names("sent", count)]
    assert len(set(names)) == 11


async def test_all_requests_of_a_loop_are_made_once():
    requests = Requests()
    answered = requests.start(4)
    taken = [requests.take() for _ in range(5)]
    assert taken == [3, 2, 1, 0, None]
    assert not requests.begin.is_set()
    for _ in range(4):
        assert not answered.done()
        requests.end()
    assert answered.done()
    assert SERVERS == 3
