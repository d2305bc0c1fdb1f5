"""The lab ants: the start fails for the expected reasons, the solution passes, mistakes are found."""

from __future__ import annotations

import pytest
from tests.unit.bench.labs.grading import graded, mutant, said

from formicary_bench.labs.material import lab_named

LAB = "ants"


def test_the_start_fails_where_something_is_to_be_done(tmp_path):
    found = graded(LAB, lab_named(LAB).text("start.py"), tmp_path)
    assert found["one swap"] == "the ant that was asked has sent no inform with its leaf"
    assert found["several turns"] == "nine ants with four turns have made only 0 swaps in 30 s"
    assert found["all at once"] == "nobody has refused, though both had asked"
    assert found["ants die"].endswith("the others have made 0 swaps more")


def test_the_solution_passes(tmp_path):
    found = graded(LAB, lab_named(LAB).text("solution.py"), tmp_path)
    assert len(found) == 8
    assert set(found.values()) == {""}


GIVE = """            self.send_nowait(message.make_reply(performative="inform", body=self.leaf))
            self.leaf = message.body
            self.ask()
"""
GIVE_LATE = """            self.leaf = message.body
            self.send_nowait(message.make_reply(performative="inform", body=self.leaf))
            self.ask()
"""
REFUSED = """        elif kind == "refuse":
            self.ask()
"""
MISTAKES = [
    (1, GIVE, GIVE.replace("            self.ask()\n", ""), "have made 1 swaps in 30 s"),
    (1, GIVE, GIVE_LATE, "the answer is 'leaf-…' in place of the leaf, 'leaf-"),
    (1, "            self.asked = None\n", "            self.ask()\n", "have made 8 swaps in 30 s"),
    (2, 'kind == "request" and self.asked', 'kind == "request" and not self.may_ask', "is lost, and leaf-"),
    (2, REFUSED, "", "nine ants with four turns have made only"),
    (2, "random.choice(self.others)", "random.choice(self.others[:2])", "times on average"),
    (3, ' and message.in_reply_to == "swap"', "", "and wait for its answer, and has asked ant-"),
    (
        3,
        "            self.others.remove(self.asked)\n            self.ask()\n",
        "            pass\n",
        "swaps more",
    ),
]


@pytest.mark.parametrize(("exercise", "right", "wrong", "sentence"), MISTAKES)
def test_a_mistake_is_found(tmp_path, exercise, right, wrong, sentence):
    found = graded(LAB, mutant(LAB, right, wrong), tmp_path, exercise)
    assert said(found.values(), sentence), found
