"""The lab auctions: the start fails for the expected reasons, the solution passes, mistakes are found."""

from __future__ import annotations

import pytest
from tests.unit.bench.labs.grading import graded, mutant, said

from formicary_bench.labs.material import lab_named

LAB = "auctions"


def test_the_start_fails_where_something_is_to_be_done(tmp_path):
    found = graded(LAB, lab_named(LAB).text("start.py"), tmp_path)
    assert found["the highest bidder"] == "nobody has bought it"
    assert found["money for one"] == "Anna has money for one of three things, and has bought none"
    assert "it should be owner-1, for" in found["the second price"]
    assert found["late, silent and silly bidders"]


def test_the_solution_passes(tmp_path):
    found = graded(LAB, lab_named(LAB).text("solution.py"), tmp_path)
    assert len(found) == 10
    assert set(found.values()) == {""}


SECOND = "price = bids[0][0] if bids else seller.reserve"
CAN = "            if not bidder.can_pay(self.item, price):\n                return None\n"
MISTAKES = [
    (1, CAN, "", "the auction of the vase does not end"),
    (1, "self.limits.get(item, 0)", "self.limits[item]", "KeyError"),
    (2, "others + price <= self.money", "True", "Anna has 60, and has bought for 120"),
    (2, "= bidder.promised[self.item]", "= bidder.promised.pop(self.item)", "it should be ben, for 20 or 30"),
    (3, SECOND, "price = float(best.body)", "it is sold to owner-1 for …; it should be owner-1, for"),
    (3, "(FailedError, NoAnswerError)", "NoAnswerError", "an agent failed: seller/Sell: FailedError"),
    (3, "except ValueError", "except KeyError", "could not convert string to float: 'a lot'"),
]


@pytest.mark.parametrize(("exercise", "right", "wrong", "sentence"), MISTAKES)
def test_a_mistake_is_found(tmp_path, exercise, right, wrong, sentence):
    found = graded(LAB, mutant(LAB, right, wrong), tmp_path, exercise)
    assert said(found.values(), sentence), found
