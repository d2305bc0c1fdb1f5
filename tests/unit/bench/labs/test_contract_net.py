"""The lab contract-net: the start fails for the expected reasons, the solution passes, mistakes are found."""

from __future__ import annotations

import pytest
from tests.unit.bench.labs.grading import graded, mutant, said

from formicary_bench.labs.material import lab_named

LAB = "contract-net"


def test_the_start_fails_where_something_is_to_be_done(tmp_path):
    found = graded(LAB, lab_named(LAB).text("start.py"), tmp_path)
    assert said([found["the best bid"]], "were done by {…: None}; it should be {")
    assert found["a silent carrier"] == "manager has not ended after 20 s"
    assert said([found["the winner crashes"]], "were done by {…: None}; it should be {")
    assert found["no carrier promises too much"].startswith("ox can carry one task at a time")
    assert found["all tasks at the same time"].startswith("not all tasks are done")
    assert found["a carrier is free again"] == "ox was free, and has carried only []"


def test_the_solution_passes(tmp_path):
    found = graded(LAB, lab_named(LAB).text("solution.py"), tmp_path)
    assert len(found) == 8
    assert set(found.values()) == {""}


FINALLY = """        finally:
            self.promised -= 1
"""
ONLY_AFTER_A_TASK = """                self.promised -= 1
        finally:
            pass
"""
YIELD = 'yield f"{call.body} is there"\n'
MISTAKES = [
    (1, "key=lambda bid: int(bid.body)", "key=lambda bid: bid.body", "were done by {'…': …; it should be {"),
    (1, 'if answer.performative == "accept-proposal":', "if True:", "though its bid was rejected"),
    (2, ", timeout=1", "", "manager has not ended after 20 s"),
    (
        2,
        "                    continue",
        "                    return",
        "were done by {…: None}; it should be {",
    ),
    (
        3,
        "self.promised >= self.capacity",
        "False",
        "ox can carry one task at a time, and the tasks were carried",
    ),
    (3, YIELD + FINALLY, YIELD + ONLY_AFTER_A_TASK, "ox was free, and has carried only []"),
    (
        3,
        "await asyncio.gather(*map(self.give, self.agent.tasks))",
        "[await self.give(task) for task in self.agent.tasks]",
        "manager has not ended after 10 s",
    ),
]


@pytest.mark.parametrize(("exercise", "right", "wrong", "sentence"), MISTAKES)
def test_a_mistake_is_found(tmp_path, exercise, right, wrong, sentence):
    found = graded(LAB, mutant(LAB, right, wrong), tmp_path, exercise)
    assert said(found.values(), sentence), found
