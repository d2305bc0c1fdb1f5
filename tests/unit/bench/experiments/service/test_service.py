"""A service with a coordinator: what is planned, how rounds go by hand, and what is said of them."""

import asyncio

import numpy as np
import pytest
from tests.unit.bench.synthetic import STARTED, make_run

from formicary_bench import published
from formicary_bench.experiments.service import GREW, MESSAGES, ROUNDS, Mediated
from formicary_bench.experiments.service.players import Callbacks, tasks
from formicary_bench.experiments.service.rounds import console, fetch, measure_rounds
from formicary_bench.reports.document.sections import sections_of
from formicary_bench.results.store.model import Repetition
from formicary_bench.results.store.raw import Creations
from formicary_bench.results.summary.commands import command
from formicary_bench.results.summary.each import named
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import describe, make_plan
from formicary_bench.vocabulary.metrics import HOLDS, TOTAL
from formicary_bench.vocabulary.names import OF_A_SERVICE
from formicary_bench.worker.messages import Job
from formicary_bench.worker.workload import Workload

SPEEDS = {"behaviours": 1.0, "micro": 3.0, "": 6.0}


def plan(**typed):
    return make_plan(parse("service/mediated", seed="1", **typed))


def rounds(configuration, speed):
    """Return two batches: the second takes as long as the first, and the process has grown by a page."""
    half = Mediated.of(configuration).requests // 2
    return Creations(
        batch=np.arange(2, dtype=np.int32),
        agents=np.full(2, half),
        seconds=np.full(2, half / 1000 / speed),
        bytes=np.array([1_000_000, 1_004_096]),
    )


def run_of(path, configurations, repetitions=6):
    run = make_run(path, configurations, repetitions=0, complete=False)
    for number in range(1, repetitions + 1):
        for one in configurations:
            known = Repetition(
                configuration=one.key, number=number, seed=number, started=STARTED, ended=STARTED
            )
            run.add(known, rounds(one, SPEEDS[one.kind] * (1 + number / 1000)))
    run.finish(load_after=(0.0, 0.0, 0.0))
    return run


def test_the_papers_rounds():
    paper = {Mediated.of(one).requests for one in plan(preset="paper")}
    assert paper == {int(one.at) for one in published.TABLES[OF_A_SERVICE].lines()}
    assert {(one.platform, one.kind) for one in plan()} == {
        ("formicary", "behaviours"), ("formicary", "micro"), ("tasks", ""), ("callbacks", "")
    }  # fmt: skip


def test_a_command_measures_the_same_again():
    (one,) = plan(requests="7", platform="tasks")
    assert "--requests 7" in command(one)
    assert describe(one).endswith("7 rounds")
    assert one.key.endswith("/requests-7")


async def test_rounds_by_hand_fetch_and_print_once_each():
    (one,) = plan(requests="7", platform="tasks")
    printed = []
    work = Workload(Job(one, "both", 1))
    async with tasks(printed.append) as rounds:
        await measure_rounds(work, rounds)
    assert printed == [fetch()] * 7
    assert sum(many for many, _, _ in work.batches) == 7
    again = Callbacks(printed.append)
    await asyncio.wait_for(again.rounds(5), 30)
    assert printed == [fetch()] * 12


def test_what_is_printed_goes_nowhere(capsys):
    with console() as write:
        write("a line")
    assert capsys.readouterr() == ("", "")


def test_rows_have_the_time_of_all_rounds_and_what_the_process_holds(tmp_path):
    (one,) = plan(requests="1000", platform="tasks")
    (row,) = summarise(run_of(tmp_path / "run", [one]))
    wanted = {
        ROUNDS: pytest.approx(6000, rel=0.01),
        TOTAL: pytest.approx(1 / 6, rel=0.01),
        MESSAGES: pytest.approx(36_000, rel=0.01),
        HOLDS: 1_004_096,
        GREW: 4096,
    }
    assert {name: one.mean for name, one in row.figures.items()} == named(wanted)


def test_a_repetition_without_rounds_has_no_figures(tmp_path):
    (one,) = plan(requests="1000", platform="tasks")
    run = make_run(tmp_path / "run", [one], repetitions=0, complete=False)
    nothing = Creations(*(np.array([0]) for _ in range(4)))
    run.add(Repetition(configuration=one.key, number=1, seed=1, started=STARTED, ended=STARTED), nothing)
    run.finish(load_after=(0.0, 0.0, 0.0))
    (row,) = summarise(run)
    assert (row.figures, row.each) == ({}, ())
    (section,) = sections_of(run)
    assert section.charts == []


def test_a_section_has_verdicts_and_the_published_times(tmp_path):
    (section,) = sections_of(run_of(tmp_path / "run", plan(requests="100,1000")))
    columns = {column.title: column.cells for column in section.columns}
    assert columns["baseline"] == ("asyncio tasks",) * 2 + ("callbacks",) * 2 + ("",) * 4
    assert columns["beside it"][::2] == (
        "6.0× slower (6.0–6.0)", "2.0× slower (2.0–2.0)", "", "",
    )  # fmt: skip
    assert section.sentences[0].startswith("1 000 rounds take agents 997 ms, 1004 per second")
    assert section.sentences[0].endswith("the process grows by 4.10 kB.")
    extras = {extra.title: extra for extra in section.extras}
    beside = {c.title: c.cells for c in extras["Beside the published figures"].columns}
    opal = beside["who"].index("OPAL micro-agents (Frantz 2010, Table 1)")
    assert (beside["at"][opal], beside["total time"][opal]) == ("1000", "0.08 s")
    assert section.charts[0].title == "After Frantz 2010, Fig. 1: Total time against rounds"
    verdicts = {column.title: column.cells for column in extras["Which is faster"].columns}
    assert set(zip(verdicts["who"], verdicts["compared with"], strict=True)) == {("Agents", "Micro-agents")}
