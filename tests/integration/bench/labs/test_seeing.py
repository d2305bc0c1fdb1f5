"""What the labs' texts have students see in the live view is there to be seen, with the solution."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys

import pytest

from formicary import Container
from formicary.live.joined import JoinedFeed
from formicary.observe.events import MessageSeen
from formicary_bench.labs.material import all_labs, lab_named

CREATED = re.compile(r"(?:`program:(\w+)` )?as `(\w+)` with `({.*?})`")
SENT = re.compile(r"[Ss]end `(\w+)` the (request|inform) `([^`]+)`")
THERE = {"ping-pong": ("Pong", "pong"), "bottleneck": ("Clerk", "clerk")}
"""What `formicary run` starts by itself, as it needs only a name."""
SHOWN = {
    "ping-pong": [("ping", "pong", "request", "8"), ("pong", "ping", "inform", "8")],
    "book-trading": [("cat", "ann", "query-ref", "Emma"), ("cat", "ben", "request", "Emma")],
    "contract-net": [("max", "ox", "accept-proposal", ""), ("max", "atlas", "reject-proposal", "")],
    "leader-election": [("cat", "ann", "request", "candidate 9"), ("ann", "ben", "request", "candidate 9")],
    "gossip": [("cat", "ann", "inform", "sugar"), ("ann", "ben", "query-ref", '["sugar"]')],
    "ants": [("ann", "cat", "request", "maple")],
    "auctions": [("sealed", "dora", "accept-proposal", "30"), ("sealed", "carla", "reject-proposal", "")],
    "bottleneck": [("clerk", "stock", "query-if", "vase,lamp,rug")],
}


def text_of(lab):
    return " ".join(lab.text("index.md").split())


def test_all_labs_that_speak_of_the_live_view_are_here():
    assert {lab.name for lab in all_labs().values() if "live view" in text_of(lab)} == SHOWN.keys()


@pytest.fixture
def program(monkeypatch, tmp_path):
    """Return a function that makes a lab's solution the module `program`."""

    def put(lab):
        (tmp_path / "program.py").write_text(lab.text("solution.py"), encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)

    monkeypatch.delitem(sys.modules, "program", raising=False)
    yield put
    sys.modules.pop("program", None)


async def do_what_is_said(feed, lab):
    """Create the agents named in the text, and send the message."""
    if lab.name in THERE:
        kind, name = THERE[lab.name]
        await feed.act("create", class_name=f"program:{kind}", name=name)
    kind = ""
    for named, name, arguments in CREATED.findall(text_of(lab)):
        kind = named or kind
        await feed.act("create", class_name=f"program:{kind}", name=name, arguments=json.loads(arguments))
    for to, performative, body in SENT.findall(text_of(lab)):
        await feed.act("send", to=to, performative=performative, body=body)


@pytest.mark.parametrize("name", SHOWN)
async def test_what_is_to_be_seen_is_seen(name, program):
    lab = lab_named(name)
    program(lab)
    missing = set(SHOWN[name])
    async with Container("c1", creatable=["program"]) as container:
        async with JoinedFeed(container, may_act=True) as feed, asyncio.timeout(40):
            doing = None
            async for batch in feed:
                if doing is None and batch:  # it is watched
                    doing = asyncio.create_task(do_what_is_said(feed, lab))
                for event in batch:
                    if isinstance(event, MessageSeen):
                        short = [each.partition("@")[0] for each in (event.sender, event.receiver)]
                        missing.discard((*short, event.performative, event.body))
                if not missing:
                    break
            await doing
        assert missing == set()


def test_the_command_that_start_prints_opens_the_live_view(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    formicary = [sys.executable, "-c", "from formicary.cli import main; main()"]
    folder = tmp_path / "folder"
    done = subprocess.run(
        [*formicary, "lab", "start", "book-trading", folder], capture_output=True, text=True, check=True
    )
    *_, cd, command = done.stdout.splitlines()
    assert cd.split() == ["cd", str(folder)]
    arguments = command.split()[1:]
    with subprocess.Popen([*formicary, *arguments], cwd=folder, stderr=subprocess.PIPE, text=True) as running:
        said = [running.stderr.readline() for _ in range(3)]
        running.send_signal(signal.SIGINT)
        running.communicate()
    assert [line for line in said if line.startswith("live view: http://127.0.0.1:")]
    assert [line for line in said if "waiting for agents of program" in line]
