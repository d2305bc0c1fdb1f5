"""`formicary hosts check` on hosts that SSH reaches, in order and not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import pytest
from tests.plugins.hosts import laboratory

from formicary.cli import main
from formicary_bench.netlab.network import ip
from formicary_bench.remote.folders import code_digest


@dataclass
class Ended:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def check(capsys):
    """Return a function that checks the hosts of an inventory."""

    def check(inventory, *options):
        with pytest.raises(SystemExit) as ended:
            main(["hosts", "check", str(inventory), *options])
        return Ended(ended.value.code or 0, *capsys.readouterr())

    return check


def rewritten(lab, **changes):
    """Rewrite the lab's inventory with lines added to some hosts' tables."""
    text = lab.inventory.read_text(encoding="utf-8")
    for host, lines in changes.items():
        heading = f"[hosts.{host.replace('_', '-')}]\n"
        assert heading in text
        text = text.replace(heading, heading + "\n".join(lines) + "\n")
    path = lab.folder / "other.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_hosts_in_order_are_looked_at_and_so_are_the_ways_between_them(lab, check):
    done = check(lab.inventory, "--json")
    assert done.returncode == 0, done.stderr
    checked = json.loads(done.stdout)
    assert checked["is_fit"] is True
    assert [host["host"] for host in checked["hosts"]] == [host.name for host in lab.hosts]
    for seen, host in zip(checked["hosts"], lab.hosts, strict=True):
        assert seen["reached_ms"] > 0
        assert abs(seen["offset_s"]) <= seen["uncertainty_s"] < 10  # it is one clock
        assert seen["facts"]["formicary"]["digest"] == code_digest()
        assert seen["facts"]["formicary"]["tracing"] is not None
        assert seen["facts"]["listen"]["address"] == host.address
        assert seen["facts"]["machine"]["cores"] == os.cpu_count()
    assert len({seen["facts"]["identity"] for seen in checked["hosts"]}) == 2
    assert [(way["source"], way["target"]) for way in checked["ways"]] == [
        ("lab-1", "lab-2"),
        ("lab-2", "lab-1"),
    ]
    assert all(way["seconds"] > 0 and way["bytes_per_second"] > 0 for way in checked["ways"])


def test_nothing_stays_on_the_hosts(make_lab, check):
    lab = make_lab()
    before = [host.pids() for host in lab.hosts]
    assert check(lab.inventory, "--on", "lab-1").stdout.splitlines()[1].split()[0] == "lab-1"
    wait_until(lambda: [host.pids() for host in lab.hosts] == before)  # SSH's own take a moment to end


def test_ctrl_c_ends_it_here_and_on_the_hosts(make_lab):
    lab = make_lab()
    quiet = [host.pids() for host in lab.hosts]
    program = [sys.executable, "-c", "from formicary.cli import main; main()", "hosts", "check"]
    with subprocess.Popen(
        [*program, str(lab.inventory)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        wait_until(
            lambda: all(len(host.pids()) > len(old) for host, old in zip(lab.hosts, quiet, strict=True))
        )
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=60)
    assert (running.returncode, said) == (130, ("", "formicary: interrupted\n"))
    wait_until(lambda: [host.pids() for host in lab.hosts] == quiet)


def wait_until(holds):
    until = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.mark.timeout(200)
def test_all_that_is_wrong_is_listed_at_once(tmp_path, check):
    with laboratory(6) as lab:
        for name in ("key", "known_hosts", "foreign"):
            (tmp_path / name).mkdir()
        key = tmp_path / "key" / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True, timeout=60)
        (tmp_path / "known_hosts" / "file").touch()
        (tmp_path / "foreign" / "thesis.tex").touch()
        path = rewritten(
            lab,
            lab_2=[f'key = "{key}"'],
            lab_3=[f'known_hosts = "{tmp_path}/known_hosts/file"'],
            lab_4=[f'folder = "{tmp_path}/foreign"', 'python = "python3"'],
            lab_5=["port = 1"],
            lab_6=['python = "no-such-python"'],
        )
        done = check(path)
    assert done.returncode == 1
    assert [line.split()[0] for line in done.stdout.splitlines()[:7]] == [
        "HOST",
        *(f"lab-{n}" for n in range(1, 7)),
    ]
    problems = [line for line in done.stderr.splitlines() if line.startswith("problem: ")]
    assert [problem.split(":")[1] for problem in problems] == [
        f" host lab-{number}" for number in range(2, 7)
    ]
    for problem, said in zip(
        problems,
        ["key", "key", "not empty and not ours", "port 1", "no Python called no-such-python"],
        strict=True,
    ):
        assert said in problem
        assert "; " in problem  # and the next step
    assert "Traceback" not in done.stderr


def test_an_address_of_another_host_and_an_empty_environment_are_told(lab, tmp_path, check):
    path = rewritten(lab, lab_1=['listen = "192.0.2.9"'], lab_2=[f'venv = "{tmp_path}/none"'])
    text = path.read_text(encoding="utf-8").replace('listen = "198', '#listen = "198')
    path.write_text(text, encoding="utf-8")
    checked = json.loads(check(path, "--json").stdout)
    first, second = ([finding["what"] for finding in host["findings"]] for host in checked["hosts"])
    assert "cannot listen at 192.0.2.9 there (Cannot assign requested address)" in first
    assert f"there is no environment {tmp_path}/none" in second
    assert checked["ways"] == []
    assert checked["hosts"][1]["facts"]["listen"]["address"] == lab.hosts[1].address  # by which SSH came


def test_two_names_for_one_machine_are_told(make_lab, check):
    lab = make_lab()
    address = lab.hosts[0].address
    known = lab.folder / "known_hosts"
    (key,) = (
        line for line in known.read_text(encoding="utf-8").splitlines() if line.startswith(f"{address} ")
    )
    with known.open("a", encoding="utf-8") as file:
        file.write(f"::ffff:{key}\n")
    with lab.inventory.open("a", encoding="utf-8") as file:
        file.write(f'\n[hosts.again]\naddress = "::ffff:{address}"\n')
    done = check(lab.inventory)
    assert done.returncode == 1
    assert "problem: host again: it is the same machine as lab-1; remove one of the two\n" in done.stderr


@pytest.mark.full("sessions go by way of another host, too")
def test_a_host_behind_another_is_looked_at(lab, check):
    path = rewritten(lab, lab_2=['jump = "lab-1"'])
    checked = json.loads(check(path, "--on", "lab-2", "--json").stdout)
    assert [(seen["host"], seen["facts"]["listen"]["address"]) for seen in checked["hosts"]] == [
        ("lab-2", lab.hosts[1].address)
    ]


def test_a_network_that_swallows_is_said(make_lab, check):
    lab = make_lab()
    first, second = lab.hosts
    nobody = ("lladdr", "02:00:00:00:00:99", "nud", "permanent", "dev", "lab0")
    ip("-netns", first.namespace, "neighbour", "replace", second.address, *nobody)
    done = check(lab.inventory)
    assert done.returncode == 1
    assert (
        "host lab-1: it does not reach lab-2 (nothing comes back within 3 s, as with a firewall"
        in done.stderr
    )


def test_an_inventory_that_is_not_there_is_a_sentence(tmp_path, check):
    done = check(tmp_path / "none.toml")
    assert done.returncode == 2
    assert done.stderr.startswith("formicary: ")
    assert len(done.stderr.splitlines()) == 1
