"""Hosts, host agents, workers and controllers that vanish: nothing is left, nothing hangs, and it is said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import psutil
import pytest
from tests.integration.bench.remote.scene import SECONDS, begin, hear, host_agents, job, wait_until

from formicary.errors import ProfilingError
from formicary_bench.remote import HostError
from formicary_bench.remote.host_agent.protocol import Describe
from formicary_bench.remote.session import Session

_CONTROLLER = """
import sys, time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from formicary_bench.remote.inventory import load
from formicary_bench.remote.session import Session

print("begins", flush=True)
hosts = [replace(host, folder=f"{sys.argv[2]}/{host.name}") for host in load(Path(sys.argv[1])).hosts]
while True:
    with Session(hosts) as session, ExitStack() as stack:
        workers = [stack.enter_context(place.worker()) for place in session.worker_hosts.values()]
        print("ready", flush=True)
        while len(sys.argv) < 4:
            time.sleep(1)
"""


@pytest.fixture
def controller(lab, hosts, clean, tmp_path):
    """Return a function that starts a controller, which writes its messages to `stdout`."""
    started = []

    def start(*arguments):
        command = [sys.executable, "-c", _CONTROLLER, str(lab.inventory), str(tmp_path), *arguments]
        started.append(
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        )
        assert started[-1].stdout.readline() == "begins\n"
        return started[-1]

    yield start
    for process in started:
        process.kill()
        with process:
            pass


class TestControllers:
    def test_one_that_is_killed(self, controller, lab):
        process = controller()
        assert process.stdout.readline() == "ready\n"
        assert all(host_agents(host) for host in lab.hosts)
        process.kill()  # that nothing is left, the fixture sees

    def test_one_that_is_stopped(self, controller, lab):
        process = controller()
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGSTOP)
        wait_until(lambda: not any(host_agents(host) or workers(host) for host in lab.hosts))
        process.send_signal(signal.SIGCONT)
        process.kill()

    @pytest.mark.parametrize(
        "moment",
        [
            one if one in {1, 4} else pytest.param(one, marks=pytest.mark.full("more moments"))
            for one in range(6)
        ],
    )
    def test_one_that_is_interrupted_at_any_moment(self, controller, lab, moment):
        process = controller("again and again")
        time.sleep(0.25 * moment)  # not a wait for something: the moment is what is tried
        process.send_signal(signal.SIGINT)
        # Twice, as impatient people do.
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.1)
        process.send_signal(signal.SIGINT)
        process.wait(SECONDS)


def workers(host):
    """The workers on a host of the lab."""
    found = []
    for pid in host.pids():
        with suppress(psutil.NoSuchProcess):
            if "formicary_bench.worker.worker" in psutil.Process(pid).cmdline():
                found.append(pid)
    return found


def is_lost(worker, cause):
    """Check that a worker has ended because its host is lost, and says why."""
    hear(worker, None)
    assert worker.wait(SECONDS) == 255
    assert worker.last_words().startswith("the connection to host lab-2 was lost (")
    assert cause in worker.last_words()


class TestHosts:
    @pytest.mark.parametrize(
        "measured",
        [50, pytest.param(10_000_000, marks=pytest.mark.full("keeps a core busy until it is lost"))],
    )
    def test_one_whose_network_is_cut_is_used_again_when_it_is_back(self, lab, session, news, measured):
        place = session.worker_hosts["lab-2"]
        with session.worker_hosts["lab-1"].worker() as other, place.worker() as worker:
            begin(worker, job(measured=measured))
            lab.hosts[1].cut()
            wait_until(lambda: news)
            assert news == ["host lab-2 is missing: no answer for 3 s"]
            assert session.missing == {"lab-2"}
            is_lost(worker, "")
            assert news[1:] == [worker.last_words()]
            begin(other, job())  # nothing happens to the others
            with pytest.raises(HostError, match="the connection to host lab-2 was lost"):
                place.look()
            with pytest.raises(ProfilingError, match="lab-2 was lost"), place.window(worker.pid):
                pass
        with pytest.raises(HostError, match="and it cannot be connected to again: host lab-2: "):
            session.start_worker("lab-2")
        wait_until(lambda: not host_agents(lab.hosts[1]) and not workers(lab.hosts[1]))
        lab.hosts[1].mend()
        with place.worker() as worker:
            begin(worker, job())
        assert news[-1] == "host lab-2 is connected to again"
        assert session.missing == set()

    def test_one_that_is_back_before_it_is_lost(self, lab, session, news):
        with session.worker_hosts["lab-2"].worker() as worker:
            lab.hosts[1].cut()
            wait_until(lambda: session.missing == {"lab-2"})
            lab.hosts[1].mend()
            wait_until(lambda: not session.missing)
            begin(worker, job())
        assert news == ["host lab-2 is missing: no answer for 3 s", "host lab-2 is there again"]

    def test_one_that_is_cut_off_when_the_session_ends(self, lab, hosts, clean):
        with Session(hosts) as session, session.worker_hosts["lab-2"].worker():
            lab.hosts[1].cut()
        wait_until(lambda: not host_agents(lab.hosts[1]))
        lab.hosts[1].mend()

    def test_one_whose_ssh_session_is_ended(self, lab, session):
        place = session.worker_hosts["lab-2"]
        with place.worker() as worker:
            pid = worker.pid
            (agent,) = host_agents(lab.hosts[1])
            for parent in psutil.Process(agent).parents()[:2]:
                if parent.name() == "sshd" and parent.parent().name() == "sshd":
                    parent.kill()
            is_lost(worker, "")
        wait_until(lambda: not psutil.pid_exists(pid) and not psutil.pid_exists(agent))
        with place.worker() as worker:
            begin(worker, job())


class TestDeputies:
    def test_one_that_is_killed_is_started_again(self, lab, session):
        place = session.worker_hosts["lab-2"]
        with place.worker() as worker:
            pid = worker.pid
            begin(worker, job(measured=10_000_000))
            os.kill(host_agents(lab.hosts[1])[0], signal.SIGKILL)
            is_lost(worker, "its host agent was ended by SIGKILL")
        wait_until(lambda: not psutil.pid_exists(pid))
        with pytest.raises(HostError, match="its host agent was ended by SIGKILL"):
            session.ask("lab-2", Describe())
        with place.worker() as worker:
            begin(worker, job())

    def test_one_that_is_stopped_is_given_up_and_ended(self, lab, session):
        with session.worker_hosts["lab-2"].worker() as worker:
            (agent,) = host_agents(lab.hosts[1])
            os.kill(agent, signal.SIGSTOP)
            is_lost(worker, "no answer for 10 s")
            wait_until(lambda: not psutil.pid_exists(agent))
        with session.worker_hosts["lab-2"].worker() as worker:
            begin(worker, job())


class TestWorkers:
    def test_one_that_is_killed(self, session):
        with session.worker_hosts["lab-2"].worker() as worker:
            begin(worker, job(measured=10_000_000))
            os.kill(worker.pid, signal.SIGKILL)
            hear(worker, None)
            assert worker.wait(SECONDS) == -signal.SIGKILL
            assert worker.last_words() == ""
        with session.worker_hosts["lab-2"].worker() as worker:
            begin(worker, job())
