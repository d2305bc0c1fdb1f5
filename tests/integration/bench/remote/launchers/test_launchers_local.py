"""This machine as several hosts, and hosts that a command reaches, without SSH and without root."""

import os
import signal
from contextlib import suppress
from dataclasses import replace

import psutil
import pytest
from tests.integration.bench.conftest import runs
from tests.integration.bench.remote.scene import SECONDS, begin, hear, job, wait_until

from formicary.errors import UsageError
from formicary.local.addresses import own_address
from formicary.local.launchers import starter
from formicary.processes.messages import Stop
from formicary_bench.remote import HostError
from formicary_bench.remote.host_agent.protocol import Describe
from formicary_bench.remote.inventory import Host
from formicary_bench.remote.launchers.commands import CommandLauncher
from formicary_bench.remote.session import Session
from formicary_bench.worker.messages import Done


@pytest.fixture
def hosts(tmp_path):
    return [
        Host(name=name, address="127.0.0.1", listen="127.0.0.1", folder=str(tmp_path / "there"))
        for name in ("local-1", "local-2")
    ]


def agents():
    children = psutil.Process().children()
    return [one for one in children if runs(one, "formicary_bench.remote.host_agent.agent")]


def test_workers_measure_on_it_and_nothing_is_left(hosts, tmp_path):
    with Session(hosts, launcher=CommandLauncher()) as session:
        assert [session.address(host.name) for host in hosts] == ["127.0.0.1"] * 2
        assert len(agents()) == 2
        assert session.ask("local-2", Describe()).python
        with session.worker_hosts["local-1"].worker() as worker:
            begin(worker, job())
            assert hear(worker, Done).counts == (70, 70)
            worker.send(Stop())
            hear(worker, None)
            assert worker.wait(SECONDS) == 0
    assert agents() == []
    assert not (tmp_path / "there").exists()


def test_a_host_agent_that_is_killed_is_lost_and_started_again(hosts):
    news = []
    with Session(hosts[:1], launcher=CommandLauncher(), progress=news.append) as session:
        (agent,) = agents()
        os.kill(agent.pid, signal.SIGKILL)
        wait_until(lambda: news)
        assert session.missing
        assert "killed by signal 9" in " ".join(news) or "SIGKILL" in " ".join(news)
        with session.worker_hosts["local-1"].worker() as worker:
            assert worker.pid
        assert len(agents()) == 1


def test_a_command_starts_the_host_agents_and_names_their_hosts(hosts):
    launcher = CommandLauncher(starter("env REACHED={host}"))
    with Session([replace(host, address=host.name) for host in hosts], launcher=launcher):
        assert {each.environ()["REACHED"] for each in agents()} == {"local-1", "local-2"}
    assert agents() == []


def reached_by(interface):
    with suppress(UsageError):
        return own_address(interface)


def test_where_a_host_does_not_say_it_its_address_is_found_there_and_noted(hosts):
    own = next(filter(None, map(reached_by, psutil.net_if_addrs())), None)
    if own is None:
        pytest.skip("this machine has no network but loopback")
    launcher = CommandLauncher(starter("env REACHED={host}"))
    with Session([replace(hosts[0], listen="", interface=own.interface)], launcher=launcher) as session:
        assert session.address("local-1") == own.address
        assert session.notes == (f"host local-1 is reached by {own.interface} at {own.address}",)


def test_a_command_that_fails_is_quoted(hosts):
    with (
        pytest.raises(HostError, match=r"ended with exit code 3 .*its last words: no room; each host needs"),
        Session(hosts[:1], launcher=CommandLauncher(starter("sh -c 'echo no room >&2; exit 3' {host}"))),
    ):
        pass


def test_what_a_host_agent_said_last_is_told_where_it_does_not_start(hosts, tmp_path):
    (tmp_path / "there").write_text("a file")
    with (
        pytest.raises(HostError, match=r"its host agent cannot work: .*there"),
        Session(hosts[:1], launcher=CommandLauncher()),
    ):
        pass
