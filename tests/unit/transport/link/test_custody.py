"""What is passed on over a link is in custody until the other end has taken it, or its sender was told."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from formicary import Message
from formicary.transport.link import custody as module
from formicary.transport.link.custody import Custody
from formicary.transport.link.receipts import Receipt
from formicary.transport.link.unconsumed import Unconsumed


def letters(count):
    return [
        (Message(to="b@c2.lab.localhost", body=str(number)), "b@c2.lab.localhost") for number in range(count)
    ]


@pytest.fixture
def custody():
    link = SimpleNamespace(
        owner=SimpleNamespace(
            container=SimpleNamespace(dispatcher=SimpleNamespace(unacked_holders=set())),
        ),
        session=SimpleNamespace(unconsumed=Unconsumed()),
        failures=SimpleNamespace(is_busy=False),
        forwards=False,
    )
    return Custody(link)


def bodies(custody):
    return [message.body for message in custody.messages()]


def test_what_was_passed_on_is_kept_until_it_is_taken_and_nothing_else(custody):
    some = letters(4)
    for message, _ in (some[1], some[3]):
        custody._add(message)
    assert bodies(custody) == ["1", "3"]
    custody.sent(some[:3], 1)
    custody.sent(some[3:], 4)
    assert bodies(custody) == ["1", "3"]
    custody._unconsumed.add(some, 100)
    custody._unconsumed.settle(Receipt(4, [2, 1], []))
    assert bodies(custody) == ["1"]
    custody._unconsumed.settle(Receipt(4, [], [2, 1]))
    assert bodies(custody) == []


def test_what_is_given_up_before_it_goes_out_is_in_custody_no_longer(custody):
    ((message, _),) = letters(1)
    custody._add(message)
    custody.drop(message)
    custody.drop(message)
    assert bodies(custody) == []


def test_where_the_session_ends_it_is_kept_until_all_senders_know(custody):
    some = letters(2)
    custody._add(some[0][0])
    custody.sent(some, 1)
    custody._link.failures.is_busy = True
    custody.start(is_told=True)
    assert bodies(custody) == ["0"]
    custody._link.failures.is_busy = False
    assert bodies(custody) == []


def test_where_the_other_end_does_not_say_what_is_taken_nothing_is_waited_for(custody):
    custody.start(is_told=False)
    some = letters(1)
    custody._add(some[0][0])
    custody.sent(some, 1)
    assert bodies(custody) == []


def test_where_nobody_looks_for_long_it_is_bounded_by_what_is_not_taken(custody, monkeypatch):
    monkeypatch.setattr(module, "_MANY", 10)
    custody._look_at = 10
    for number in range(100):
        some = letters(1)
        custody._add(some[0][0])
        custody.sent(some, number + 1)
        custody._unconsumed.add(some, 10)
        custody._unconsumed.settle(Receipt(number + 1, [], []))
    assert len(custody._sent) <= 10
