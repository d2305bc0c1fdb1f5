"""The lab token-ring: the start fails for the expected reasons, the solution passes, mistakes are found."""

from __future__ import annotations

import pytest
from tests.unit.bench.labs.grading import graded, mutant, said

from formicary_bench.labs.material import lab_named

LAB = "token-ring"


def test_the_start_fails_where_something_is_to_be_done(tmp_path):
    found = graded(LAB, lab_named(LAB).text("start.py"), tmp_path)
    assert found["the token goes round"].startswith("in 10 s the room was used 1 times: m")
    assert found["a member crashes"] == "after the crash the room was used by nobody"
    assert found["the network is slow"] == "in 600 s the room was used 1 times"
    assert found["the token is lost"].startswith("the token has not come to m2")
    assert found["two tokens"].startswith("the token has not come to m1")


def test_the_solution_passes(tmp_path):
    found = graded(LAB, lab_named(LAB).text("solution.py"), tmp_path)
    assert len(found) == 6
    assert set(found.values()) == {""}


ASK = 'await self.ask(Message(to=other, performative="request", body=str(number)))'
MISTAKES = [
    (1, "number = int(token.body)", "number = 1", "the token had the number …, and then also ['1']"),
    (
        1,
        "for other in self.agent.others:",
        "for other in self.agent.others[1:]:",
        "the members were not in turn",
    ),
    (2, ASK, ASK.replace("self.ask(", "self.send("), "after the crash the room was used by"),
    (2, f"{ASK[:-1]})", f"{ASK[:-1]}, timeout=5)", "an agent failed: m0/Carry: NoAnswerError"),
    (3, "member.highest + 1", "member.highest", "the new token has the number of the lost one"),
    (3, "if number < member.highest:", "if False:", "there are still tokens with numbers ['5', '6']"),
    (
        3,
        "timeout=member.patience",
        "timeout=None",
        "a minute after the token was lost, the room was used by nobody",
    ),
]


@pytest.mark.parametrize(("exercise", "right", "wrong", "sentence"), MISTAKES)
def test_a_mistake_is_found(tmp_path, exercise, right, wrong, sentence):
    found = graded(LAB, mutant(LAB, right, wrong), tmp_path, exercise)
    assert said(found.values(), sentence), found


def test_impatience_makes_a_second_token(tmp_path):
    text = mutant(LAB, ASK, f"{ASK[:-1]}, timeout=5)").replace("except FailedError:", "except Exception:")
    found = graded(LAB, text, tmp_path, 2)
    assert "used the room at the same time" in found["the network is slow"]
