"""What is measured of memory, what is computed of it, and what is said."""

import numpy as np
import pytest
from msgspec.structs import replace
from tests.unit.bench.synthetic import STARTED, document, main_extras, make_run

from formicary_bench import published
from formicary_bench.experiments.memory import GROWTH_PER_MESSAGE, GROWTH_PER_S, TRACED, Growing
from formicary_bench.experiments.memory.pipeline import each
from formicary_bench.experiments.memory.report import memory_sentences, sparkline
from formicary_bench.reports.document.points import Findings
from formicary_bench.reports.document.report import charts, columns, said
from formicary_bench.reports.formats.html import render
from formicary_bench.reports.formats.terminal import console_for_reports, show
from formicary_bench.results.store.model import Repetition
from formicary_bench.results.store.raw import Holdings
from formicary_bench.results.summary.commands import command
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.planning.options import Options
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.names import OF_MEMORY, ON_THE_WIRE
from formicary_bench.vocabulary.parameters.shared import Agents

HELD = {("python", ""): 3e6, ("formicary", "imported"): 14e6, ("formicary", "container"): 15e6}
EACH = {"behaviours": 2000, "micro": 500}


def agents_of(configuration):
    return Agents.of(configuration).agents


def state(held, traced):
    return Holdings(np.zeros(1), np.zeros(1, np.int64), np.array([held]), np.array([traced]))


def load(held, seconds=20, per_second=1000):
    at = np.linspace(0, seconds, len(held))
    zeros = np.zeros(len(held), np.int64)
    return Holdings(at, (at * per_second).astype(np.int64), np.asarray(held, np.int64), zeros)


def add(run, configuration, number, data):
    about = {"seed": 1, "started": STARTED, "ended": STARTED}
    run.add(Repetition(configuration=configuration.key, number=number, **about), data)


@pytest.fixture
def states(tmp_path):
    return run_of_states(tmp_path / "run")


def run_of_states(path):
    """Make a run with known figures: 2000 bytes for each agent, 500 for each micro-agent."""
    run = make_run(path, make_plan(Options("memory", sizes={"agents": (100,)})), repetitions=0)
    for configuration in run.manifest.configurations:
        held = HELD.get((configuration.platform, configuration.kind)) or (
            HELD["formicary", "container"] + agents_of(configuration) * EACH[configuration.kind]
        )
        for number in (1, 2, 3):
            noise = (number - 2) * 1000
            add(run, configuration, number, state(int(held) + noise, int(held * 0.6) + noise))
    return run


def run_that_grows(folder, *held):
    """Make a run of micro-agents that talk, with the memory of their process in each repetition."""
    options = Options("memory/growth", placements=("same-container",), subjects=("formicary-micro",))
    run = make_run(folder / "run", make_plan(options), repetitions=0)
    for number, one in enumerate(held, 1):
        add(run, run.manifest.configurations[0], number, load(one))
    return run


def growing(folder, *held):
    (row,) = summarise(run_that_grows(folder, *held))
    return row


def test_states_come_from_the_least_to_the_most():
    plan = make_plan(Options("memory"))
    assert [(c.platform, c.kind, agents_of(c)) for c in plan[:3]] == [
        ("python", "", 0), ("formicary", "imported", 0), ("formicary", "container", 0),
    ]  # fmt: skip
    assert {(c.kind, agents_of(c)) for c in plan[3:]} == {
        (kind, agents) for kind in ("behaviours", "micro") for agents in (100, 1000, 100_000)
    }
    assert {Growing.of(c).seconds for c in plan} == {0}


def test_growth_is_measured_beside_the_states_where_it_is_asked_for():
    plan = make_plan(Options("memory", sizes={"seconds": 7}))
    grown = [c for c in plan if c.experiment == "memory/growth"]
    assert {Growing.of(c).seconds for c in grown} == {7}
    assert {c.route for c in grown} == {"in-process", "direct", "xmpp"}
    assert len(plan) > len(grown)


def test_a_state_can_be_measured_alone():
    for configuration in make_plan(Options("memory", sizes={"agents": (100,)})):
        name = f"{configuration.platform}-{configuration.kind}".rstrip("-")
        agents = " --agents 100" if agents_of(configuration) else ""
        assert command(configuration) == f"formicary bench run memory --platform {name}{agents}"


def test_each_agent_holds_what_it_adds_to_an_open_container(states):
    rows = summarise(states)
    found = {row.kind: each(row, rows) for row in rows if row.size("agents")}
    assert found["behaviours"].mean == pytest.approx(2000)
    assert found["micro"].mean == pytest.approx(500)
    assert found["micro"].low < 500 < found["micro"].high
    traced = {row.kind: each(row, rows, TRACED) for row in rows if row.size("agents")}
    assert traced["behaviours"].mean == pytest.approx(1200)
    assert [each(row, rows) for row in rows if not row.size("agents")] == [None] * 3


def test_each_agent_of_another_platform_holds_what_it_adds_to_its_own_platform(states):
    rows = summarise(states)
    base = next(row for row in rows if row.kind == "container")
    more = next(row for row in rows if row.kind == "behaviours")
    jade = [replace(row, platform="jade", kind="") for row in (base, more)]
    (said, each_said) = memory_sentences(Findings(jade, jade))
    assert said.startswith("Of the memory a process has alone: JADE ")
    assert each_said.startswith("Each of 100 idle agents of JADE holds ")
    assert each(jade[1], [jade[1], *rows]) is None
    assert each(jade[1], [*rows, *jade]).mean == pytest.approx(2000)


def test_without_an_open_container_nothing_is_said_of_each_agent(states):
    rows = [row for row in summarise(states) if row.kind != "container"]
    assert {each(row, rows) for row in rows} == {None}
    table = {column.title: column.cells for column in columns("memory", rows, rows)}
    assert set(table["each agent"]) == {""}


