"""Hosts on one machine: what is looked at before anything is made, and what is refused."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from formicary.errors import UsageError
from formicary_bench.netlab import LabError, make, network
from formicary_bench.netlab.folder import Lab, LabFolder, cable, default_folder, is_of, mark_of
from formicary_bench.netlab.ssh import inventory
from formicary_bench.remote.inventory import load


@pytest.fixture
def calls(monkeypatch):
    """Collect commands instead of running them; those that begin with the given words fail."""

    def run(program, *arguments):
        made.append(" ".join([program, *arguments]))
        if any(part in made[-1] for part in run.failing):
            raise network.FailedError("Operation not permitted", "it failed")
        return "[]" if "-json" in arguments else ""

    made = []
    run.failing = []
    made_by = type("Calls", (), {"made": made, "failing": run.failing})
    monkeypatch.setattr(network, "run", run)
    monkeypatch.setattr(network, "ip", lambda *arguments: run("ip", *arguments))
    monkeypatch.setattr(make, "ip", lambda *arguments: run("ip", *arguments))
    monkeypatch.setattr(make, "find", lambda program: program)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return made_by


# Rights and programs


def test_only_root_makes_a_lab(tmp_path, calls, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(
        LabError, match=r"creating hosts on this machine requires root; .* `sudo \$\(command -v formicary\)`"
    ):
        make.up(tmp_path / "lab", 1)
    assert calls.made == []
    assert not (tmp_path / "lab").exists()


@pytest.mark.parametrize(
    ("program", "package"), [("ip", "iproute2"), ("tc", "iproute2"), ("sshd", "openssh-server")]
)
def test_a_missing_program_is_named_with_its_package(tmp_path, monkeypatch, program, package):
    for other in {"ip", "tc", "sshd"} - {program}:
        (tmp_path / other).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(network, "_PLACES", ())
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(LabError, match=f"requires the program {program}, .*install {package}"):
        make.up(tmp_path / "lab", 1)
    assert not (tmp_path / "lab").exists()


@pytest.mark.parametrize(
    ("failing", "said"),
    [
        (
            "netns add",
            "does not provide network namespaces .Operation not permitted.; run this outside of",
        ),
        ("type bridge", "does not provide bridges and virtual cables .*; load the modules bridge and veth"),
        ("type veth", "does not provide bridges and virtual cables"),
        (
            "tbf",
            "does not provide tbf, which limits the rate .*; load the module sch_tbf, or omit --rate",
        ),
        ("netem", "does not provide netem, which delays .*; load the module sch_netem, or omit --delay"),
    ],
)
def test_what_the_kernel_cannot_is_said_before_anything_is_made(tmp_path, calls, failing, said):
    calls.failing.append(failing)
    with pytest.raises(LabError, match=said):
        make.up(tmp_path / "lab", 1, "10mbit", "2ms")
    mark = mark_of(tmp_path / "lab")
    made = {call for call in calls.made if "add" in call}
    assert all(f"formicary-lab-{mark}-trial" in call for call in made)
    assert f"ip netns delete formicary-lab-{mark}-trial" in calls.made
    assert not (tmp_path / "lab").exists()


def test_what_is_not_asked_for_is_not_needed(calls):
    calls.failing += ["tbf", "netem"]
    network.try_out("abc", "", "")
    assert not any("tc" in call.split() for call in calls.made)


# Limits


@pytest.mark.parametrize("rate", ["64kbit", "100mbit", "100gbit"])
@pytest.mark.parametrize("delay", ["", "1us", "2ms", "0.5ms", "10s"])
def test_limits_are_given_to_the_kernel(tmp_path, calls, rate, delay):
    calls.failing.append("switch")  # far enough
    with pytest.raises(network.FailedError):
        make.up(tmp_path / "lab", 1, rate, delay)
    assert any(f"tbf rate {rate} burst" in call for call in calls.made)
    assert any(f"netem delay {delay} limit" in call for call in calls.made) == bool(delay)


@pytest.mark.parametrize(
    "rate",
    [
        "100",
        "mbit",
        "0mbit",
        "-1mbit",
        "1.5mbit",
        "100 mbit",
        "63kbit",
        "101gbit",
        "1mbit; reboot",
        "\u0661mbit",
    ],
)
def test_what_is_no_rate_is_refused(tmp_path, rate):
    with pytest.raises(UsageError, match="is not a valid rate; use a whole number of kbit, mbit or gbit"):
        make.up(tmp_path / "lab", 1, rate)


@pytest.mark.parametrize("delay", ["2", "ms", "0ms", "-1ms", "11s", "2 ms", "1e3ms", "nanms", "2ms\n"])
def test_what_is_no_delay_is_refused(tmp_path, delay):
    with pytest.raises(UsageError, match="is not a valid delay; use a number of us, ms or s, such as 2ms"):
        make.up(tmp_path / "lab", 1, "", delay)


def test_with_a_delay_the_rate_comes_behind_it(calls):
    network._limit("ns", "lab0", "10mbit", "2ms")
    assert calls.made == [
        "tc -netns ns qdisc add dev lab0 root handle 1: netem delay 2ms limit 100000",
        "tc -netns ns qdisc add dev lab0 parent 1:1 handle 2: tbf rate 10mbit burst 65536 latency 50ms",
    ]


# Addresses and names


@pytest.mark.parametrize(
    ("routes", "chosen"),
    [
        ([], "198.18.0.0/24"),
        (["default", "10.0.0.0/8", "192.0.2.1"], "198.18.0.0/24"),
        (["198.18.0.0/24", "198.18.1.7"], "198.18.2.0/24"),
        (["198.18.0.0/16"], "198.19.0.0/24"),
        (["0.0.0.0/1", "128.0.0.0/1", "198.16.0.0/12"], "198.18.0.0/24"),  # a VPN for all the Internet
    ],
)
def test_addresses_are_taken_that_are_in_use_nowhere(monkeypatch, routes, chosen):
    shown = json.dumps([{"dst": route} for route in routes])
    monkeypatch.setattr(network, "ip", lambda *_: shown)
    with network.choosing() as subnet:
        assert subnet == chosen


def test_where_all_addresses_are_in_use_no_lab_is_made(monkeypatch):
    monkeypatch.setattr(network, "ip", lambda *_: json.dumps([{"dst": "198.18.0.0/15"}]))
    with pytest.raises(LabError, match=r"all addresses of 198.18.0.0/15 are in use"), network.choosing():
        pass


def test_the_addresses_and_names_of_a_large_lab_are_all_different_and_fit():
    lab = Lab("0123abcd", make.LARGEST, "198.19.255.0/24")
    addresses = [lab.address, *(host.address for host in lab.hosts)]
    assert len({*addresses}) == make.LARGEST + 1
    assert (addresses[0], addresses[-1]) == ("198.19.255.1", f"198.19.255.{make.LARGEST + 1}")
    names = [lab.switch, *(host.namespace for host in lab.hosts)]
    assert len({*names}) == make.LARGEST + 1
    assert all(is_of(lab.mark, name) for name in names)
    interfaces = [lab.cable, *(host.name for host in lab.hosts)]
    assert max(map(len, interfaces)) <= 15  # IFNAMSIZ


@pytest.mark.parametrize(
    "name",
    ["formicary-test-1-1a", "formicary-lab-ab-1", "formicary-lab-abc-1000", "formicary-lab-abc-1x", "x"],
)
def test_what_is_not_of_a_lab_is_left_alone(name):
    assert not is_of("abc", name)


def test_a_lab_is_known_by_its_folder_however_that_is_written(tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    marks = {
        LabFolder(where).mark for where in (Path("a"), tmp_path / "a", tmp_path / "link" / "x" / ".." / "a")
    }
    assert len(marks) == 1
    assert LabFolder(tmp_path / "b").mark not in marks
    assert len(cable(*marks)) <= 15


# The folder


def test_the_usual_folder_needs_no_option(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert LabFolder(None).path == default_folder()
    assert (LabFolder(None).option, LabFolder(tmp_path).option) == ("", f" --folder {tmp_path}")


@pytest.mark.parametrize("name", ['a"b', "a%hb", "a\\b", "a\nb"])
def test_a_folder_that_sshd_cannot_read_is_refused(tmp_path, calls, name):
    with pytest.raises(LabError, match="has characters that an SSH server's configuration cannot have"):
        make.up(tmp_path / name, 1)
    assert calls.made == []


def test_a_folder_of_a_user_that_there_is_not_is_refused(calls):
    with pytest.raises(LabError, match=r"does not exist .*; choose another one with --folder"):
        make.up(Path("~nobody-of-this-name/lab"), 1)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path, calls):
    (tmp_path / "file").touch()
    with pytest.raises(LabError, match=r"cannot be written .Not a directory.; choose another one"):
        make.up(tmp_path / "file" / "lab", 1)


@pytest.mark.parametrize("content", ["", "{half", "[]", '{"mark": 1}'])
def test_a_state_that_is_not_understood_is_none(tmp_path, content):
    (tmp_path / "lab.json").touch(mode=0o600)
    (tmp_path / "lab.json").write_text(content)
    assert LabFolder(tmp_path).read() is None


# The inventory


@pytest.mark.parametrize("name", ["lab", "my lab", "Küche", "it's", "a#b]"])
def test_the_written_inventory_is_one(tmp_path, name):
    folder = LabFolder(tmp_path / name)
    folder.prepare()
    for path in (folder.key, folder.known_hosts):
        path.touch()
    lab = Lab(folder.mark, 2, "198.18.7.0/24")
    folder.save(folder.inventory, inventory(lab, folder).encode())
    first, second = load(folder.inventory).hosts
    assert (first.name, first.address, first.key) == ("lab-1", "198.18.7.2", folder.key)
    assert (second.name, second.listen, second.known_hosts) == ("lab-2", "198.18.7.3", folder.known_hosts)
    assert (first.venv, first.environment) == (sys.prefix, {})


def test_a_python_outside_of_environments_is_named_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3")
    folder = LabFolder(tmp_path / "lab")
    assert 'python = "/usr/bin/python3"\n' in inventory(Lab("a", 1, "198.18.0.0/24"), folder)
    assert "venv =" not in inventory(Lab("a", 1, "198.18.0.0/24"), folder)
