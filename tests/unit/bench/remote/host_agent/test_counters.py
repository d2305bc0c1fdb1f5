"""The counters of this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time

import pytest

from formicary_bench.remote.host_agent.counters import interface_at, look, throttled_s


def test_a_look_tells_of_this_process_and_not_of_one_that_is_gone():
    gone = os.fork()
    if not gone:
        os._exit(0)
    os.waitpid(gone, 0)
    seen = look("", (os.getpid(), gone))
    assert set(seen.cpu_s) == set(seen.uss_bytes) == {os.getpid()}
    assert seen.uss_bytes[os.getpid()] > 1 << 20
    assert seen.busy_s > 0


def test_the_time_of_a_process_is_that_of_its_children_as_well():
    script = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True); input()"
    command = [sys.executable, "-S", "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        before = time.process_time()
        child.stdout.readline()
        assert look("", (os.getpid(),)).cpu_s[os.getpid()] >= before + 0.25
        child.stdin.close()


def test_what_goes_over_loopback_is_counted_there():
    before = look("lo")
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as a,
    ):
        b, _ = server.accept()
        with b:
            a.sendall(bytes(10_000))
            received = 0
            while received < 10_000:
                received += len(b.recv(1 << 16))
    after = look("lo")
    assert after.loopback_bytes - before.loopback_bytes >= 10_000
    assert after.loopback_packets > before.loopback_packets
    assert after.wire_bytes - before.wire_bytes >= 20_000  # as an interface, sent and received
    assert after.at_ns > before.at_ns


def test_an_interface_is_found_by_its_address_or_a_name_of_it():
    assert interface_at("127.0.0.1") == interface_at("localhost") == "lo"
    assert interface_at("192.0.2.1") == ""


@pytest.mark.parametrize(
    ("own", "file", "stat", "seconds"),
    [
        ("0::/lab\n", "lab/cpu.stat", "usage_usec 7\nthrottled_usec 2500000\n", 2.5),
        ("0::/outside\n", "cpu.stat", "throttled_usec 1000000\n", 1.0),
        ("5:cpu,cpuacct:/x\n0::/\n", "cpu,cpuacct/x/cpu.stat", "throttled_time 3000000000\n", 3.0),
        ("0::/lab\n", "lab/cpu.stat", "usage_usec 7\n", 0.0),
        ("0::/lab\n", "lab/cpu.stat", "not what it should be\n", 0.0),
    ],
)
def test_how_long_a_limit_held_processes_back(tmp_path, own, file, stat, seconds):
    (tmp_path / "own").write_text(own)
    (tmp_path / "groups" / file).parent.mkdir(parents=True)
    (tmp_path / "groups" / file).write_text(stat)
    assert throttled_s(tmp_path / "groups", tmp_path / "own") == seconds


def test_nothing_is_held_back_where_there_are_no_control_groups(tmp_path):
    assert throttled_s(tmp_path, tmp_path / "none") == 0
