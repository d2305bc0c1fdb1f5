"""The lab leader-election: the start fails for the expected reasons, the solution passes, mistakes too."""

from __future__ import annotations

import pytest
from tests.unit.bench.labs.grading import graded, mutant, said

from formicary_bench.labs.material import lab_named

LAB = "leader-election"


def test_the_start_fails_where_something_is_to_be_done(tmp_path):
    found = graded(LAB, lab_named(LAB).text("start.py"), tmp_path)
    assert len(found) == 7
    assert all("should lead" in problem and "None" in problem for problem in found.values())


def test_the_solution_passes(tmp_path):
    found = graded(LAB, lab_named(LAB).text("solution.py"), tmp_path)
    assert len(found) == 7
    assert set(found.values()) == {""}


EVERYBODY = "(*self.agent.others, self.agent.name)"
WATCHED = "                member.add_behaviour(Watch(name), NOTHING)"
MISTAKES = [
    (1, "elif number > member.number:", "else:", "… should lead, and the members think"),
    (2, EVERYBODY, "self.agent.others[:1]", "should lead, and the members think that it is {…: None"),
    (2, EVERYBODY, "self.agent.others", "should lead, and the members think that it is {'m…': None}"),
    (3, WATCHED, "                pass", "should lead, and the members think that it is {'m"),
    (3, 'body="are you there?"))', 'body="are you there?"), timeout=2)', "an agent failed: m"),
]


@pytest.mark.parametrize(("exercise", "right", "wrong", "sentence"), MISTAKES)
def test_a_mistake_is_found(tmp_path, exercise, right, wrong, sentence):
    text = mutant(LAB, right, wrong)
    if wrong == "else:":  # and not two of them
        text = text.replace("        else:\n            member.begin()\n", "", 1)
    found = graded(LAB, text, tmp_path, exercise)
    assert said(found.values(), sentence), found
