"""The mixes of requests: as TPC-W has them, and the same for the same seed."""

from collections import Counter

import pytest

from formicary_bench.experiments.mobile.web_shop.mixes import ORDERS, PERCENT, Interaction, wishes
from formicary_bench.vocabulary.values import BROWSING, MIXES, ORDERING, SHOPPING


@pytest.mark.parametrize(("mix", "share"), [(BROWSING, 5), (SHOPPING, 20), (ORDERING, 50)])
def test_so_many_of_a_hundred_requests_have_to_do_with_an_order(mix, share):
    percent = dict(zip(Interaction, PERCENT[mix], strict=True))
    assert sum(percent.values()) == pytest.approx(100)
    assert sum(percent[one] for one in ORDERS) == pytest.approx(share)


@pytest.mark.parametrize("mix", MIXES)
def test_requests_come_as_often_as_the_mix_says(mix):
    drawn = Counter(wish.interaction for wish in wishes(mix, 20_000, "a seed"))
    for interaction, percent in zip(Interaction, PERCENT[mix], strict=True):
        assert drawn[interaction] / 200 == pytest.approx(percent, abs=1.2)


def test_equal_seeds_give_equal_requests():
    assert wishes(SHOPPING, 50, "1-2") == wishes(SHOPPING, 50, "1-2")
    assert wishes(SHOPPING, 50, "1-2") != wishes(SHOPPING, 50, "1-3")
