"""Loops are made, for real, and agents of all kinds do in them what they are there for."""

import pytest

from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.execution.worker_hosts import LocalHost, WorkerSlot
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.places import MEMBER
from formicary_bench.vocabulary.values import laps, smallest_of

EXPERIMENTS = (
    *("create-local", "create-remote", "one-way", "two-way", "synchronize", "proxy", "forward-messages"),
    *("dispatch", "messenger", "roam", "forward-agents", "wake", "mediators", "meeting"),
)
MEDIATED = {"proxy", "forward-messages", "mediators"}
ON_HOSTS = ("proxy", "forward-messages", "mediators", "roam", "forward-agents")


def configurations(experiment, **typed):
    about = {"pairs": "3"} if experiment in MEDIATED else {}
    loop = "8" if experiment == "roam" else "5"
    plan = make_plan(
        parse(f"mobile/{experiment}", seed="1", loop=loop, platform="formicary", **about, **typed)
    )
    return [one for one in plan if one.route != "xmpp"]


def of_ours(name):
    first, *others = configurations(name)
    later = pytest.mark.full("another way, or another kind of agents")
    return [
        pytest.param(first, id=first.key),
        *(pytest.param(one, id=one.key, marks=later) for one in others),
    ]


def check(one, silent, slots=()):
    repetition, data = measure(Task(one, 1, 7, slots=slots), silent())
    assert data.agents.tolist() == list(laps(one.parameters["loop"], smallest_of(one.experiment)))
    assert (data.seconds > 0).all()
    assert repetition.invalid == ()


@pytest.mark.parametrize("one", [one for name in EXPERIMENTS for one in of_ours(name)])
def test_loops_are_made_in_all_sizes(one, silent):
    check(one, silent)


@pytest.mark.grid
@pytest.mark.parametrize("hosts", [2, 3, 4])
@pytest.mark.parametrize("experiment", ON_HOSTS)
def test_loops_are_made_by_members(experiment, hosts, silent):
    one, *_ = configurations(experiment, placement="n-hosts", hosts=tuple("abcd"[:hosts]), route="direct")
    here = LocalHost()
    check(one, silent, tuple(WorkerSlot(MEMBER, here, "127.0.0.1") for _ in range(hosts)))
