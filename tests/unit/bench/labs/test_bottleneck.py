"""The lab bottleneck: the start fails for the expected reasons, the solution passes, mistakes are found."""

from __future__ import annotations

import pytest
from tests.unit.bench.labs.grading import graded, mutant, said

from formicary_bench.labs.material import lab_named

LAB = "bottleneck"


def test_the_start_fails_where_something_is_to_be_done(tmp_path):
    found = graded(LAB, lab_named(LAB).text("start.py"), tmp_path)
    assert found["nothing is appraised twice"].startswith("a good was appraised 20 times in 20 orders")
    assert found["one question for an order"].startswith("the clerk has asked the stock 5 times")
    assert found["the directory is asked once"] == "the clerk has looked for the stock 100 times in 20 orders"
    assert [name for name, problem in found.items() if not problem] == [
        "the answers are right",
        "another stock",
        "no stock at all",
    ]


def test_the_solution_passes(tmp_path):
    found = graded(LAB, lab_named(LAB).text("solution.py"), tmp_path)
    assert len(found) == 6
    assert set(found.values()) == {""}


AGAIN = """            self.agent.stock = None
            answer = await self.look(order.body)
"""
MISTAKES = [
    (
        1,
        "            known[good] = appraise(good)\n",
        "            return appraise(good)\n",
        "was appraised 20 times",
    ),
    (
        1,
        'zip(order.body.split(","), answer',
        'zip(sorted(order.body.split(",")), answer',
        "the answer to 'vase,",
    ),
    (2, "body=goods)", "body=goods[:4])", "an agent failed: clerk/Serve: ValueError"),
    (3, AGAIN, "            pass\n", "the new stock has a lamp; the answer is failure"),
    (3, AGAIN, "            self.agent.stock = None\n", "the new stock has a lamp; the answer is failure"),
    (
        3,
        "        except (FailedError, NoAnswerError)",
        "        except NoAnswerError",
        "an agent failed: clerk/Serve: FailedError",
    ),
    (
        3,
        "        if clerk.stock is None:\n            clerk",
        "        if True:\n            clerk",
        "20 times in",
    ),
]


@pytest.mark.parametrize(("exercise", "right", "wrong", "sentence"), MISTAKES)
def test_a_mistake_is_found(tmp_path, exercise, right, wrong, sentence):
    found = graded(LAB, mutant(LAB, right, wrong), tmp_path, exercise)
    assert said(found.values(), sentence), found
