"""What a run ends with on a terminal: one screen, whatever was measured."""

import io

import pytest
from msgspec.structs import replace
from rich.console import Console
from tests.unit.bench.synthetic import (
    EVIL,
    create_plan,
    directory_plan,
    document,
    make_run,
    messages,
    plan,
    row,
)

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.reports.document.overview import Block, Line, blocks, briefly
from formicary_bench.reports.document.sections import Document
from formicary_bench.reports.formats.terminal_overview import MOST, show


def shown(found, width=80):
    stream = io.StringIO()
    show(found, Console(file=stream, width=width, highlight=False, markup=False))
    return stream.getvalue()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """As `quick` has it: enough repetitions for verdicts."""
    configurations = [
        *plan(pairs=(1, 100)),
        *create_plan(),
        messages("same-container", "in-process"),
        *directory_plan(services=(1000,))[:2],
    ]
    return make_run(tmp_path_factory.mktemp("runs") / "run", configurations, repetitions=7, repeats=(7,) * 18)


@pytest.fixture(scope="module")
def found(run):
    return Document(run)


@pytest.mark.parametrize("width", [60, 80, 132, 200])
def test_a_run_ends_with_one_screen_and_no_line_is_wider(found, width):
    lines = shown(found, width).splitlines()
    assert len(lines) <= MOST
    assert max(map(len, lines)) < width
    assert ("█" in "".join(lines)) is (width > 80)


def test_figures_are_those_of_rows_and_verdicts_have_intervals(found):
    text = shown(found)
    assert "18 configurations × 7 · " in text.splitlines()[0]
    assert "trust: within" in text.splitlines()[0]
    pairs, created, searched = blocks(found)
    assert pairs.headings == ("1 pair", "100 pairs", "speed beside, 100 pairs")
    assert created.headings == ("created/s", "memory of each", "speed beside, 10 000 agents")
    assert [line.who for line in searched.lines] == ["Replica", "Central directory"]
    ours = pairs.lines[0]
    assert ours.who == "Agents"
    assert ours.verdict.startswith("0.")
    assert "× asyncio tasks (0." in ours.verdict
    rate = next(one.figures["round_trips_per_s"].mean for one in found.rows if one.exchange.load == 100)
    assert ours.value == rate


def test_what_is_open_is_said_once_with_what_would_tell(tmp_path):
    made = make_run(tmp_path / "run", [*plan(pairs=(1, 10)), *create_plan()])
    text = shown(Document(made))
    assert text.count("inconclusive: ") == 4
    assert "! 4 comparisons inconclusive; --repeat 5 would tell" in text
    assert text.count("--repeat 5 would tell") == 1


def test_an_experiment_by_itself_has_its_baselines(tmp_path):
    made = make_run(tmp_path / "run", plan(pairs=(1, 10)))
    (block,) = blocks(Document(made))
    assert [line.who for line in block.lines] == [
        "Agents", "Micro-agents", "Agents, xmpp", "asyncio tasks", "Callbacks", "TCP sockets"
    ]  # fmt: skip
    assert [line.verdict for line in block.lines[3:]] == [""] * 3


def test_of_many_experiments_there_is_a_line_each(run):
    rows = [row(experiment=name, **{one.main_metric.name: 2.0}) for name, one in EXPERIMENTS.items()]
    lines = shown(document(run, rows)).splitlines()
    assert len(lines) <= MOST
    assert f"{len(blocks(document(run, rows)))} experiments" in lines[2]
    assert sum("more lines" in line for line in lines) == 1


def test_the_line_of_an_experiment_is_one_that_has_what_it_is_about():
    lines = [Line("a", ("1 µs", "")), Line("b", ("", "2 k/s"), "as fast")]
    brief = briefly([Block("x", ("1 pair", "10 pairs", ""), lines, main=1)])
    assert [(one.who, one.figures, one.verdict) for one in brief.lines] == [("x", ("2 k/s",), "as fast")]


def test_what_is_wrong_is_said(run):
    part = document(run, [row(rtt_p50_us=2.0)])
    about = "left out: spade is not installed; " + "it can be; " * 100
    part.run.manifest = replace(run.manifest, complete=False, left_out=about)
    text = shown(part)
    assert "! partial run; resume it with: formicary bench run --resume" in text
    assert "! left out: spade is not installed" in text
    assert len(text.splitlines()) <= MOST


def test_names_of_others_do_not_steer_the_terminal(run):
    text = shown(document(run, [row(EVIL, "", experiment=EVIL, rtt_p50_us=1.0)]))
    assert "\x1b" not in text
