"""A session with hosts that SSH reaches: what it does, and what happens when something breaks."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from tests.integration.bench.remote.conftest import leaving_them_clean, of
from tests.integration.bench.remote.scene import SECONDS, begin, hear, job, wait_until

import formicary
from formicary.errors import ProfilingError
from formicary.processes.messages import Failed, Stop
from formicary_bench.remote import HostError
from formicary_bench.remote import workers as remote_workers
from formicary_bench.remote.host_agent.protocol import LONGEST_LINE, CloseWindow, Describe, StopServer
from formicary_bench.remote.launchers.ssh import SshLauncher
from formicary_bench.remote.session import Session
from formicary_bench.worker.messages import Done


@pytest.fixture(scope="class")
def session(shared, tmp_path_factory):
    """Yield a session shared by tests that do not disturb it."""
    hosts = of(shared, tmp_path_factory.mktemp("hosts"))
    with leaving_them_clean(shared, hosts), Session(hosts) as session:
        yield session


class TestWhatItDoes:
    def test_a_worker_measures_on_another_host_and_its_raw_values_arrive(self, session):
        name = next(iter(session.worker_hosts))
        with session.worker_hosts[name].worker() as worker:
            begin(worker, job())
            done = hear(worker, Done)
            assert done.counts == (70, 70)
            assert os.fstat(worker.raw_values()).st_size == 2 * 2 * 70 * 8
            worker.send(Stop())
            hear(worker, None)
            assert worker.wait(SECONDS) == 0
            assert worker.last_words() == ""

    def test_much_is_handed_over_without_keeping_it_in_memory(self, session):
        before = psutil.Process().memory_info().rss
        with next(iter(session.worker_hosts.values())).worker() as worker:
            begin(worker, job(load=20, measured=100_000))
            hear(worker, Done)
            size = os.fstat(worker.raw_values()).st_size
            assert size == 20 * 2 * 100_020 * 8
        assert psutil.Process().memory_info().rss - before < size / 2

    def test_it_ends_what_hangs(self, session):
        with next(iter(session.worker_hosts.values())).worker() as worker:
            os.kill(worker.pid, signal.SIGSTOP)
            assert worker.wait(0.1) == -signal.SIGKILL
            assert not psutil.pid_exists(worker.pid)

    def test_a_worker_is_gone_when_its_block_ends(self, session):
        with next(iter(session.worker_hosts.values())).worker() as worker:
            pid = worker.pid
            assert psutil.pid_exists(pid)
        assert not psutil.pid_exists(pid)

    def test_hosts_are_asked(self, session):
        for name, place in session.worker_hosts.items():
            assert session.ask(name, Describe()).threads == psutil.cpu_count()
            assert place.look((os.getpid(),)).uss_bytes[os.getpid()] > 0
            assert place.look().wire_bytes > 0
        with pytest.raises(HostError, match=r"host lab-1: there is no window 9"):
            session.ask("lab-1", CloseWindow(9))
        session.ask("lab-1", StopServer())

    def test_a_window_shows_where_the_time_goes(self, session):
        place = session.worker_hosts["lab-2"]
        with place.worker() as worker:
            begin(worker, job(measured=10_000_000))
            with place.window(worker.pid) as window:
                wait_until(lambda: psutil.Process(worker.pid).cpu_times().user > 1)
                profile = window.end()
        assert profile.processes[0].pid == worker.pid
        assert profile.processes[0].user_s > 0

    def test_a_window_may_be_given_up_and_needs_a_process(self, session):
        place = session.worker_hosts["lab-1"]
        with place.worker() as worker, place.window(worker.pid):
            pass
        with pytest.raises(ProfilingError, match=r"host lab-1: "), place.window(worker.pid):
            pass

    def test_clocks_are_the_same_on_one_machine(self, session):
        for name in session.worker_hosts:
            offset = session.clock(name)
            assert abs(offset.offset_ns) <= offset.uncertainty_ns

    def test_by_way_of_another_host(self, hosts, clean):
        first, second = hosts
        by_way = replace(second, jump=first.name)
        there = Session([by_way], launcher=SshLauncher([first, by_way]))
        with there as session, session.worker_hosts["lab-2"].worker() as worker:
            assert worker.pid > 0

    def test_what_the_inventory_sets_is_in_the_workers_and_in_no_arguments(self, lab, hosts, clean):
        host = replace(hosts[0], environment={"SECRET_OF_THE_LAB": "s3cr3t"})
        with Session([host]) as session, session.worker_hosts[host.name].worker() as worker:
            environment = environment_of(worker.pid)
            assert b"SECRET_OF_THE_LAB=s3cr3t" in environment
            for pid in lab.hosts[0].pids():
                with suppress(psutil.NoSuchProcess):  # it has ended meanwhile
                    assert "s3cr3t" not in str(psutil.Process(pid).cmdline())


def environment_of(pid):
    """Return a process's environment, which is empty while it turns into another program."""
    deadline = time.monotonic() + 60
    while not (found := Path(f"/proc/{pid}/environ").read_bytes()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found.split(b"\0")


def refusal(*hosts, **options):
    """Return why a session cannot be opened."""
    with pytest.raises(HostError) as caught, Session(hosts, **options):
        pass
    return str(caught.value)


@pytest.fixture
def new_key(tmp_path):
    """Return a function that makes a key."""

    def make(name, passphrase=""):
        file = tmp_path / name
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", str(file)]
        subprocess.run(command, check=True)
        return file

    return make


@pytest.mark.usefixtures("clean")
class TestWhoCannotBeConnectedTo:
    def test_all_problems_are_listed_at_once(self, hosts, tmp_path):
        first, second = hosts
        said = refusal(replace(first, port=1), replace(second, venv=str(tmp_path)))
        assert said.startswith("2 of 2 hosts cannot be used:\n  host lab-1: nobody listens at ")
        assert f"\n  host lab-2: there is no Python at {tmp_path}/bin/python" in said

    def test_one_problem_is_enough_and_nothing_is_left_on_the_others(self, hosts):
        assert refusal(hosts[0], replace(hosts[1], port=1)).startswith("host lab-2: nobody listens")

    def test_an_unknown_host_key_is_not_trusted(self, lab, hosts, tmp_path):
        (tmp_path / "known").touch()
        said = refusal(replace(hosts[0], known_hosts=tmp_path / "known"))
        assert said.startswith("host lab-1: its host key is not known: it shows ssh-ed25519 SHA256:")
        assert f"`ssh-keyscan {hosts[0].address} >> {tmp_path / 'known'}`" in said
        assert (tmp_path / "known").read_text() == ""

    def test_a_changed_host_key_is_not_trusted(self, hosts, new_key, tmp_path):
        other = new_key("other").with_suffix(".pub").read_text()
        (tmp_path / "known").write_text(f"{hosts[0].address} {other}")
        said = refusal(replace(hosts[0], known_hosts=tmp_path / "known"))
        assert said.startswith("host lab-1: its host key has changed: it shows ssh-ed25519 SHA256:")
        assert f"`ssh-keygen -R '{hosts[0].address}' -f {tmp_path / 'known'}`" in said

    def test_a_revoked_host_key_is_not_trusted(self, hosts, tmp_path):
        known = hosts[0].known_hosts.read_text()
        line = next(line for line in known.splitlines() if line.startswith(f"{hosts[0].address} "))
        (tmp_path / "known").write_text(f"@revoked {line}\n{line}\n")
        said = refusal(replace(hosts[0], known_hosts=tmp_path / "known"))
        assert said.startswith("host lab-1: its host key is not accepted (Host key is revoked")

    def test_a_missing_file_of_host_keys(self, hosts, tmp_path):
        said = refusal(replace(hosts[0], known_hosts=tmp_path / "none"))
        assert said.startswith(
            f"host lab-1: the file of known host keys, {tmp_path / 'none'}, cannot be read"
        )

    def test_a_key_that_is_not_permitted(self, hosts, new_key):
        said = refusal(replace(hosts[0], key=new_key("mine")))
        assert said.startswith("host lab-1: it does not let the user root in with the key ")
        assert "ssh-copy-id" in said

    def test_a_key_with_a_passphrase(self, hosts, new_key):
        said = refusal(replace(hosts[0], key=new_key("mine", "a secret")))
        assert "has a passphrase; add it to your SSH agent with `ssh-add " in said

    def test_key_files_that_are_none(self, hosts, tmp_path):
        said = refusal(replace(hosts[0], key=tmp_path / "none"))
        assert said.startswith(f"host lab-1: its key file {tmp_path / 'none'} cannot be read (No such file")
        (tmp_path / "text").write_text("hello")
        assert "text is no private key" in refusal(replace(hosts[0], key=tmp_path / "text"))

    def test_a_name_that_nobody_knows(self, hosts):
        said = refusal(replace(hosts[0], address="nobody.invalid"))
        assert said.startswith("host lab-1: its name nobody.invalid is not known here")

    def test_a_host_that_is_cut_off(self, lab, hosts):
        lab.hosts[0].cut()
        said = refusal(hosts[0])
        assert said.startswith(f"host lab-1: {hosts[0].address}, port 22, ")
        assert "cannot be reached (No route to host)" in said or "does not answer within 10 s" in said

    def test_a_server_that_speaks_no_ssh(self, hosts):
        with socket.create_server(("127.0.0.1", 0)) as server:

            def serve():
                client, _ = server.accept()
                with client:
                    client.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

            thread = threading.Thread(target=serve)
            thread.start()
            said = refusal(replace(hosts[0], address="127.0.0.1", port=server.getsockname()[1]))
            thread.join()
        assert said.startswith("host lab-1: what listens at 127.0.0.1, port ")
        assert said.endswith("is it an SSH server?")

    def test_ways_that_lead_nowhere(self, hosts):
        first, second = hosts
        assert "its jump host nobody is not in the inventory" in refusal(replace(first, jump="nobody"))
        broken = replace(first, port=1)
        by_way = replace(second, jump="lab-1")
        launcher = SshLauncher([broken, by_way])
        assert "by way of another: host lab-1: nobody" in refusal(by_way, launcher=launcher)
        beyond = replace(by_way, port=1)
        launcher = SshLauncher([first, beyond])
        assert "its jump host lab-1 cannot reach" in refusal(beyond, launcher=launcher)


@pytest.fixture
def pretend(hosts, tmp_path):
    """Return a function that replaces a host's Python by a script."""

    def put(script, host=hosts[0]):
        program = tmp_path / "pretended" / "bin" / "python"
        program.parent.mkdir(parents=True)
        program.write_text(script)
        program.chmod(0o755)
        return replace(host, venv=str(tmp_path / "pretended"))

    return put


_OWN = f"exec {sys.executable} "
_HOSTILE = f"""#!{sys.executable}
import os, sys, time, msgspec, formicary
from formicary_bench.remote.folders import code_digest
from formicary.processes.lines import encode
from formicary_bench.remote.host_agent.protocol import *
line = lambda said: encode(said) + b"\\n"
os.write(1, line(Handshake(version=formicary.__version__, digest=code_digest())))
def say(data):
    while data:
        data = data[os.write(1, data):]
"""
FLOODS = pytest.mark.parametrize(
    "pause", [pytest.param(0, marks=pytest.mark.full("as much as both of us can")), 0.1]
)
_STARTED = "while b'start' not in os.read(0, 1000): pass\nsay(line(Started(1, 1)))\n"


@pytest.mark.usefixtures("clean")
class TestDeputiesThatAreNone:
    def test_what_a_login_shell_says_is_left_aside(self, pretend):
        host = pretend(f'#!/bin/sh\necho "Welcome to the lab!"\nprintf "no newline: "\n{_OWN} "$@"\n')
        with Session([host]) as session, session.worker_hosts[host.name].worker() as worker:
            assert worker.pid > 0

    def test_a_shell_that_only_talks(self, pretend):
        said = refusal(pretend("#!/bin/sh\necho This account is not for you.\nexit 1\n"))
        assert "ended with exit code 1 before it sent anything" in said
        assert "(output: 'This account is not for you.')" in said

    def test_a_shell_that_talks_without_end(self, pretend):
        said = refusal(pretend("#!/bin/sh\nexec yes hello\n"))
        assert said.startswith(
            "host lab-1: its login shell prints more than 64 KiB before our program (output: "
        )

    def test_a_python_without_formicary(self, pretend):
        said = refusal(pretend(f"#!/bin/sh\n{_OWN} -I -S -P -m formicary_bench.remote.host_agent.agent\n"))
        assert "has no formicary, or not all of it" in said
        assert "No module named" in said

    def test_a_python_that_is_too_old(self, pretend):
        said = refusal(pretend("#!/bin/sh\necho 'unknown option -P' >&2\nexit 2\n"))
        assert "is older than 3.11" in said

    def test_other_code(self, pretend):
        said = refusal(pretend(_HOSTILE.replace("digest=code_digest()", "digest='0123456789'")))
        ours = formicary.__version__
        assert said.startswith(
            f"host lab-1: it has another formicary ({ours}, code 01234567) than this machine ({ours}, code "
        )
        assert "formicary hosts prepare" in said

    def test_an_agent_that_cannot_work(self, hosts, lab):
        said = refusal(replace(hosts[0], interface="eth77"))
        assert said.startswith(
            "host lab-1: its host agent cannot work: it has no network interface eth77; it has lab0"
        )

    def test_a_handshake_that_is_none(self, pretend):
        said = refusal(pretend('#!/bin/sh\necho \'{"type":"host-agent","version":7}\'\n'))
        assert "which is not a handshake" in said

    @pytest.mark.parametrize(
        ("what", "cause"),
        [
            (
                "say(b'x' * (17 << 20))",
                f"sent an invalid message: a line of more than {LONGEST_LINE} bytes",
            ),
            ("say(b'oops\\n')", "sent an invalid message: 'oops' ("),
            ("sys.exit('I do not like it here')", "exit code 1; its last words: I do not like it here"),
            ("os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
        ],
    )
    def test_one_that_breaks_the_protocol(self, pretend, what, cause):
        host = pretend(_HOSTILE + what)
        with Session([host]) as session:
            with pytest.raises(HostError, match="the connection to host lab-1 was lost") as caught:
                session.ask(host.name, Describe())
            assert cause in str(caught.value)

    @FLOODS
    def test_one_that_hands_over_without_end(self, pretend, monkeypatch, pause):
        monkeypatch.setattr(remote_workers, "LARGEST_HANDOVER", 1 << 22)
        host = pretend(
            f"{_HOSTILE}{_STARTED}while True: say(line(Data(1, bytes(CHUNK)))); time.sleep({pause})\n"
        )
        with Session([host]) as session, session.worker_hosts[host.name].worker() as worker:
            assert "it is more than 4 MiB" in hear(worker, Failed).reason
            assert os.fstat(worker.raw_values()).st_size <= 1 << 22

    @FLOODS
    def test_one_that_talks_without_end(self, pretend, monkeypatch, pause):
        monkeypatch.setattr(remote_workers, "_MOST_UNREAD", 1 << 22)
        flood = 'line(Said(1, msgspec.Raw(b\'{"type":"progress","more":"\' + b\'1\' * 1000000 + b\'"}\')))'
        host = pretend(f"{_HOSTILE}{_STARTED}while True: say({flood}); time.sleep({pause})\n")
        with Session([host]) as session, session.worker_hosts[host.name].worker() as worker:
            wait_until(lambda: b'"failed"' in worker._unread)
            assert hear(worker, Failed).reason == "it prints too much"

    def test_one_that_does_not_answer(self, pretend, news):
        host = pretend(f"{_HOSTILE}while os.read(0, 1000): pass\n")
        with Session([host], progress=news.append) as session:
            wait_until(lambda: news)
            assert news == ["host lab-1 is missing: no answer for 3 s"]
            assert session.missing
            with pytest.raises(HostError, match=r"host lab-1 was lost \(no answer for 10 s\)"):
                session.ask(host.name, Describe())
