"""Hosts on one machine: what `formicary hosts lab` makes, and that nothing of it stays."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from tests.plugins.hosts import laboratory
from tests.plugins.namespaces import need_namespaces
from tests.plugins.paths import ROOT
from tests.processes import has_ended

from formicary.cli import main
from formicary.errors import UsageError
from formicary_bench.netlab import LabError, network, status
from formicary_bench.netlab.folder import LabFolder, cable
from formicary_bench.netlab.make import down, up
from formicary_bench.netlab.network import ip
from formicary_bench.netlab.status import look
from formicary_bench.remote.inventory import choose, load

CONNECT = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=5).close()
    print("reached")
except OSError as error:
    print(error.strerror)
"""
STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(flush=True)
time.sleep(60)
"""


def ssh(lab, host, *command, user="root", key=None, known_hosts=None):
    """Run a command on a host, as anybody with the lab's files would."""
    options = {
        "BatchMode": "yes",
        "ConnectTimeout": "10",
        "IdentitiesOnly": "yes",
        "StrictHostKeyChecking": "yes",
        "GlobalKnownHostsFile": "/dev/null",
        "UserKnownHostsFile": known_hosts or lab.folder / "known_hosts",
    }
    given = [part for name, value in options.items() for part in ("-o", f"{name}={value}")]
    arguments = ["ssh", "-F", "none", "-i", key or lab.folder / "key", *given, f"{user}@{host.address}"]
    return subprocess.run([*arguments, *command], capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def command(capsys):
    """Return a function that runs a command, and returns its exit code and output."""

    def give(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["hosts", "lab", *map(str, arguments)])
        return ended.value.code or 0, capsys.readouterr().out

    return give


def assert_nothing_is_left(folder):
    mark = LabFolder(folder).mark
    assert network.namespaces(mark) == []
    assert cable(mark) not in network.interfaces()
    assert not folder.exists()
    named = [process for process in psutil.process_iter(["cmdline"]) if str(folder) in str(process.info)]
    assert named == []


@pytest.fixture
def folder(tmp_path):
    """Yield a folder for a lab, which is removed at the end."""
    need_namespaces({"ip": "iproute2", "tc": "iproute2", "sshd": "openssh-server"})
    where = tmp_path / "lab"
    yield where
    down(where)


# What there is


@pytest.fixture(scope="module")
def lab():
    """Yield a lab shared by tests that leave it unchanged."""
    with laboratory(2) as lab:
        yield lab


def test_each_host_is_reached_with_the_written_files_and_is_itself(lab):
    for host in lab.hosts:
        done = ssh(lab, host, "ip", "-oneline", "-4", "address", "show", "dev", "lab0")
        assert (done.returncode, done.stderr) == (0, "")
        assert f"inet {host.address}/24" in done.stdout


def test_a_host_that_is_not_who_it_should_be_is_not_trusted(lab, tmp_path):
    first, second = lab.hosts
    lines = (lab.folder / "known_hosts").read_text().splitlines()
    (other,) = (line.split(" ", 1)[1] for line in lines if line.startswith(f"{second.address} "))
    (tmp_path / "swapped").write_text(f"{first.address} {other}\n")
    done = ssh(lab, first, "true", known_hosts=tmp_path / "swapped")
    assert done.returncode == 255
    assert "Host key verification failed" in done.stderr


def test_nobody_without_the_lab_s_key_gets_in(lab, tmp_path):
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "other"], check=True)
    done = ssh(lab, lab.hosts[0], "true", key=tmp_path / "other")
    assert done.returncode == 255
    assert "Permission denied (publickey)" in done.stderr
    assert "Permission denied (publickey)" in ssh(lab, lab.hosts[0], "true", user="daemon").stderr


def test_the_inventory_says_how_each_host_is_reached(lab):
    found = load(lab.inventory)
    assert [(host.name, host.address, host.listen) for host in found.hosts] == [
        (host.name, host.address, host.address) for host in lab.hosts
    ]
    first = found.hosts[0]
    assert (first.user, first.key, first.known_hosts) == (
        "root",
        lab.folder / "key",
        lab.folder / "known_hosts",
    )
    assert (first.venv, first.interface) == (sys.prefix, "lab0")
    assert choose(found, ["lab"]) == found.hosts


