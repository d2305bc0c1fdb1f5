"""The drivers that come with the laboratory, where they are installed: nobody has to have Java.

SPADE's is tried with the SPADE that tests have.
"""

import shutil
import subprocess
from contextlib import nullcontext
from pathlib import Path

import psutil
import pytest
from tests.integration.bench.conftest import Silent
from tests.integration.bench.subjects.drivers.conftest import hello_of, keep
from tests.plugins import spade_environment

import formicary_bench.subjects.drivers
from formicary_bench.experiments.memory.measure import measure_memory
from formicary_bench.results.summary.cpu import cpu_estimates
from formicary_bench.runner.execution.repetition import Task, measure, roles_of
from formicary_bench.runner.execution.resources import private_server
from formicary_bench.runner.observers.observer import Observer
from formicary_bench.runner.observers.profiled import measure_profiled
from formicary_bench.subjects.drivers.installed import Entry, entry_of, subject_for
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.names import (
    CONTRACT_NET,
    CREATE_REMOTE,
    DISPATCH,
    MEDIATED,
    MEMORY,
    REQUEST,
    ROAM,
    SWAP,
    TRAFFIC_RECEPTION,
    TRAFFIC_RING,
)
from formicary_bench.vocabulary.places import HOSTED
from formicary_bench.vocabulary.values import SETTLED, WAYS, laps, smallest_of

pytestmark = pytest.mark.drivers
PLATFORMS = (
    "jade",
    "jason",
    "jason-pool",
    "jason-synchronous",
    "jetlang",
    "kilim",
    "madkit",
    "mango",
    "mango-lean",
    "pekko",
    pytest.param("spade", marks=[pytest.mark.spade, pytest.mark.server]),
)


def here(hello):
    """Return the carriers of a platform's messages on this machine, by placement."""
    carriers = subject_for(hello).carriers
    return [(placement, carriers[placement]) for placement in carriers if placement not in HOSTED]


def keep_spade():
    """Install the driver of SPADE in the tests' environment for it."""
    command = (
        str(spade_environment.PYTHON),
        str(Path(formicary_bench.subjects.drivers.__file__).parent / "python" / "spade_driver.py"),
    )
    keep(command, hello_of(command))


@pytest.fixture(params=PLATFORMS)
def hello(request, tmp_path, monkeypatch):
    if request.param == "spade":
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        keep_spade()
    entry = entry_of(request.param)
    if not isinstance(entry, Entry):
        pytest.skip(f"not installed: formicary bench platforms install {request.param}")
    return entry.hello


class Looking(Observer):
    """Records where the drivers of a run listen, when all are ready."""

    def __init__(self):
        self.found = set()

    def begin(self, workers):
        for process in psutil.Process().children(recursive=True):
            connections = process.net_connections(kind="inet")
            self.found.update(one.laddr.ip for one in connections if not one.raddr)


@pytest.fixture
def server(hello):
    """Run the server that the platform needs, if any."""
    with private_server() if hello.server else nullcontext() as server:
        yield server


@pytest.mark.parametrize(
    "experiment",
    [
        pytest.param("messaging/pairs", marks=pytest.mark.full("the other has pairs, too, and more")),
        "messaging/many-to-one",
    ],
)
def test_it_makes_all_round_trips_and_listens_on_the_loopback_interface_only(hello, server, experiment):
    if experiment not in hello.experiments:
        pytest.skip(f"{hello.name} does not do {experiment}")
    for placement, (carrier, *_) in here(hello):
        looking = Looking()
        senders = 0 if experiment == "messaging/pairs" else 3
        configuration = Configuration(
            experiment=experiment,
            platform=hello.name,
            placement=placement,
            route=carrier.route,
            parameters={"pairs": 3, "senders": senders, "payload_bytes": 100, "rounds": (10, 20, 10)},
        )
        needed = server.prepare(configuration) if server else None
        repetition, data = measure(Task(configuration, 1, 7, needed, warm=False), Silent(), observer=looking)
        assert repetition.round_trips == 60
        assert len(data.rtt_ns) == 120
        # As IPv6 writes it, too; an empty set where all is in one process that listens nowhere.
        assert looking.found <= {"127.0.0.1", "::ffff:127.0.0.1", "::1"}
        if placement == "two-containers":
            assert looking.found


@pytest.mark.parametrize(
    ("experiment", "way"),
    [
        *((experiment, way) for experiment in (CREATE_REMOTE, DISPATCH) for way in WAYS),
        (ROAM, ""),
    ],
)
def test_it_makes_loops_of_what_its_agents_do_elsewhere(hello, experiment, way):
    if experiment not in hello.experiments:
        pytest.skip(f"{hello.name} does not do {experiment}")
    looking = Looking()
    asked = Configuration(
        experiment=experiment,
        platform=hello.name,
        placement="two-containers",
        route="own",
        parameters={"payload_bytes": 1000, "loop": 20, "way": way},
    )
    repetition, data = measure(Task(asked, 1, 7, warm=False), Silent(), observer=looking)
    assert data.agents.tolist() == list(laps(20, smallest_of(experiment)))
    assert (data.seconds > 0).all()
    assert repetition.counters[SETTLED] == 0  # it was only tried
    assert looking.found <= {"127.0.0.1", "::ffff:127.0.0.1", "::1"}


@pytest.mark.parametrize(("experiment", "echoes"), [(TRAFFIC_RING, 0), (TRAFFIC_RECEPTION, 2)])
def test_it_makes_traffic_in_a_ring_and_to_few_receivers(hello, experiment, echoes):
    if experiment not in hello.experiments:
        pytest.skip(f"{hello.name} does not do {experiment}")
    asked = Configuration(
        experiment=experiment,
        platform=hello.name,
        parameters={
            "pairs": 5,
            "echoes": echoes,
            "payload_bytes": 100,
            "containers": 1,
            "rounds": (10, 100, 10),
        },
    )
    repetition, _ = measure(Task(asked, 1, 7, warm=False), Silent())
    assert repetition.round_trips == 500


