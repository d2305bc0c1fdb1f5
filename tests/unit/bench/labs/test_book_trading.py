"""The lab book-trading: the start fails for the expected reasons, the solution passes, mistakes are found."""

from __future__ import annotations

import pytest
from tests.unit.bench.labs.grading import graded, mutant, said

from formicary_bench.labs.material import lab_named

LAB = "book-trading"


def test_the_start_fails_where_something_is_to_be_done(tmp_path):
    silent = {"sellers are found, and say their price", "one copy, two buyers"}
    found = graded(LAB, lab_named(LAB).text("start.py"), tmp_path, silent=silent)
    assert found["sellers are found, and say their price"].startswith("a search for booksellers finds []")
    assert found["the lowest price"].startswith("the buyer has bought None; it should be (")
    assert "each had one Emma" in found["one copy, two buyers"]
    assert found["a seller crashes"].startswith("the buyer has bought None")
    assert "an agent failed: buyer/Buy: NoAnswerError" in found["a silent seller"]
    assert found["a seller comes later"].startswith("the buyer has bought None; it should be ('ben', ")


def test_the_solution_passes(tmp_path):
    found = graded(LAB, lab_named(LAB).text("solution.py"), tmp_path)
    assert len(found) == 8
    assert set(found.values()) == {""}


SUBSCRIBED = """        async with self.agent.directory.subscribe(type="bookseller") as changes:
            async for change in changes:
                await self.buy_from(change.services)
                if self.agent.bought:
                    return
"""
AGAIN_AND_AGAIN = """        while not self.agent.bought:
            await self.buy_from(await self.agent.directory.search(type="bookseller"))
            await asyncio.sleep(1)
"""
MISTAKES = [
    (1, "sorted(offers)", "sorted(offers, key=str)", "has bought None; it should be ('"),
    (1, "if price > self.agent.limit:", "if price < 0:", "has bought ['anna', 12]; it should be None"),
    (1, "title not in books", "False", "KeyError: 'Ulysses'"),
    (2, "            del books[title]\n", "", "anna has sold ['Emma', 'Emma'] and ben []"),
    (
        2,
        'if await self.say("request", seller) is not None:',
        'if await self.say("request", seller) is None:\n                return\n            else:',
        "anna has sold ['Emma'] and ben []",
    ),
    (2, "(NoAnswerError, FailedError)", "NoAnswerError", "an agent failed: buyer/Buy: FailedError"),
    (2, "timeout=1", "timeout=10", "buyer has not ended after 5 s"),
    (3, SUBSCRIBED, AGAIN_AND_AGAIN, "times: subscribe, in place of asking again and again"),
    (3, "asyncio.timeout(self.agent.patience)", "asyncio.timeout(None)", "buyer has not ended after 55 s"),
]


@pytest.mark.parametrize(("exercise", "right", "wrong", "sentence"), MISTAKES)
def test_a_mistake_is_found(tmp_path, exercise, right, wrong, sentence):
    found = graded(LAB, mutant(LAB, right, wrong), tmp_path, exercise)
    assert said(found.values(), sentence), found
