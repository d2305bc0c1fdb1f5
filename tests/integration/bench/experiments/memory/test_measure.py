"""Real measurements of memory and of the wire, tiny ones."""

import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from tests.integration.bench.conftest import perform
from tests.integration.bench.subjects.drivers.conftest import hello_of, keep

from formicary_bench.experiments.memory import measure
from formicary_bench.runner import RepetitionError
from formicary_bench.runner.execution import own_network
from formicary_bench.runner.execution.measures import measure_as_planned
from formicary_bench.runner.execution.own_network import SHARED, has_own_network
from formicary_bench.runner.execution.repetition import Task
from formicary_bench.runner.planning.options import Options
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.parameters.shared import Agents

OWN = ("formicary-behaviours",)


def measured(configuration, silent):
    return measure_as_planned(Task(configuration, 1, 7), silent())


def network():
    place = Path("/proc/self/ns/net")
    return place.readlink() if place.exists() else None


def test_each_state_holds_more_than_the_one_before(silent, started):
    plan = make_plan(Options("memory", sizes={"agents": (3000,)}))
    held = [measured(configuration, silent).data for configuration in plan]
    uss = [int(one.uss_bytes[0]) for one in held]
    traced = [int(one.traced_bytes[0]) for one in held]
    assert uss[0] < uss[1] < uss[2] < min(uss[3:])
    assert traced[0] < traced[1] < traced[2] < min(traced[3:])
    # An agent with a behaviour holds more than a micro-agent, and Python knows of most of it.
    behaviours, micro = ((number - traced[2]) / 3000 for number in traced[3:])
    assert 0 < micro < behaviours
    assert started() == []


HOLDING = """
import json, sys
print(json.dumps({hello!r}), flush=True)
for order in map(json.loads, sys.stdin):
    if order["type"] == "stop":
        sys.exit()
    elif order["type"] == "prepare":
        agents = [bytes(10_000) for _ in range(order["receivers"])]
        assert (order["role"], order["experiment"], order["times"]) == ("echo", "memory", "")
        print(json.dumps({{"type": "ready", "endpoint": ""}}), flush=True)
    elif {ends}:
        sys.exit("out of memory")
    else:
        print(json.dumps({{"type": "done", "held_bytes": 10_000 * len(agents) + 1}}), flush=True)
"""


