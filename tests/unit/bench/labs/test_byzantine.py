"""The lab byzantine: the start fails for the expected reasons, the solution passes, mistakes are found."""

from __future__ import annotations

import pytest
from tests.unit.bench.labs.grading import graded, mutant, said

from formicary_bench.labs.material import lab_named

LAB = "byzantine"


def test_the_start_fails_where_something_is_to_be_done(tmp_path):
    silent = {"no order comes"}
    found = graded(LAB, lab_named(LAB).text("start.py"), tmp_path, silent=silent)
    assert len(found) == 9
    assert all("has decided None after 4.2 s" in problem for problem in found.values())


def test_the_solution_passes(tmp_path):
    found = graded(LAB, lab_named(LAB).text("solution.py"), tmp_path)
    assert set(found.values()) == {""}


DELAY = "        await asyncio.sleep(4)\n"
LAST = "            and path[-1] == sender\n"
TWICE = "            and path not in self.heard\n"
WORDS = """        if len(words) != 2:
            return
"""
RELAY = "len(path) <= ant.liars:"
MISTAKES = [
    (1, DELAY, "", "decides to retreat; the commander ordered to attack"),
    (2, LAST, "", "decides to …; the commander ordered to …, and ben lied"),
    (2, WORDS, "", "an agent failed: anna/Hear: IndexError: list index out of range"),
    (
        2,
        RELAY,
        "len(path) < ant.liars:",
        "decides to retreat; the commander ordered to attack, and … lied",
    ),
    (2, "[own, *(self", "[*(self", "decides to retreat; the commander ordered to attack"),
    (
        3,
        RELAY,
        "len(path) == 1:",
        "decides to retreat; the commander ordered to attack, and ben",
    ),
]


@pytest.mark.parametrize(("exercise", "right", "wrong", "sentence"), MISTAKES)
def test_a_mistake_is_found(tmp_path, exercise, right, wrong, sentence):
    found = graded(LAB, mutant(LAB, right, wrong), tmp_path, exercise)
    assert said(found.values(), sentence), found