def test_a_steady_rise_is_a_slope_and_noise_is_none(tmp_path):
    noise = np.random.default_rng(3).normal(0, 3000, 100)
    rising = growing(tmp_path / "rising", 20e6 + np.linspace(0, 20 * 5000, 100) + noise)
    low, high = rising.bounds(GROWTH_PER_S)
    assert 0 < low < 5000 < high
    assert rising.mean(GROWTH_PER_MESSAGE) == pytest.approx(5, rel=0.2)
    low, high = growing(tmp_path / "still", 20e6 + noise).bounds(GROWTH_PER_S)
    assert low < 0 < high


def test_what_comes_first_and_a_piece_that_comes_and_goes_are_no_growth(tmp_path):
    held = np.full(100, 20e6)
    held[:15] = np.linspace(15e6, 20e6, 15)
    held[60:65] += 1 << 20
    assert growing(tmp_path, held).bounds(GROWTH_PER_S) == (0, 0)


def test_several_repetitions_have_an_interval_over_them(tmp_path):
    ramps = [20e6 + np.linspace(0, 20 * each_s, 100) for each_s in (900, 1000, 1100)]
    slope = growing(tmp_path, *ramps).estimate(GROWTH_PER_S)
    assert slope.mean == pytest.approx(1000, rel=0.01)
    assert slope.ci95 == pytest.approx((1000 - 248.4, 1000 + 248.4), rel=0.02)  # t(2) = 4.303


def test_repetitions_without_values_have_no_figures(tmp_path):
    assert growing(tmp_path / "nothing", []).figures == {}
    assert growing(tmp_path / "little", [1, 2]).estimate(GROWTH_PER_S) is None


@pytest.mark.parametrize(
    ("rise", "words"), [(0, "no growth is distinguishable from zero"), (3000, "grows by 3")]
)
def test_growth_is_said(tmp_path, rise, words):
    noise = np.random.default_rng(1).normal(0, 500, 100)
    run = run_that_grows(tmp_path, 20e6 + np.linspace(0, 20 * rise, 100) + noise)
    rows = summarise(run)
    (sentence,) = said("memory/growth", rows, rows)
    assert sentence.startswith("In one process, under the load of 10 pairs of micro-agents, ")
    assert words in sentence
    assert "memory/growth" in render(run)


def test_memory_over_time_is_a_chart_with_its_slope(tmp_path):
    run = run_that_grows(tmp_path, *(20e6 + np.linspace(0, 20 * rise, 100) for rise in (90_000, 110_000)))
    rows = summarise(run)
    (chart,) = charts("memory/growth", rows, rows)
    assert [series.label.rpartition(", ")[2] for series in chart.legend] == [
        "repetition 1", "repetition 2", "growth",
    ]  # fmt: skip
    begin, end = list(chart.plot.lines.values())[-1]
    assert (end.y - begin.y) / (end.x - begin.x) == pytest.approx(100_000, rel=0.02)
    assert begin.y < 20.6e6
    assert end.y > 21.4e6
    ticks = [tick.text for tick in chart.plot.y.ticks]
    assert len(set(ticks)) == len(ticks) >= 3
    assert "Memory over time: Micro-agents, 10 pairs" in render(run)


def test_the_terminal_draws_memory_over_time(tmp_path, capsys):
    run = run_that_grows(tmp_path, 20e6 + np.linspace(0, 20 * 100_000, 100))
    (row,) = summarise(run)
    drawn = sparkline(row)
    assert len(drawn) == 20
    assert (drawn[0], drawn[-1]) == ("▁", "█")
    assert list(drawn) == sorted(drawn)
    show(document(run, [row]), console_for_reports())
    assert drawn in capsys.readouterr().out


def test_memory_that_stays_is_a_flat_line(tmp_path):
    row = growing(tmp_path, 20e6 + np.tile([0.0, 500.0], 50))
    assert set(sparkline(row)) == {"▁"}


def test_published_figures_stand_beside_ours(states):
    rows = summarise(states)
    (extra,) = main_extras("memory", rows, rows)
    cells = {column.title: column.cells for column in extra.columns}
    assert [name.split()[0] for name in cells["who"][:3]] == ["Jade", "Jade", "MadKit"]
    assert cells["at"][:2] == ("platform", "platform with 100 agents")
    assert cells["holds"][:2] == ("940.52 KB", "1102.85 KB")
    assert {*cells["who"][6:]} >= {"Bare interpreter", "Platform imported", "Agents"}


def test_reports_show_all_states(states, capsys):
    rows = summarise(states)
    assert columns("memory", rows, rows)[0].cells == (
        "Bare interpreter", "Platform imported", "Open container", "Agents", "Micro-agents",
    )  # fmt: skip
    assert "bare interpreter 3.00 MB, platform imported 14.0 MB" in said("memory", rows, rows)[0]
    page = render(states)
    assert "Beside the published figures" in page
    assert "Memory of each idle agent" in page
    show(document(states, rows), console_for_reports())
    assert "Jade (Alberola 2010, Table 8)" in capsys.readouterr().out


def test_published_tables_are_whole():
    assert [len(published.cpu_times(table)) for table in range(2, 8)] == [12, 24, 12, 24, 12, 24]
    assert {one.who for one in published.TABLES[OF_MEMORY].lines()} == {"Jade", "MadKit", "AgentScape"}
    assert max(one.values["on the wire"] for one in published.TABLES[ON_THE_WIRE].lines()) == 100_000_000
    shares = [one.percent for one in published.cpu_times(2) if one.platform == "Jade"]
    assert sum(shares) == pytest.approx(100, abs=0.2)
