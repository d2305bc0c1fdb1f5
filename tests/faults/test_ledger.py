"""The ledgers, on which the fault tests rely, miss nothing that happens to a message."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.faults.ledger import FAILED, RAISED, SENT, Account, Ledger, settle

AGENTS, LIMIT = 3, 10


@pytest.fixture
def ledgers(tmp_path):
    """A sender's, with four messages of agent 1, and a receiver's, with nothing yet."""
    with (
        Ledger(tmp_path / "one", AGENTS, LIMIT) as sender,
        Ledger(tmp_path / "two", AGENTS, LIMIT) as receiver,
    ):
        sender.next[1] = 4
        for number in range(4):
            sender.note_outgoing(1, number, SENT)
        yield sender, receiver


def receive(receiver, *numbers):
    for number in numbers:
        receiver.note_incoming(1, number)


def test_all_that_arrived_once_and_in_order_is_well(ledgers):
    sender, receiver = ledgers
    receive(receiver, 0, 1, 2, 3)
    account = settle(sender, receiver)
    assert account == Account(sent=4, received=4)
    assert account.is_settled


def test_what_neither_arrived_nor_failed_is_lost(ledgers):
    sender, receiver = ledgers
    receive(receiver, 0, 1, 3)
    account = settle(sender, receiver)
    assert account == Account(sent=4, received=3, lost=1)
    assert not account.is_settled
    assert account.without_lost() == Account(sent=3, received=3)


@pytest.mark.parametrize("flag", [RAISED, FAILED])
def test_what_was_told_to_have_failed_is_not_lost_and_shall_not_have_arrived(ledgers, flag):
    sender, receiver = ledgers
    sender.note_outgoing(1, 2, flag)
    receive(receiver, 0, 1, 3)
    assert settle(sender, receiver) == Account(sent=4, received=3, failed=1)
    receive(receiver, 2)
    told = settle(sender, receiver)
    assert replace(told, disorder=0) == Account(sent=4, received=4, failed=1, both=1)


@pytest.mark.parametrize(
    ("numbers", "wrong"),
    [
        ((0, 1, 1, 2, 3), {"twice": 1}),
        ((0, 1, 2, 3, 0, 0), {"twice": 1}),
        ((0, 2, 1, 3), {"disorder": 1}),
        ((3, 0, 1, 2), {"disorder": 3}),
        ((0, 1, 2, 3, 7), {"made_up": 1}),
    ],
)
def test_what_arrives_as_it_must_not_is_counted(ledgers, numbers, wrong):
    sender, receiver = ledgers
    receive(receiver, *numbers)
    assert settle(sender, receiver) == Account(sent=4, received=4, **wrong)


def test_a_message_that_is_still_being_sent_is_waited_for(ledgers):
    sender, receiver = ledgers
    sender.next[0] = 1
    receive(receiver, 0, 1, 2, 3)
    assert settle(sender, receiver) == Account(sent=4, received=4, waiting=1)


def test_parts_can_be_looked_at_and_the_next_worker_goes_on_where_the_last_one_ended(ledgers, tmp_path):
    sender, receiver = ledgers
    receive(receiver, 0, 2)
    with Ledger(tmp_path / "two", AGENTS, LIMIT) as again:
        receive(again, 3)
    assert settle(sender, receiver, end=[0, 2, 0]) == Account(sent=2, received=1, lost=1)
    assert settle(sender, receiver, start=[0, 2, 0]) == Account(sent=2, received=2)
