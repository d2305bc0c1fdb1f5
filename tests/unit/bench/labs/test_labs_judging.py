"""The judge takes nothing that a program's process should not say: each is one sentence, and fails."""

from __future__ import annotations

import asyncio
import contextlib
import math
import socket
import threading
import time

import pytest

from formicary import Message
from formicary_bench.labs import Scenario
from formicary_bench.labs.examinee import Examinee
from formicary_bench.labs.exchange import (
    Answer,
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
from formicary_bench.labs.ports import encode

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
    """Be a program's process that is well-behaved until its agent is to be started."""
    line.receive()
    line.send(idle())
    opening = line.receive()
    line.send(idle(Frame("come", OURS), answers=[Answer(task.number) for task in opening.tasks]))
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
        (idle(Frame("come", "c9.lab.localhost")), "the program has opened a container, 'c9.lab.localhost'"),
        (idle(Frame("left", JUDGES)), "the program has sent something for c1.lab.localhost"),
        (idle(letter(b"", source=JUDGES)), "the program has sent something for c1.lab.localhost"),
        (idle(Frame("lost", OURS, JUDGES)), "the program has called a message lost"),
        (idle(letter(b"\xc1")), "the program has sent what is no message"),
        (idle(letter(b"\x91" * 100_000)), "the program has sent what is no message"),
        (idle(letter(encode(Message(body="x", sender=f"judge@{JUDGES}")))), "in the name of 'judge@c1"),
        (idle(letter(encode(Message(body="x")))), "in the name of ''"),
        (Final((), "", ""), "cannot be read (it speaks out of turn)"),
        (Loaded(""), "cannot be read (it speaks out of turn)"),
        (Answer(0, True), "cannot be read (it speaks out of turn)"),
        (idle(answers=[Answer(1, None, "it will not")]), "it will not"),
        (idle(answers=[Answer(7, 0)], timer=math.nan, calls=[Call(1, "expect", ())]), "is not over after 24"),
    ],
)
def test_what_is_forged_is_one_sentence(hostile, sentence):
    found = outcome(hostile)
    assert not found.passed
    assert sentence in found.problem


@pytest.mark.parametrize(
    "data", [b"", b"\0\0\0\1\xc1", b"\xff\xff\xff\xff", b"\0\0\0\3\x92\xa3x", b"well done"]
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
    assert found.problem == "the program blocks its process, which had to be killed"