def test_the_files_are_for_their_owner_alone(lab):
    assert lab.folder.stat().st_mode & 0o777 == 0o700
    secret = [lab.folder / "key", *lab.folder.glob("host-key-*")]
    assert len(secret) == 3
    assert {path.stat().st_mode & 0o777 for path in secret} == {0o600}


def test_hosts_reach_each_other_and_this_machine_and_nothing_else(lab):
    first, second = lab.hosts

    def reach(address, port):
        done = ssh(lab, first, sys.executable, "-", address, str(port), "<<'EOF'\n" + CONNECT + "EOF")
        return done.stdout.strip() or done.stderr

    assert reach(second.address, 22) == "reached"
    assert reach(lab.address, 1) == "Connection refused"  # this machine: somebody answers
    assert reach("192.0.2.1", 80) == "Network is unreachable"
    assert [line.split()[0] for line in ip("-netns", first.namespace, "route").splitlines()] == [
        f"{lab.address.removesuffix('.1')}.0/24"
    ]


def test_a_host_sends_nothing_by_itself(lab):
    """Only agents' traffic is measured: no neighbour or IPv6 router is looked for."""
    (host, _) = lab.hosts
    shown = json.loads(ip("-netns", host.namespace, "-json", "address", "show", "dev", "lab0"))
    assert [address["family"] for address in shown[0]["addr_info"]] == ["inet"]


def test_what_a_cut_host_says_is_lost_and_nobody_is_told(lab):
    first, second = lab.hosts

    def reach(seconds):
        connect = CONNECT.replace("timeout=5", f"timeout={seconds}")
        command = [sys.executable, "-c", connect, second.address, "22"]
        command = ["ip", "netns", "exec", first.namespace, *command]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    second.cut()
    assert reach(0.5) in {
        "None\n",  # timed out
        "No route to host\n",
    }
    (link,) = json.loads(ip("-netns", second.namespace, "-json", "link", "show", "dev", "lab0"))
    assert "LOWER_UP" in link["flags"]
    second.mend()
    assert reach(60) == "reached\n"


def test_the_processes_on_a_host_are_known(make_lab):
    first, second = make_lab().hosts
    before = [first.pids(), second.pids()]
    with subprocess.Popen(["ip", "netns", "exec", first.namespace, "sleep", "60"]) as sleep:
        wait_until(lambda: psutil.Process(sleep.pid).name() == "sleep")
        assert [first.pids(), second.pids()] == [sorted([*before[0], sleep.pid]), before[1]]
        sleep.kill()


@pytest.mark.full("25 logins")
def test_many_connections_at_once_are_taken(lab):
    known = {"UserKnownHostsFile": lab.folder / "known_hosts", "BatchMode": "yes"}
    options = [part for name, value in known.items() for part in ("-o", f"{name}={value}")]
    address = f"root@{lab.hosts[0].address}"
    arguments = ["ssh", "-F", "none", "-i", lab.folder / "key", *options, address, "echo", "here"]
    connections = [subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) for _ in range(25)]
    assert [connection.communicate(timeout=60)[0] for connection in connections] == ["here\n"] * 25


# Limits


