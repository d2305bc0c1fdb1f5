"""A message goes down a tree of agents, and its acknowledgements come up again."""

from pathlib import Path

import pytest

from formicary_bench.experiments.messaging.fan_out_tree import Tree
from formicary_bench.results.store.folder import RunFolder
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.planning.options import Options
from formicary_bench.runner.planning.plan import make_plan


@pytest.mark.parametrize(("branching", "depth", "agents"), [(2, 1, 2), (3, 2, 12), (1, 4, 4)])
def test_a_message_goes_to_every_agent_of_the_tree_and_back(branching, depth, agents, silent):
    sizes = {"branching": (branching,), "depth": (depth,), "rounds": (2, 5, 0)}
    (configuration,) = make_plan(Options("messaging/fan-out-tree", sizes=sizes))
    assert Tree.of(configuration).agents == agents
    repetition, data = measure(Task(configuration, 1, 7), silent())
    assert repetition.round_trips == 5
    assert (data.rtt_ns > 0).all()


def test_messages_per_second_are_those_of_all_agents(bench):
    sizes = ("--branching", "2,3", "--depth", "2", "--rounds", "2,10,0")
    ended = bench("run", "messaging/fan-out-tree", *sizes, "--repeat", "2", "--output", "run")
    assert ended.code == 0, ended.err
    rows = {row.size("branching"): row for row in summarise(RunFolder.open(Path("run")))}
    assert rows.keys() == {2, 3}
    for branching, row in rows.items():
        messages = 2 * (branching + branching**2)
        for one in row.each:
            assert one.values["messages_per_s"] == pytest.approx(messages * 1e6 / one.values["rtt_mean_us"])