@pytest.fixture
def with_driver(tmp_path, monkeypatch):
    """Install a driver whose agents hold ten kilobytes each, or that ends while it is weighed."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def install(*, ends=False):
        hello = {"type": "hello", "protocol": 1, "name": "holding", "version": "1"}
        hello |= {"experiments": ["memory"], "placements": ["same-container"]}
        script = tmp_path / "holding.py"
        script.write_text(HOLDING.format(hello=hello, ends=ends))
        command = sys.executable, str(script)
        keep(command, hello_of(command))

    return install


def test_another_platform_is_weighed_with_its_agents_and_without(silent, started, with_driver):
    with_driver()
    plan = make_plan(Options("memory", subjects=("holding",)))
    assert [Agents.of(one).agents for one in plan] == [0, 100, 1000]
    held = [measured(one, silent).data for one in plan]
    assert [int(one.traced_bytes[0]) for one in held] == [1, 1_000_001, 10_000_001]
    assert int(held[2].uss_bytes[0]) > int(held[0].uss_bytes[0]) + 5_000_000
    assert started() == []
    asked = make_plan(Options("memory", subjects=("holding",), sizes={"agents": (5000,)}))
    assert [Agents.of(one).agents for one in asked] == [0, 5000]


def test_a_platform_that_ends_as_it_is_weighed_says_why(silent, started, with_driver):
    with_driver(ends=True)
    one, *_ = make_plan(Options("memory", subjects=("holding",)))
    with pytest.raises(
        RepetitionError, match="holding ended with exit code 1; its last words: out of memory"
    ):
        measured(one, silent)
    assert started() == []


def test_a_process_that_cannot_be_weighed_says_why(silent, started, monkeypatch):
    monkeypatch.setattr(measure, "BARE", "raise SystemExit('no more room')")
    (configuration,) = make_plan(Options("memory", subjects=("python",)))
    with pytest.raises(RepetitionError, match=r"ended with exit code 1: no more room"):
        measured(configuration, silent)
    assert started() == []


def test_a_process_that_never_gets_ready_is_ended(silent, started, monkeypatch):
    monkeypatch.setattr(measure, "BARE", "import sys; sys.stdin.read()")
    monkeypatch.setattr(measure, "_QUIET_SECONDS", 0.2)
    (configuration,) = make_plan(Options("memory", subjects=("python",)))
    with pytest.raises(RepetitionError, match=r"was silent for 0\.2 s"):
        measured(configuration, silent)
    assert started() == []


@pytest.mark.grid
@pytest.mark.parametrize("kind", ["behaviours", "micro"])
@pytest.mark.parametrize("placement", ["same-container", "two-containers"])
def test_memory_is_looked_at_while_messages_go_to_and_fro(placement, kind, silent, monkeypatch):
    monkeypatch.setattr(measure, "_FEWEST", 2)
    options = Options(
        "memory/growth",
        sizes={"seconds": 2, "pairs": (2,)},
        placements=(placement,),
        subjects=(f"formicary-{kind}",),
        routes=("direct",) if placement == "two-containers" else None,
    )
    (configuration,) = make_plan(options)
    looks = measured(configuration, silent).data
    assert (looks.messages[1:] >= looks.messages[:-1]).all()
    assert looks.messages[-1] > 0
    assert (looks.uss_bytes > 1_000_000).all()


def test_a_time_in_which_nothing_can_be_seen_to_grow_is_refused(silent):
    options = Options("memory/growth", sizes={"seconds": 1}, placements=("same-container",), subjects=OWN)
    (configuration,) = make_plan(options)
    with pytest.raises(RepetitionError, match="measure for more seconds"):
        measured(configuration, silent)


@pytest.mark.parametrize(
    "tls", [(True,), pytest.param((False, True), marks=pytest.mark.full("without, too"))]
)
def test_bodies_and_what_carries_them_are_on_the_wire(tls, silent, tmp_path):
    options = Options(
        "network",
        sizes={"pairs": (20,), "payload_bytes": (1000,), "rounds": (20, 200, 50)},
        subjects=(*OWN, "tcp"),
        routes=("direct",),
        tls=tls,
    )
    before = network()
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    for repetition in outcome.folder.manifest.repetitions:
        counted = repetition.counters
        # Whatever else there is on the wire: the bodies of both messages of each round trip are.
        assert counted["wire_bytes"] > counted["round_trips"] * 2000
        assert counted["wire_packets"] > 0
    assert not has_own_network()
    assert network() == before


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has networks for one process alone")
@pytest.mark.usefixtures("as_root")
def test_a_network_of_its_own_has_nothing_else_on_it():
    with own_network.own_network():
        assert has_own_network()
        assert list(psutil.net_if_addrs()) == ["lo"]
        listed = subprocess.run(["cat", "/proc/net/dev"], capture_output=True, text=True, check=True).stdout
        assert [line.split(":")[0].strip() for line in listed.splitlines()[2:]] == ["lo"]


def test_without_permission_the_figures_say_what_else_is_in_them(silent, monkeypatch, tmp_path):
    monkeypatch.setattr(own_network.ctypes, "CDLL", lambda *_, **__: Refusing())
    options = Options(
        "network",
        sizes={"pairs": (2,), "rounds": (20, 100, 50)},
        subjects=("tcp",),
        tls=(False,),
    )
    outcome = perform(options, tmp_path / "run", silent())
    assert [repetition.notes for repetition in outcome.folder.manifest.repetitions] == [(SHARED,)]


class Refusing:
    def unshare(self, _):
        return -1


@pytest.mark.server
def test_through_the_server_each_message_goes_over_the_wire_twice(silent, tmp_path):
    options = Options(
        "network",
        sizes={"pairs": (5,), "payload_bytes": (5000,), "rounds": (20, 200, 100)},
        subjects=OWN,
        routes=("direct", "xmpp"),
        tls=(False,),
    )
    outcome = perform(options, tmp_path / "run", silent())
    assert outcome.problems == []
    by_route = {
        repetition.configuration.split("/")[3]: repetition.counters
        for repetition in outcome.folder.manifest.repetitions
    }
    # Each message goes from a container to the server, or from it: the asking one sees one way of each.
    assert by_route["direct"]["to_server"] == by_route["direct"]["from_server"] == 0
    # Of each pair, a message may have been on its way when it began to count.
    least = {route: 5000 * (one["round_trips"] - 5) for route, one in by_route.items()}
    assert by_route["direct"]["to_others"] > least["direct"]
    for way in ("to_server", "from_server"):
        assert by_route["xmpp"][way] > least["xmpp"]
    assert by_route["xmpp"]["to_others"] == 0
    each = {route: one["wire_bytes"] / one["round_trips"] / 2 for route, one in by_route.items()}
    assert 5000 < each["direct"] < 10_000 < each["xmpp"]
