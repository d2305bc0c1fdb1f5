"""The lab ping-pong: the start fails for the expected reasons, the solution passes, mistakes are found."""

from __future__ import annotations

import pytest
from tests.unit.bench.labs.grading import graded, mutant, said

from formicary_bench.labs.material import lab_named

LAB = "ping-pong"
REPLY = "await self.reply(message, body=message.body)"


def test_the_start_fails_where_something_is_to_be_done(tmp_path):
    found = graded(LAB, lab_named(LAB).text("start.py"), tmp_path)
    assert found["each question is answered"].startswith("Ping has no answer to question 0")
    assert "for the answer to question 1: it was the late one" in found["an answer comes late"]
    assert "'no container for pong@c2" in found["the partner crashes"]
    assert found["several questions at once"].startswith("Rush had only 1 questions open; its window is")
    assert "20 questions took 5." in found["the window moves on"]


def test_the_solution_passes(tmp_path):
    found = graded(LAB, lab_named(LAB).text("solution.py"), tmp_path)
    assert len(found) == 6
    assert set(found.values()) == {""}


ALL_AT_ONCE = "self.agent.answers = await asyncio.gather(*map(one, range(self.agent.rounds)))"
IN_BUNCHES = """for first in range(0, self.agent.rounds, self.agent.window):
            few = range(first, first + self.agent.window)
            self.agent.answers += await asyncio.gather(*map(one, few))"""
AS_THEY_COME = """for each in asyncio.as_completed([*map(one, range(self.agent.rounds))]):
            self.agent.answers.append(await each)"""
MISTAKES = [
    (1, REPLY, f'{REPLY[:-1]}, performative="request")', "Pong's answer is a request"),
    (1, REPLY, "await self.reply(message, body=int(message.body))", "int(message.body)"),
    (1, REPLY, "await self.reply(message)", "the answer to '…' is ''; it should be the same"),
    (1, ', Template(performative="request")', "", "than there were requests: two of them would answer"),
    (2, "timeout=1", "timeout=5", "has waited for the first answer for more than one second"),
    (2, "(NoAnswerError, FailedError)", "NoAnswerError", "an agent failed: ping/Play: FailedError"),
    (3, "Semaphore(self.agent.window)", "Semaphore(100)", "Rush had 20 questions open at once"),
    (3, ALL_AT_ONCE, IN_BUNCHES, "as the others waited for the slow one"),
    (3, ALL_AT_ONCE, AS_THEY_COME, "answers are not in the order of the questions"),
]


@pytest.mark.parametrize(("exercise", "right", "wrong", "sentence"), MISTAKES)
def test_a_mistake_is_found(tmp_path, exercise, right, wrong, sentence):
    found = graded(LAB, mutant(LAB, right, wrong), tmp_path, exercise)
    assert said(found.values(), sentence), found
