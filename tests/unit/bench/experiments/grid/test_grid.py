"""Grids: what is planned, what a tally says, that no swap loses a number, and what reports show."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.bench.synthetic import STARTED, make_run

from formicary.errors import UsageError
from formicary_bench import published
from formicary_bench.experiments.grid.apart import Part
from formicary_bench.experiments.grid.cells import Board, sums_of
from formicary_bench.experiments.grid.swap import (
    BY_CHANCE,
    DEVIATION,
    EACH,
    GRANTED,
    MESSAGES,
    REFUSED,
    REQUESTS,
    UNFAIRNESS,
    Swapping,
)
from formicary_bench.experiments.grid.swap import HELD as HOLDS
from formicary_bench.reports.document.sections import sections_of
from formicary_bench.results.store.model import Repetition
from formicary_bench.results.store.raw import Tallies
from formicary_bench.results.summary.commands import command
from formicary_bench.results.summary.each import named
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import describe, make_plan
from formicary_bench.vocabulary.names import OF_FAIRNESS
from formicary_bench.vocabulary.values import HELD_BYTES, MICRO_COPIED, active_of
from formicary_bench.worker.workload import Tally

SPEEDS = {"micro": 2.0, MICRO_COPIED: 1.0, "": 4.0}


def plan(**typed):
    return make_plan(parse("grid/swap", seed="1", **typed))


def tallies(configuration, speed=1.0):
    """Return agents of which half made all swaps, and half one less, or none was ever asked."""
    sizes = Swapping.of(configuration)
    half = sizes.cells / 2
    return Tallies(
        swaps=np.array([sizes.swaps - 2, sizes.swaps]),
        agents=np.array([half, half], dtype=np.int64),
        refused=np.array([half, 0], dtype=np.int64),
        seconds=np.full(2, 1 / speed),
    )


def run_of(path, configurations, repetitions=6):
    run = make_run(path, configurations, repetitions=0, complete=False)
    for number in range(1, repetitions + 1):
        for one in configurations:
            known = Repetition(
                configuration=one.key,
                number=number,
                seed=number,
                started=STARTED,
                ended=STARTED,
                counters={HELD_BYTES: 1e6},
            )
            run.add(known, tallies(one, SPEEDS[one.kind] * (1 + number / 1000)))
    run.finish(load_after=(0.0, 0.0, 0.0))
    return run


def test_a_grid_is_in_one_container_unless_more_are_asked_for():
    assert {(one.placement, Swapping.of(one).containers) for one in plan()} == {("same-container", 1)}
    both = plan(containers="1,2", dimension="10")
    assert [(one.platform, one.kind, Swapping.of(one).containers, one.route) for one in both] == [
        ("formicary", "micro", 1, "in-process"),
        ("formicary", MICRO_COPIED, 1, "in-process"),
        ("callbacks", "", 1, "in-process"),
        ("formicary", "micro", 2, "direct"),
        ("formicary", MICRO_COPIED, 2, "direct"),
    ]
    apart = plan(containers="1,2", placement="two-containers")
    assert {Swapping.of(one).containers for one in apart} == {2}


def test_the_papers_grids():
    paper = [Swapping.of(one) for one in plan(preset="paper")]
    assert {one.cells for one in paper} == {
        25,
        *(int(one.at) for one in published.TABLES[OF_FAIRNESS].lines()),
    }
    assert {one.swaps for one in paper} == {1000}
    assert active_of(100) == 1000


def test_a_command_measures_the_same_again():
    one = plan(containers="2", dimension="10", swaps="5")[-1]
    assert "--dimension 10" in command(one)
    assert "--swaps 5" in command(one)
    assert "--containers 2" in command(one)
    assert describe(one).endswith("10 cells a side, 5 swaps, 2 containers")
    assert one.key.endswith("/containers-2-dimension-10-swaps-5")


def test_each_container_has_rows():
    with pytest.raises(UsageError, match=r"with 3 cells a side cannot be spread over 4 containers"):
        plan(dimension="3", containers="4")


@given(st.integers(2, 20), st.integers(1, 6), st.integers(0, 99))
def test_parts_are_the_whole_grid_and_as_many_ask_as_are_to(dimension, containers, seed):
    parts = [
        Part(one, min(containers, dimension), dimension, 1, seed) for one in range(min(containers, dimension))
    ]
    assert [number for part in parts for number in part.cells] == list(range(dimension**2))
    assert sum(len(part.asking) for part in parts) == active_of(dimension)
    names = parts[0].names("lab")
    assert [int(name.partition("@")[0].removeprefix("cell-")) for name in names] == list(range(dimension**2))
    assert all(names[part.cells.start].endswith(f"@c{part.container + 1}.lab") for part in parts)


@given(st.integers(2, 6), st.integers(1, 30), st.integers(0, 99))
async def test_swaps_lose_no_number_and_end_when_the_first_has_made_enough(dimension, most, seed):
    board = Board(most, seed, dimension**2)
    asking = random.Random(seed).sample(range(dimension**2), active_of(dimension))
    board.choose(asking)
    for place in asking:
        board.cells[place].ask()
    while board.queue:
        function, argument = board.queue.popleft()
        function(argument)
    assert board.over.is_set()
    assert await board.rest() == sums_of(dimension**2)
    made = board.tally.made
    assert max(made) == most
    assert sum(agents for agents, _ in made.values()) == dimension**2


def test_a_tally_adds_up():
    tally = Tally()
    tally.add(3, 1)
    tally.add(3, 2)
    tally.add(4, 0, agents=5)
    assert tally.made == {3: (2, 3), 4: (5, 0)}
    assert tally.requests == 2 * 3 + 3 + 5 * 4


def test_rows_have_rates_and_how_evenly_agents_have_swapped(tmp_path):
    (one,) = plan(dimension="10", swaps="10", platform="callbacks")
    (row,) = summarise(run_of(tmp_path / "run", [one]))
    wanted = {
        REQUESTS: pytest.approx(950 * 4, rel=0.01),
        MESSAGES: pytest.approx(1900 * 4, rel=0.01),
        GRANTED: pytest.approx(900 * 4, rel=0.01),
        REFUSED: pytest.approx(50 / 950),
        EACH: 9,
        DEVIATION: 1,
        BY_CHANCE: pytest.approx(1 / math.sqrt(9)),
        UNFAIRNESS: pytest.approx(0.2),
        HOLDS: 1e6,
    }
    assert {name: one.mean for name, one in row.figures.items()} == named(wanted)


def test_a_repetition_in_which_nobody_swapped_has_no_figures(tmp_path):
    (one,) = plan(dimension="10", platform="callbacks")
    run = make_run(tmp_path / "run", [one], repetitions=0, complete=False)
    nothing = Tallies(*(np.array([0]) for _ in range(3)), np.array([1.0]))
    run.add(Repetition(configuration=one.key, number=1, seed=1, started=STARTED, ended=STARTED), nothing)
    run.finish(load_after=(0.0, 0.0, 0.0))
    (row,) = summarise(run)
    assert (row.figures, row.each) == ({}, ())
    (section,) = sections_of(run)
    assert section.charts == []


def test_a_section_has_what_each_is_held_against_and_the_published_deviations(tmp_path):
    (section,) = sections_of(run_of(tmp_path / "run", plan(dimension="10,15", swaps="1000")))
    columns = {column.title: column.cells for column in section.columns}
    assert columns["cells a side"] == ("10", "15") * 3
    assert columns["baseline"] == ("callbacks",) * 4 + ("",) * 2
    assert columns["beside it"][0].startswith("2.0× slower (")
    assert [sentence.partition(" make ")[0] for sentence in section.sentences] == [
        "In one process, micro-agents on a grid of 15 cells a side",
        "In one process, micro-agents, copies on a grid of 15 cells a side",
    ]
    extras = {extra.title: extra for extra in section.extras}
    beside = {c.title: c.cells for c in extras["Beside the published figures"].columns}
    kilim = beside["who"].index("Kilim (Frantz 2010, Table 2)")
    assert (beside["at"][kilim], beside["deviation"][kilim]) == ("100", "25.1")
    titles = [chart.title for chart in section.charts]
    assert titles[0].startswith("After Frantz 2010, Fig. 2: ")
    assert titles[1] == "After Frantz 2010, Table 2: How evenly agents get to swap"
    verdicts = {column.title: column.cells for column in extras["Which is faster"].columns}
    assert set(zip(verdicts["who"], verdicts["compared with"], strict=True)) == {
        ("Micro-agents, copies", "Micro-agents")
    }
