from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from formicary.server.federate import federate
from formicary.server.federation import parse_member
from formicary.server.folder import StateFolder

PLATFORM = "lab.example"
TALKER = Path(__file__).with_name("talker.py")
COMMAND = [sys.executable, "-c", "from formicary.cli import main; main()"]


class Talker:
    """A container on a host, which sends and gets answers."""

    def __init__(self, process):
        self._process = process
        assert process.stdout.readline() == "ready\n"

    def talk(self, receiver, count=1):
        """Send messages and return the answers: (performative, body)."""
        self._process.stdin.write(f"{receiver} {count}\n")
        self._process.stdin.flush()
        return [tuple(answer) for answer in json.loads(self._process.stdout.readline())]


@pytest.fixture
def members(two_hosts):
    """A server on each host: c1 and c2 on the first, c3 and c4 on the second."""
    first, second = two_hosts
    return [parse_member(f"a=c1,c2@{first.address}"), parse_member(f"b=c3,c4@{second.address}")]


@pytest.fixture
def folders(members, tmp_path):
    """The state folders of the two servers, each copied to its host."""
    made = federate(PLATFORM, members, tmp_path / "federation")
    return [StateFolder(shutil.copytree(one.folder.path, tmp_path / one.member.name)) for one in made]


@pytest.fixture
def start_server():
    """Start a server on a host; it ends with the host at the latest."""

    def start(host, folder):
        command = [*COMMAND, "server", "start", "--json", "--folder", folder.path]
        with host.popen(command, stdout=subprocess.PIPE, text=True) as process:
            facts = json.loads(process.stdout.read())
        assert facts["pid"] in host.pids()
        return facts

    return start


@pytest.fixture
def talker():
    """Start a container on a host: `talker(host, folder, name)`, or `talker(host, folder, name, "tls")`.

    In the folder's place there may be a file with the address of a server that is not ours, as JSON.
    """

    def start(host, folder, name, *options):
        command = [sys.executable, TALKER, folder, name, *options]
        return Talker(host.popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))

    return start
