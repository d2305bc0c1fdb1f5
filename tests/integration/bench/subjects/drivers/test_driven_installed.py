"""The drivers that come with the laboratory, where they are installed: nobody has to have Java.

SPADE's is tried with the SPADE that tests have.
"""

import asyncio
import sys
from contextlib import nullcontext
from pathlib import Path

import psutil
import pytest
from tests.integration.bench.conftest import Silent
from tests.integration.bench.subjects.drivers.conftest import keep

import formicary_bench.subjects.drivers
from formicary_bench.runner.execution.repetition import Task, measure
from formicary_bench.runner.execution.resources import private_server
from formicary_bench.runner.observers.observer import Observer
from formicary_bench.subjects.drivers.catalogue import subject_for
from formicary_bench.subjects.drivers.installed import Entry, entry_of
from formicary_bench.subjects.drivers.installing import ask
from formicary_bench.vocabulary.configuration import Configuration

pytestmark = pytest.mark.drivers
PLATFORMS = (
    "jade",
    "jason",
    "mango",
    pytest.param("spade", marks=[pytest.mark.spade, pytest.mark.server]),
)


def keep_spade():
    """Have the driver of SPADE be installed with the tests' own Python."""
    command = (
        sys.executable,
        str(Path(formicary_bench.subjects.drivers.__file__).parent / "python" / "spade_driver.py"),
    )
    keep(command, asyncio.run(ask(command)))


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
    """Notes where the drivers of a run listen, when all are ready."""

    def __init__(self):
        self.found = set()

    def begin(self, workers):
        for process in psutil.Process().children(recursive=True):
            connections = process.net_connections(kind="inet")
            self.found.update(one.laddr.ip for one in connections if not one.raddr)


@pytest.fixture
def server(hello):
    """Run the server that the platform needs, if it needs one."""
    with private_server() if hello.server else nullcontext() as server:
        yield server


@pytest.mark.parametrize("experiment", ["messaging/pairs", "messaging/many-to-one"])
def test_it_makes_all_round_trips_and_listens_on_the_loopback_interface_only(hello, server, experiment):
    for placement, (carrier, *_) in subject_for(hello).carriers.items():
        looking = Looking()
        senders = 0 if experiment == "messaging/pairs" else 3
        configuration = Configuration(
            experiment=experiment,
            platform=hello.name,
            placement=placement,
            route=carrier.route,
            pairs=3,
            senders=senders,
            payload_bytes=100,
            warm_up=10,
            measured=200,
            cool_down=10,
        )
        needed = server.prepare(configuration) if server else None
        repetition, data = measure(Task(configuration, 1, 7, needed, warm=False), Silent(), observer=looking)
        assert repetition.round_trips == 600
        assert len(data.rtt_ns) == 660
        # As IPv6 writes it, too; an empty set where all is in one process that listens nowhere.
        assert looking.found <= {"127.0.0.1", "::ffff:127.0.0.1", "::1"}
        if placement == "two-containers":
            assert looking.found
