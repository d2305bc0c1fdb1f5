"""What is counted and said of those who block the event loop."""

from __future__ import annotations

import logging

from formicary.core.blockers import Blocker, Blockers


def test_it_is_counted_by_name_with_the_longest_time_and_the_latest_place():
    blockers = Blockers("c1")
    blockers.add("a/Work", "shop.py:12, in run", 0.1, 1.0)
    blockers.lengthen("a/Work", 0.4)
    blockers.add("a/Work", "shop.py:20, in run", 0.2, 5.0)
    blockers.add("b/Work", "", 0.1, 6.0)
    blockers.lengthen("nobody", 9.0)
    assert blockers.total == 3
    assert blockers.most(5) == (
        Blocker("a/Work", 2, 0.4, "shop.py:20, in run"),
        Blocker("b/Work", 1, 0.1, ""),
    )
    assert blockers.most(1)[0].name == "a/Work"


def test_it_is_said_once_a_minute_for_each_place(caplog):
    blockers = Blockers("c1")
    for agent, at in ("a", 0.0), ("b", 59.0), ("c", 60.0):
        blockers.add(f"{agent}/Work", "shop.py:12, in run", 0.1, at)
    blockers.add("d/Other", "", 0.2, 60.0)
    assert [record.levelno for record in caplog.records] == [logging.WARNING] * 3
    first, _, other = (record.getMessage() for record in caplog.records)
    assert first == (
        "a/Work blocked the event loop of container c1 for 0.1 s (shop.py:12, in run), which stops all its "
        "other agents; compute with `await self.compute(function, ...)`, and wait in a ThreadBehaviour or "
        "with an asynchronous library"
    )
    assert other.startswith("d/Other blocked the event loop of container c1 for 0.2 s, which stops")


def test_what_is_kept_is_bounded():
    blockers = Blockers("c1")
    for number in range(1500):
        blockers.add(f"a{number}/Work", f"shop.py:{number}, in run", 0.1, 0.0)
    assert blockers.total == 1500
    assert len(blockers.most(2000)) == 1000
    assert len(blockers._silent_until) <= 1000
