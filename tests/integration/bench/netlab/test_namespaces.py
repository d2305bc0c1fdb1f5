"""The two hosts that tests of the network use: do cutting, mending and resetting do what they say?"""

from __future__ import annotations

import subprocess
import sys

import pytest

SERVE = """
import socket, sys
with socket.create_server((sys.argv[1], 5000)) as server:
    print("listening", flush=True)
    connection, _ = server.accept()
    try:
        while data := connection.recv(100):
            print(data.decode(), flush=True)
    except OSError as error:
        print(type(error).__name__, flush=True)
"""
CONNECT = """
import socket, sys
with socket.create_connection((sys.argv[1], 5000)) as connection:
    for line in sys.stdin:
        connection.sendall(line.strip().encode())
"""


@pytest.fixture
def talk(two_hosts):
    """A program on each host, connected so that one prints what the other reads."""
    first, second = two_hosts
    piped = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    server = first.popen([sys.executable, "-c", SERVE, first.address], **piped)
    assert server.stdout.readline() == "listening\n"
    client = second.popen([sys.executable, "-c", CONNECT, first.address], **piped)
    client.stdin.write("hello\n")
    assert server.stdout.readline() == "hello\n"
    return client.stdin, server.stdout


def test_a_cut_is_silent_and_what_was_sent_meanwhile_arrives_when_it_is_mended(two_hosts, talk):
    first, _ = two_hosts
    said, heard = talk
    first.cut()
    said.write("into the void\n")
    first.mend()
    assert heard.readline() == "into the void\n"


def test_what_is_swallowed_gets_no_answer_and_no_error(two_hosts):
    first, second = two_hosts
    second.swallow(first)
    connect = f"import socket; socket.create_connection(({first.address!r}, 5000), timeout=1.5)"
    client = second.popen([sys.executable, "-c", connect], stderr=subprocess.PIPE, text=True)
    assert "TimeoutError: timed out" in client.communicate()[1]


def test_a_reset_breaks_the_connection_for_the_other_end_at_once(two_hosts, talk):
    _, second = two_hosts
    _, heard = talk
    second.reset_connections()
    assert heard.readline() == "ConnectionResetError\n"


def test_resetting_where_there_is_no_connection_is_said(two_hosts):
    with pytest.raises(AssertionError, match="no connections over the cable"):
        two_hosts[0].reset_connections()


def test_the_hosts_share_nothing_with_the_machine_but_the_cable(two_hosts):
    first, second = two_hosts
    server = second.popen([sys.executable, "-c", SERVE, "127.0.0.1"], stdout=subprocess.PIPE, text=True)
    assert server.stdout.readline() == "listening\n"
    client = first.popen([sys.executable, "-c", CONNECT, "127.0.0.1"], stderr=subprocess.PIPE, text=True)
    assert "ConnectionRefusedError" in client.communicate()[1]
    assert server.pid in second.pids()
    assert server.pid not in first.pids()