def test_the_rate_of_each_host_is_limited(make_lab):
    lab = make_lab(2, rate="100mbit")
    for host in lab.hosts:
        shown = subprocess.run(
            ["tc", "-netns", host.namespace, "-json", "qdisc", "show", "dev", "lab0"],
            capture_output=True,
            check=True,
        )
        (queue,) = json.loads(shown.stdout)
        assert (queue["kind"], queue["root"], queue["options"]["rate"]) == ("tbf", True, 100_000_000 // 8)


@pytest.fixture
def can_delay():
    """Return whether this kernel can delay packets."""
    trial = ["unshare", "--net", "tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1ms"]
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0


def test_packets_are_delayed_where_the_kernel_can_and_otherwise_that_is_said_first(folder, can_delay):
    if not can_delay:
        with pytest.raises(LabError, match=r"does not provide netem, which delays .*, or omit --delay"):
            up(folder, 1, "10mbit", "2ms")
        assert_nothing_is_left(folder)
        return
    status, _ = up(folder, 1, "10mbit", "2ms")
    (host,) = status.hosts
    show = ["tc", "-netns", host.namespace, "qdisc", "show", "dev", "lab0"]
    shown = subprocess.run(show, capture_output=True, text=True, check=True).stdout
    assert "qdisc netem 1: root" in shown
    assert "delay 2ms" in shown
    assert "qdisc tbf 2: parent 1:1 rate 10Mbit" in shown


# Several


def test_labs_do_not_disturb_each_other(make_lab):
    first, second = make_lab(1), make_lab(2)
    addresses = [host.address for lab in (first, second) for host in lab.hosts]
    assert len({*addresses, first.address, second.address}) == 5
    assert ssh(second, second.hosts[1], "true").returncode == 0
    down(second.folder)
    assert_nothing_is_left(second.folder)
    assert ssh(first, first.hosts[0], "true").returncode == 0


def test_what_a_killed_test_run_has_made_is_removed_by_the_next(make_lab):
    make = "from tests.plugins.hosts import laboratory\nwith laboratory(1) as lab: print(lab.folder); input()"
    root = ROOT
    run = [sys.executable, "-u", "-c", make]
    with subprocess.Popen(run, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killed:
        folder = Path(killed.stdout.readline().strip())
        assert look(folder).state == "up"
        (folder / "other.toml").touch()
        killed.kill()
    make_lab(1)
    wait_until(lambda: not folder.exists())  # tests beside this one remove it as well
    assert_nothing_is_left(folder)


# The commands


def test_up_status_and_down(folder, command):
    code, out = command("status", "--folder", folder)
    assert code == 1
    assert f"no lab is up in {folder}; create one with: formicary hosts lab up --folder {folder}" in out

    made = subprocess.run(begin("up", folder, 1), capture_output=True, text=True, timeout=60, check=False)
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.startswith("the lab is up: 1 host\n")
    assert f"formicary hosts lab down --folder {folder}" in made.stdout

    code, out = command("up", "--folder", folder, "--count", "1")
    assert code == 0
    assert out.startswith("the lab was already up")

    code, out = command("status", "--folder", folder, "--json")
    found = json.loads(out)
    assert (code, found["state"], found["inventory"]) == (0, "up", str(folder / "hosts.toml"))
    assert not has_ended(found["hosts"][0]["server"])

    code, out = command("down", "--folder", folder, "--json")
    assert (code, json.loads(out)["files"]) == (0, True)
    assert_nothing_is_left(folder)
    assert command("down", "--folder", folder) == (0, f"no lab in {folder}\n")


def test_another_lab_in_the_place_of_one_is_refused(folder):
    up(folder, 1)
    for other in ((2, "", ""), (1, "50mbit", "")):
        with pytest.raises(
            LabError, match=r"another lab is up in .*, with 1 host and no limits; take it down"
        ):
            up(folder, *other)
    assert look(folder).state == "up"


def test_a_folder_with_other_files_is_left_alone(folder):
    folder.mkdir()
    (folder / "thesis").write_text("mine")
    with pytest.raises(LabError, match="holds other files, such as thesis"):
        up(folder, 1)
    assert [path.name for path in folder.iterdir()] == ["thesis"]
    shutil.rmtree(folder)


def test_what_somebody_puts_into_the_folder_stays(folder):
    up(folder, 1)
    (folder / "notes").write_text("mine")
    down(folder)
    assert [path.name for path in folder.iterdir()] == ["notes"]
    (folder / "notes").unlink()


def test_two_commands_at_once_do_not_disturb_each_other(folder):
    up(folder, 1)
    with LabFolder(folder).locked():
        for again in (lambda: up(folder, 1), lambda: down(folder)):
            with pytest.raises(LabError, match="another command is creating or removing the lab"):
                again()
    assert look(folder).state == "up"


# Things go wrong


def test_what_runs_on_the_hosts_ends_with_them(folder):
    status, _ = up(folder, 2)
    inside = ["ip", "netns", "exec", status.hosts[1].namespace, sys.executable, "-c", STUBBORN]
    with subprocess.Popen(inside, stdout=subprocess.PIPE) as stubborn:
        stubborn.stdout.readline()
        assert down(folder).processes == 3
    assert stubborn.returncode == -signal.SIGKILL
    assert_nothing_is_left(folder)


def test_a_lab_whose_files_are_lost_is_removed(folder):
    up(folder, 2)
    shutil.rmtree(folder)
    with pytest.raises(LabError, match="there are leftovers of a lab in"):
        up(folder, 2)
    assert len(down(folder).namespaces) == 3
    assert_nothing_is_left(folder)


def test_a_server_whose_namespace_has_lost_its_name_is_ended(folder):
    status, _ = up(folder, 2)
    ip("netns", "delete", status.hosts[0].namespace)
    assert look(folder).state == "incomplete"
    with pytest.raises(LabError, match="is incomplete; take it down"):
        up(folder, 2)
    assert down(folder).processes == 2
    assert has_ended(status.hosts[0].server)
    assert_nothing_is_left(folder)


def test_the_number_in_an_old_file_is_not_trusted(folder):
    up(folder, 1)
    server = LabFolder(folder).host("lab-1", "pid")
    with subprocess.Popen(["sleep", "60"]) as stranger:
        server.write_text(f"{stranger.pid}\n")
        assert status.server(LabFolder(folder), "lab-1") is None
        down(folder)
        assert stranger.poll() is None
        stranger.kill()
    assert_nothing_is_left(folder)


def test_a_server_that_has_ended_is_noticed(folder, command):
    status, _ = up(folder, 1)
    os.kill(status.hosts[0].server, signal.SIGKILL)
    wait_until(lambda: has_ended(status.hosts[0].server))
    code, out = command("status", "--folder", folder)
    assert code == 1
    assert "no SSH server" in out
    assert f"formicary hosts lab down --folder {folder}" in out


def test_a_server_that_does_not_start_is_said_and_nothing_stays(folder, monkeypatch):
    from formicary_bench.netlab import ssh as servers

    monkeypatch.setattr(servers, "_CONFIGURATION", servers._CONFIGURATION + "NoSuchOption yes\n")
    with pytest.raises(LabError, match="Bad configuration option: NoSuchOption"):
        up(folder, 2)
    assert_nothing_is_left(folder)


@pytest.mark.grid
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("share", [pytest.param(0.2, marks=pytest.mark.full("a third moment")), 0.5, 0.8])
def test_an_interrupted_up_leaves_nothing(folder, number, share):
    code, said = end_up(folder, share, number)
    assert code == 130
    assert b"Traceback" not in said
    assert_nothing_is_left(folder)


@pytest.mark.parametrize("share", [0.01, 0.5], ids=["at first", "half-way"])
def test_what_a_killed_up_has_made_is_removed_by_down(folder, share, command):
    end_up(folder, share, signal.SIGKILL)
    # What is there at first is a trial, which may just have been removed.
    assert share < 0.1 or network.namespaces(LabFolder(folder).mark)
    assert command("status", "--folder", folder)[0] == 1
    assert command("down", "--folder", folder)[0] == 0
    if share < 0.1 and folder.exists():
        folder.rmdir()  # it is empty, and whose it is cannot be known where that trial was removed
    assert_nothing_is_left(folder)


def begin(verb, folder, count=8):
    program = [sys.executable, "-c", "from formicary.cli import main; main()"]
    return [*program, "hosts", "lab", verb, "--count", str(count), "--folder", folder]


def end_up(folder, share, number):
    """End `up` by a signal when it has made a share of all; return its exit code and what it says then."""
    mark, code = LabFolder(folder).mark, 0
    while code == 0:  # it was quicker, as a busy machine may let it be
        down(folder)
        with subprocess.Popen(begin("up", folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as making:
            wait_until(lambda: len(network.namespaces(mark)) >= 9 * share)
            making.send_signal(number)
            _, said = making.communicate(timeout=60)
        code = making.returncode
    return code, said


def wait_until(holds):
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.002)


@pytest.mark.parametrize("number", [-1, 0, 101])
def test_a_number_of_hosts_that_no_lab_has_is_refused(folder, number):
    with pytest.raises(UsageError, match=f"1 to 100 hosts, not {number}"):
        up(folder, number)
    assert not folder.exists()
