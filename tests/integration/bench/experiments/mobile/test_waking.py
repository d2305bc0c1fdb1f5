"""Agents sleep and are woken, for real, and one that sleeps is weighed."""

import pytest

from formicary_bench.experiments.mobile import waking
from formicary_bench.experiments.mobile.play import LIVING, by_agents
from formicary_bench.experiments.mobile.waking import FEWEST, weighed, weighing
from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.values import ASLEEP, AWAKE, IN_FILE, laps
from formicary_bench.worker.messages import Job
from formicary_bench.worker.workload import Workload

OTHER = pytest.mark.full("the other way to be woken")
LOOP = 5


def planned(way, loop=2):
    (one,) = make_plan(parse("mobile/wake", seed="1", loop=str(loop), platform="formicary", way=way))
    return one


@pytest.mark.parametrize("way", ["by-time", pytest.param("by-message", marks=OTHER)])
def test_one_that_sleeps_holds_little_of_the_memory_and_something_of_the_file(way, silent):
    repetition, _ = measure(Task(planned(way), 1, 7), silent())
    held = repetition.counters
    assert {AWAKE, ASLEEP, IN_FILE} <= set(held)
    assert 0 < held[ASLEEP] < held[AWAKE] / 4
    assert 50 < held[IN_FILE] < held[AWAKE]


@pytest.mark.parametrize(("way", "together"), [("by-time", 500), ("by-time", 3), ("by-message", 3)])
async def test_all_wake_once_also_where_they_fall_asleep_a_few_at_a_time(way, together, monkeypatch):
    monkeypatch.setattr(waking, "_TOGETHER", together)
    _, work = await played(way, monkeypatch)
    assert [size for size, _, _ in work.batches] == list(laps(LOOP))
    assert all(seconds > 0 for _, seconds, _ in work.batches)
    assert work.steps == sum(laps(LOOP))
    assert (waking.MORNING.left, LIVING) == (0, [])


async def test_those_who_are_due_before_all_have_fallen_asleep_do_so_again_later(monkeypatch):
    monkeypatch.setattr(waking, "_AT_LEAST", 0.0)
    monkeypatch.setattr(waking, "_OF_EACH", 1e-5)
    loops, work = await played("by-time", monkeypatch)
    assert loops._patience > 1
    assert [size for size, _, _ in work.batches] == list(laps(LOOP))
    assert all(seconds > 0 for _, seconds, _ in work.batches)
    assert work.steps == sum(laps(LOOP))
    assert LIVING == []


def test_what_is_new_is_weighed_and_so_many_together_that_what_there_is_once_is_little():
    with weighing() as held:
        before = held()
        new = bytes(100_000)
        assert 100_000 <= held() - before < 110_000
        del new
        assert held() - before < 10_000
    assert weighed(planned("by-time")) == FEWEST
    assert weighed(planned("by-time", 40_000)) == 40_000


async def played(way, monkeypatch):
    """Make all loops in this process; return the play, and its workload."""
    monkeypatch.setattr(waking, "_weigh", nothing)
    work = Workload(Job(planned(way, LOOP), "both", 1))
    loops = waking.Wake(work)
    async with by_agents(loops) as role:
        await role.measure()
        assert [agent.name for agent in loops.home.agents] == ["conductor"]
        assert role.complaint() == ""
    return loops, work


async def nothing(*_):
    return {}
