"""The judge takes nothing that a program's process should not say: each is one sentence, and fails."""

from __future__ import annotations

import asyncio
import contextlib
import math
import socket
import threading
import time

import pytest
from tests.unit.bench.labs.grading import examined

from formicary import Agent, Message, OneShotBehaviour
from formicary.processes.requests import Answer, Refusal, Request
from formicary.testing.memory_line import encode
from formicary_bench.labs import Scenario
from formicary_bench.labs.examinee import Examinee
from formicary_bench.labs.exchange import (
    Call,
    Final,
    Finish,
    Frame,
    Idle,
    Line,
    Loaded,
    Order,
    Report,
)
from formicary_bench.labs.playing import play
from formicary_bench.labs.programs import Broken

OURS, JUDGES = "c2.lab.localhost", "c1.lab.localhost"


def idle(*frames, timer=None, answers=(), calls=()):
    return Idle(timer, frames, answers, calls)


def letter(data, source=OURS):
    return Frame("letter", source, JUDGES, f"x@{JUDGES}", data)


async def a_second(stage):
    """An agent of the program is started, and a second passes."""
    await stage.container("c1")
    await stage.start("c2", "Pong", "pong")
    await asyncio.sleep(1)


SCENARIO = Scenario("a second", 1, "it passes", a_second)


def perform(line, hostile):
    """Be a program's process that behaves well until its agent is to be started."""
    line.receive()
    line.send(idle())
    opening = line.receive()
    line.send(idle(Frame("come", OURS), answers=[Answer(task.number, None) for task in opening.tasks]))
    while True:
        order = line.receive()
        if isinstance(order, Finish):
            line.send(Final((), "", ""))
            return
        tasks = getattr(order, "tasks", ())
        line.send(hostile if tasks else idle())


def outcome(hostile, behaves=perform):
    ours, theirs = socket.socketpair()

    def run():
        with theirs, contextlib.suppress(OSError, EOFError):
            behaves(Line(theirs, Order), hostile)

    thread = threading.Thread(target=run)
    thread.start()
    with ours:
        line = Line(ours, Report)
        line.deadline = time.monotonic() + 20
        found = play(SCENARIO, Examinee(line, lambda: "it has ended"), 1)
    thread.join()
    return found


def test_what_a_well_behaved_process_says_holds():
    found = outcome(idle(answers=[Answer(1, 0)]))
    assert (found.problem, found.passed) == ("", True)


@pytest.mark.parametrize(
    ("hostile", "sentence"),
    [
        (idle(Frame("come", "c9.lab.localhost")), "the program opened another container, 'c9.lab.localhost'"),
        (idle(Frame("left", JUDGES)), "the program sent something as c1.lab.localhost"),
        (idle(letter(b"", source=JUDGES)), "the program sent something as c1.lab.localhost"),
        (idle(Frame("lost", OURS, JUDGES)), "the program reported a message as lost"),
        (idle(letter(b"\xc1")), "the program sent something that is not a message"),
        (idle(letter(b"\x91" * 100_000)), "the program sent something that is not a message"),
        (idle(letter(encode(Message(body="x", sender=f"judge@{JUDGES}")))), "in the name of 'judge@c1"),
        (idle(letter(encode(Message(body="x")))), "in the name of ''"),
        (Final((), "", ""), "cannot be read (it sent unexpected data)"),
        (Loaded(""), "cannot be read (it sent unexpected data)"),
        (Answer(0, True), "cannot be read (it sent unexpected data)"),
        (idle(answers=[Refusal(1, "it will not")]), "it will not"),
        (
            idle(answers=[Answer(7, 0)], timer=math.nan, calls=[Request(1, Call("expect", ()))]),
            "has not ended after 24",
        ),
    ],
)
def test_what_is_forged_is_one_sentence(hostile, sentence):
    found = outcome(hostile)
    assert not found.passed
    assert sentence in found.problem


@pytest.mark.parametrize(
    "data", [b"", b"\0\0\0\1\xc1", b"\xff\xff\xff\xff", b"\0\0\0\3\x81\xa3x", b"well done"]
)
def test_what_is_no_report_is_one_sentence(data):
    def write(line, data):
        line.receive()
        line._connection.sendall(data)

    found = outcome(data, write)
    assert not found.passed
    assert "cannot be read" in found.problem or found.problem == "it has ended"


def test_a_process_that_says_nothing_is_not_waited_for():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        line = Line(ours, Report)
        line.deadline = time.monotonic()
        found = play(SCENARIO, Examinee(line, lambda: "it has ended"), 1)
    assert found.problem == "the program blocked its process, which had to be killed"


SLOW = """
import asyncio
from formicary import Agent, CyclicBehaviour

class Slow(Agent):
    def __init__(self, name):
        super().__init__(name)
        self.got = []

    async def setup(self):
        self.add_behaviour(Take())

class Take(CyclicBehaviour):
    async def run(self):
        if not self.agent.got:
            await asyncio.sleep(5)
        self.agent.got.append(int((await self.receive()).body))
"""
COUNT = 3000


class Flood(OneShotBehaviour):
    async def run(self):
        for number in range(COUNT):
            await self.send(Message(to="slow@c2", body=str(number)))
            if number == COUNT // 2:
                await asyncio.sleep(0.1)  # until it is heard that the mailbox is full
        self.set("done", asyncio.get_running_loop().time())


async def a_flood(stage):
    """More messages than a mailbox holds arrive in order, while their sender has to wait."""
    c1 = await stage.container("c1")
    slow = await stage.start("c2", "Slow", "slow")
    await c1.start(source := Agent("source"))
    source.add_behaviour(Flood())
    await asyncio.sleep(10)
    stage.expect(source.get("done") >= 5, f"nobody had to wait: {source.get('done')}")
    stage.expect(slow.got == list(range(COUNT)), f"{len(slow.got)} have come")


def test_who_sends_to_a_full_mailbox_of_the_program_waits(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(SLOW, encoding="utf-8")
    with examined(path) as examinee:
        assert examinee.loaded() == ""
        assert play(Scenario("a flood", 1, "it arrives", a_flood), examinee, 1).problem == ""


ODD = """
from collections import deque
from formicary import Agent

class Odd(Agent):
    def __init__(self, name, said):
        super().__init__(name)
        self.said = said
        self.plain = {"a": (1, 2), "b": deque([3])}
        self.cycle = []
        self.cycle.append(self.cycle)

    @property
    def broken(self):
        raise ValueError("it is broken")
"""


def test_what_an_agent_has_is_plain_data_or_a_sentence(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(ODD, encoding="utf-8")
    found = {}

    async def look(stage):
        odd = await stage.start("c2", "Odd", "odd", ["x", 1.5, None])
        for name in ("said", "plain", "missing", "broken", "cycle", "container"):
            try:
                found[name] = getattr(odd, name)
            except Broken as error:
                found[name] = str(error)

    with examined(path) as examinee:
        assert examinee.loaded() == ""
        assert play(Scenario("a look", 1, "", look), examinee, 1).passed
    assert found["said"] == ["x", 1.5, None]
    assert found["plain"] == {"a": [1, 2], "b": [3]}
    assert found["missing"] == "odd has no missing, which the lab needs"
    assert "ValueError: it is broken (program.py, line 15:" in found["broken"]
    assert found["cycle"].startswith("cycle of odd cannot be read: RecursionError")
    assert found["container"].startswith("container of odd cannot be read: TypeError")
