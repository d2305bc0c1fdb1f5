"""The lab gossip: the start fails for the expected reasons, the solution passes, mistakes are found."""

from __future__ import annotations

import pytest
from tests.unit.bench.labs.grading import graded, mutant, said

from formicary_bench.labs.material import lab_named

LAB = "gossip"


def test_the_start_fails_where_something_is_to_be_done(tmp_path):
    silent = {"the mean", "the mean around a queen", "few messages"}
    found = graded(LAB, lab_named(LAB).text("start.py"), tmp_path, silent=silent)
    assert found["the rumour goes round"].startswith("ant-0 has never heard that there is 'sugar")
    assert found["newcomers"].startswith("lea has never heard")
    assert found["quiet when nothing is new"] == "nobody asks for what it has missed"
    assert found["the mean"].startswith("ant-0 believes the mean to be ")


def test_the_solution_passes(tmp_path):
    found = graded(LAB, lab_named(LAB).text("solution.py"), tmp_path)
    assert len(found) == 9
    assert set(found.values()) == {""}


KNOWN = """        if rumour.body in self.agent.known:
            return
"""
TO_ALL = "for neighbour in self.agent.neighbours:"
CHOICE = "neighbour = self.agent.random.choice(self.agent.neighbours)"
LACKS = "            if rumour not in json.loads(question.body):\n    "
HALVES = "ant.total, ant.weight = ant.total / 2, ant.weight / 2"
MISTAKES = [
    (1, KNOWN, "", "the rumour goes round for ever"),
    (1, TO_ALL, "for neighbour in self.agent.neighbours[:1]:", "has never heard that there is"),
    (2, LACKS, "", "messages in 10 s, and nothing was new"),
    (2, CHOICE, "neighbour = self.agent.neighbours[0]", "lea has never heard"),
    (3, HALVES, "ant.total /= 2", "believes the mean to be"),
    (3, "Give(1.0)", "Give(0.25)", "messages in 20 s"),
]  # fmt: skip


@pytest.mark.parametrize(("exercise", "right", "wrong", "sentence"), MISTAKES)
def test_a_mistake_is_found(tmp_path, exercise, right, wrong, sentence):
    found = graded(LAB, mutant(LAB, right, wrong), tmp_path, exercise)
    assert said(found.values(), sentence), found
