"""How soon searches show containers that come and go, and which of them are stale."""

from types import SimpleNamespace

import pytest

from formicary_bench.experiments.directory.hosts import COUNTED, JOINED, LEFT, STALE, VISITS, changes
from formicary_bench.subjects.ours.visits import COME, GO, View

SERVICES = 3


@pytest.fixture
def counters():
    return dict.fromkeys(COUNTED, 0.0)


@pytest.fixture
def view(counters):
    return View(SERVICES, counters)


def test_a_change_is_timed_from_the_order_to_the_first_search_that_shows_all_of_it(view, counters):
    view.order(COME, 10.0)
    view.found(0, 10.1)
    view.found(SERVICES - 1, 10.2)
    assert not view.seen.is_set()
    view.found(SERVICES, 10.5)
    assert view.seen.is_set()
    view.found(SERVICES, 10.9)
    assert (counters["joins"], counters["joined_s"]) == (1, pytest.approx(0.5))
    view.order(GO, 20.0)
    view.found(1, 20.1)
    view.found(0, 20.25)
    assert (counters["leaves"], counters["left_s"]) == (1, pytest.approx(0.25))
    assert counters["searches"] == 6


def test_a_search_is_stale_from_when_it_should_have_known(view, counters):
    view.order(COME, 0.0)
    view.found(0, 0.1)  # nobody has told that they are there
    assert counters["stale"] == 0
    view.told()
    view.found(2, 0.2)
    view.found(SERVICES, 0.3)
    assert counters["stale"] == 1
    view.order(GO, 1.0)
    view.found(SERVICES, 1.1)
    view.told()
    view.found(SERVICES, 1.2)
    assert counters["stale"] == 2


def test_nothing_is_timed_before_the_first_order(view, counters):
    view.found(0, 5.0)
    assert (counters["joins"], counters["leaves"], counters["stale"]) == (0, 0, 0)


def test_a_repetition_gives_means_and_leaves_out_what_never_happened():
    counted = {"joined_s": 0.6, "joins": 2.0, "stale": 1.0, "searches": 4.0}
    found = changes(None, SimpleNamespace(counters=counted), None)
    assert found == {JOINED: pytest.approx(300_000), LEFT: None, STALE: 0.25, VISITS: 0.0}