def test_the_cpu_time_of_its_threads_is_known_by_group(hello):
    if not hello.threads:
        pytest.skip(f"{hello.name} does not tell its threads apart")
    for placement, carriers in here(hello):
        asked = Configuration(
            experiment="messaging/cpu",
            platform=hello.name,
            placement=placement,
            route=carriers[0].route,
            profiled=True,
            parameters={"pairs": 10, "payload_bytes": 100, "rounds": (500, 2000, 500)},
        )
        known, _, profiles = measure_profiled(Task(asked, 1, 7, warm=False), Silent())
        used = cpu_estimates([known], [profiles]).groups
        assert known.counters["items"] == 30_000
        assert {one.process for one in used} == {*roles_of(asked)}
        assert all(one.us.mean > 0 for one in used if one.group in {"agents", "runtime"})


def test_its_idle_agents_are_weighed(hello):
    if MEMORY not in hello.experiments:
        pytest.skip(f"{hello.name} does not do {MEMORY}")
    asked = [
        Configuration(experiment=MEMORY, platform=hello.name, route="none", parameters={"agents": agents})
        for agents in (1, 1000)
    ]
    few, many = (measure_memory(Task(one, 1, 7), Silent())[1] for one in asked)
    assert 0 < few.traced_bytes[0] < many.traced_bytes[0] < many.uss_bytes[0]


@pytest.mark.parametrize(("experiment", "senders"), [(REQUEST, 0), (CONTRACT_NET, 1)])
def test_it_has_conversations(hello, experiment, senders):
    if experiment not in hello.experiments:
        pytest.skip(f"{hello.name} does not do {experiment}")
    for placement, carriers in here(hello):
        asked = Configuration(
            experiment=experiment,
            platform=hello.name,
            placement=placement,
            route=carriers[0].route,
            parameters={"pairs": 3, "senders": senders, "payload_bytes": 100, "rounds": (5, 10, 5)},
        )
        repetition, _ = measure(Task(asked, 1, 7, warm=False), Silent())
        assert repetition.round_trips == 10 * asked.exchange.load


def test_it_makes_rounds_of_a_service(hello):
    if MEDIATED not in hello.experiments:
        pytest.skip(f"{hello.name} does not do {MEDIATED}")
    asked = Configuration(experiment=MEDIATED, platform=hello.name, parameters={"requests": 40})
    _, data = measure(Task(asked, 1, 7, warm=False), Silent())
    assert data.agents.tolist() == [2] * 20
    assert (data.seconds > 0).all()


def test_it_runs_a_grid(hello):
    if SWAP not in hello.experiments:
        pytest.skip(f"{hello.name} does not do {SWAP}")
    asked = Configuration(
        experiment=SWAP,
        platform=hello.name,
        parameters={"dimension": 6, "swaps": 20, "containers": 1},
    )
    _, data = measure(Task(asked, 1, 7, warm=False), Silent())
    assert data.agents.sum() == 36
    assert data.swaps.max() >= 20
    assert (data.seconds > 0).all()


MADKIT = {
    "madkit/action/KernelAction.java": "public enum KernelAction { LAUNCH_AGENT }",
    "madkit/kernel/Madkit.java": """public class Madkit {
        public static final String VERSION = "5";
        public Madkit(String... options) { }
        public void doAction(madkit.action.KernelAction action, Object... parameters) { }
    }""",
    "madkit/kernel/AgentAddress.java": "public class AgentAddress { }",
    "madkit/kernel/Message.java": "public class Message { }",
    "madkit/kernel/AbstractAgent.java": """public class AbstractAgent {
        public enum ReturnCode { SUCCESS }
        public final boolean isAlive() { return true; }
        public ReturnCode createGroup(String community, String group) { return null; }
        public ReturnCode requestRole(String community, String group, String role) { return null; }
        public AgentAddress getAgentWithRole(String community, String group, String role) { return null; }
        public ReturnCode sendMessage(AgentAddress receiver, Message message) { return null; }
        public ReturnCode sendReply(Message question, Message reply) { return null; }
        protected void activate() { }
    }""",
    "madkit/kernel/Agent.java": """public class Agent extends AbstractAgent {
        public Message waitNextMessage() { return null; }
        protected void live() { }
    }""",
    "madkit/message/StringMessage.java": """public class StringMessage extends madkit.kernel.Message {
        public StringMessage(String content) { }
        public String getContent() { return null; }
    }""",
    "formicary/lab/Lab.java": """public final class Lab {
        public static void serve(String name, String version, java.util.List<String> at, Platform one) { }
    }""",
}
"""What the driver uses of MaDKit 5, and of the conversation with the laboratory, which needs a library."""


@pytest.mark.full("these sources seldom change")
def test_the_driver_of_madkit_compiles_where_nobody_has_its_jar(tmp_path):
    if not shutil.which("javac"):
        pytest.skip("there is no javac")
    java = Path(formicary_bench.subjects.drivers.__file__).parent / "java"
    sources = sorted((java / "madkit").rglob("*.java"))
    sources += [
        java / "lab/src/main/java/formicary/lab" / f"{name}.java" for name in ("Job", "Platform", "Times")
    ]
    for name, text in MADKIT.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"package {name.rpartition('/')[0].replace('/', '.')};\n{text}")
        sources.append(path)
    command = ["javac", "-d", str(tmp_path / "classes"), "-Werror", *map(str, sources)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
