"""The unread messages of several mailboxes become one line, and each finds those who want it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary import Message
from formicary.mobility.unread import merge, with_targets

SENDERS = ["bob@c1.lab.localhost", "eve@c2.lab.localhost"]


def message(number, sender=SENDERS[0]):
    return Message(to="alice", sender=sender, body=str(number))


def test_one_mailbox_needs_no_targets():
    messages = [message(0), message(1)]
    unread = merge([messages], lambda _: {0})
    assert (list(unread.messages), unread.targets) == (messages, ())


def test_a_message_for_all_goes_once():
    both, first = message(0), message(1)
    unread = merge([[both, first], [both]], lambda each: {0, 1} if each is both else {0})
    assert (list(unread.messages), unread.targets) == ([both, first], ())


def test_only_what_some_have_received_needs_a_target_and_what_was_before_it_from_the_same_sender():
    old, partial, new = message(0), message(1), message(2)
    other = message(3, SENDERS[1])
    unread = merge([[old, other, new], [old, partial, other, new]], lambda _: {0, 1})
    assert sorted(each.body for each in unread.messages) == [*"0123"]
    assert unread.targets == ((SENDERS[0], (0, 1)), (SENDERS[0], (1,)))


plans = st.lists(
    st.tuples(st.sampled_from(SENDERS), st.frozensets(st.integers(0, 2)), st.frozensets(st.integers(0, 2)))
)


@given(plans, st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20)), max_size=3))
def test_each_behaviour_gets_what_it_had_not_received_in_its_order(plan, late):
    """Each message comes from a sender, is wanted by some, and some of these have received it before.

    Some mailboxes have messages in another order than the others, as after a time in which they were full.
    """
    sent = [(message(number, sender), wanting) for number, (sender, wanting, _) in enumerate(plan)]
    wants = {id(each): set(wanting) for each, wanting in sent}
    mailboxes = [
        [
            each
            for (each, wanting), (_, _, received) in zip(sent, plan, strict=True)
            if n in wanting - received
        ]
        for n in range(3)
    ]
    for number, position in late:
        if position < len(mailboxes[number]):
            mailboxes[number].append(mailboxes[number].pop(position))
    unread = merge(mailboxes, lambda each: wants[id(each)])
    found = [[], [], []]
    for each, numbers in with_targets(unread.messages, unread.targets):
        for number in wants[id(each)] if numbers is None else numbers:
            found[number].append(each)
    assert found == mailboxes


@pytest.mark.parametrize("other_first", [False, True])
def test_the_messages_of_others_do_not_count(other_first):
    other, own, later = message(0, SENDERS[1]), message(1), message(2)
    messages = [other, own, later] if other_first else [own, other, later]
    found = {each.body: numbers for each, numbers in with_targets(messages, [(SENDERS[0], (1,))])}
    assert found == {"0": None, "1": (1,), "2": None}
