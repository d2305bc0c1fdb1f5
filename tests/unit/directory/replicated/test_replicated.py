"""The replica, one situation at a time; `tests/property/directory` has them all together."""

from __future__ import annotations

import msgspec
import pytest
from tests.property.directory.replicated.replicas import entries_of, is_behind

from formicary.directory.model.description import ServiceDescription
from formicary.directory.replicated.exchange import (
    Ask,
    Departure,
    Head,
    Hello,
    Part,
    Renewed,
    Updates,
    decode,
)
from formicary.directory.replicated.own_entries import AHEAD, BATCH, LOG_BYTES
from formicary.directory.replicated.replica import Added, Broadcast, Removed, Replica, Send
from formicary.directory.replicated.view import View
from formicary.fipa.control_codec import encode

C1, C2, C3 = "c1.lab.localhost", "c2.lab.localhost", "c3.lab.localhost"


def description(number, kind="printer"):
    return ServiceDescription(f"agent{number}@{C1}", kind, name="printer", properties={"number": number})


def key(number):
    return f"agent{number}@{C1}", "printer"


class Pair:
    """Two replicas and the link between them."""

    def __init__(self):
        self.ends = {C1: Replica(C1, 11), C2: Replica(C2, 22)}
        self.said = []  # what was sent, decoded
        self.seen = []  # what readers at the second were told

    def meet(self):
        self.ends[C1].member_joined(C2, 22)
        self.ends[C2].member_joined(C1, 11)
        self.carry()

    def carry(self, drop=lambda message: False):
        while any(end.instructions for end in self.ends.values()):
            for domain, other in ((C1, C2), (C2, C1)):
                instructions, self.ends[domain].instructions = self.ends[domain].instructions, []
                for instruction in instructions:
                    if isinstance(instruction, (Send, Broadcast)):
                        self.said.append(decode(instruction.payload))
                        if not drop(self.said[-1]):
                            self.ends[other].receive(domain, instruction.payload)
                    elif not isinstance(instruction, Renewed):
                        self.seen.append(instruction)

    def count(self, kind):
        return sum(isinstance(message, kind) for message in self.said)

    def is_equal(self):
        first, second = self.ends.values()
        return all(entries_of(first, domain) == entries_of(second, domain) for domain in (C1, C2))


@pytest.fixture
def pair():
    pair = Pair()
    pair.meet()
    pair.said.clear()
    return pair


def test_changes_of_a_turn_go_as_one_update(pair):
    owner = pair.ends[C1]
    for number in range(5):
        owner.put(description(number))
    owner.remove(key(0))
    owner.remove(key(77))  # there is none
    owner.flush()
    owner.flush()
    pair.carry()
    assert [type(message) for message in pair.said] == [Updates]
    assert pair.seen == [Added(C1, [description(number) for number in range(1, 5)])]
    owner.remove(key(3))
    owner.flush()
    pair.carry()
    assert pair.seen[1:] == [Removed(C1, [key(3)])]
    assert pair.is_equal()


def test_nothing_goes_before_the_flush(pair):
    pair.ends[C1].put(description(1))
    assert not pair.ends[C1].instructions
    assert key(1) in entries_of(pair.ends[C1], C1)
    assert entries_of(pair.ends[C2], C1) == {}


def test_who_joins_a_large_directory_gets_it_in_parts_as_fast_as_it_takes_them():
    pair = Pair()
    count = 20 * BATCH + 1
    for number in range(count):
        pair.ends[C1].put(description(number))
    pair.ends[C1].flush()
    pair.meet()
    assert pair.is_equal()
    parts = [message for message in pair.said if isinstance(message, Part)]
    assert len(parts) == 21
    assert [part.is_last for part in parts] == [False] * 20 + [True]
    assert pair.count(Updates) == 0
    positions = [number for number, message in enumerate(pair.said) if isinstance(message, Part)]
    assert positions[AHEAD] - positions[AHEAD - 1] > 1, "a part that nobody had asked for"


def test_who_has_missed_few_updates_gets_these(pair):
    owner = pair.ends[C1]
    for number in range(10):
        owner.put(description(number))
        owner.flush()
    lost = {3, 4, 5}

    def lose(message):
        is_lost = isinstance(message, Updates) and message.number in lost
        if is_lost:
            lost.remove(message.number)
        return is_lost

    pair.carry(drop=lose)
    assert pair.is_equal()
    assert pair.count(Ask) == 1
    assert pair.count(Part) == 0
    assert pair.count(Updates) == 10 + 8


def test_who_has_missed_the_latest_updates_learns_it_when_the_link_is_there_again(pair):
    pair.ends[C1].put(description(1))
    pair.ends[C1].flush()
    pair.carry(drop=lambda message: True)
    assert not is_behind(pair.ends[C2], C1)
    pair.ends[C2].member_joined(C1, 11)  # whichever end tells
    pair.carry()
    assert pair.is_equal()


def test_who_has_missed_more_than_is_kept_gets_a_snapshot_and_readers_see_only_what_changed(pair):
    owner = pair.ends[C1]
    for number in range(BATCH + 10):
        owner.put(description(number))
    owner.flush()
    pair.carry()
    pair.seen.clear()
    owner.remove(key(0))
    for number in range(LOG_BYTES // 10_000):
        owner.put(description(1, "x" * 15_000))
        owner.flush()
        assert owner._own._log_bytes <= LOG_BYTES, number
    pair.carry(drop=lambda message: True)
    owner.member_joined(C2, 22)
    pair.carry()
    assert pair.is_equal()
    assert pair.count(Part) == 2
    assert pair.seen == [Added(C1, [description(1, "x" * 15_000)]), Removed(C1, [key(0)])]


def test_changes_while_a_snapshot_comes_are_in_order(pair):
    owner = pair.ends[C1]
    for number in range(10 * BATCH):
        owner.put(description(number))
    owner.flush()
    pair.carry(drop=lambda message: True)
    owner._own._clear_log()
    owner.member_joined(C2, 22)

    def change(message):
        if isinstance(message, Part):
            owner.put(description(10 * BATCH + message.index))
            owner.remove(key(BATCH * message.index))
            owner.remove(key(10 * BATCH - 1 - message.index))
            owner.flush()
        return False

    pair.carry(drop=change)
    assert pair.is_equal()
    assert pair.count(Part) == 10
    assert pair.count(Ask) == 1


def test_a_question_that_got_lost_is_asked_again_at_the_second_reminder(pair):
    pair.ends[C1].put(description(1))
    pair.ends[C1].flush()
    pair.carry(drop=lambda message: True)
    pair.ends[C1].remind()
    pair.carry(drop=lambda message: isinstance(message, Ask))
    assert is_behind(pair.ends[C2], C1)
    for _ in range(2):
        pair.ends[C2].remind()
    pair.carry()
    assert pair.is_equal()


def test_a_question_that_got_lost_is_asked_again_in_the_next_session(pair):
    pair.ends[C1].put(description(1))
    pair.ends[C1].flush()
    pair.carry(drop=lambda message: True)
    pair.ends[C1].remind()
    pair.carry(drop=lambda message: isinstance(message, Ask))
    pair.ends[C2].member_joined(C1, 11)
    pair.carry()
    assert pair.is_equal()


@pytest.mark.parametrize("lost", [Updates, Part])
def test_what_gets_lost_while_a_snapshot_comes_is_repaired(pair, lost):
    owner = pair.ends[C1]
    for number in range(10 * BATCH):
        owner.put(description(number))
    owner.flush()
    pair.carry(drop=lambda message: True)
    owner._own._clear_log()
    owner.member_joined(C2, 22)
    drops = []

    def lose(message):
        if isinstance(message, Part) and message.index in {2, 4}:
            owner.put(description(message.index, "changed"))
            owner.flush()
        if isinstance(message, lost) and not drops and (lost is Updates or message.index == 3):
            drops.append(message)
            return True
        return False

    pair.carry(drop=lose)
    if lost is Part:
        assert is_behind(pair.ends[C2], C1)
        for _ in range(2):
            pair.ends[C2].remind()
            pair.carry()
    assert pair.is_equal()
    assert not is_behind(pair.ends[C2], C1)


def test_what_is_for_another_incarnation_has_no_effect(pair):
    pair.ends[C1].receive(C2, encode(Ask(22, 10, 1, None)))
    pair.ends[C1].receive(C2, encode(Hello(22, 10, 7)))
    assert not pair.ends[C1].instructions
    assert not is_behind(pair.ends[C1], C2)


def test_entries_of_the_dead_go_and_nothing_that_they_have_said_counts(pair):
    pair.ends[C1].put(description(1))
    pair.ends[C1].flush()
    late = pair.ends[C1].instructions[-1].payload
    pair.carry()
    second = pair.ends[C2]
    second.member_lost(C1)
    second.member_lost(C1)
    assert second.instructions == [Removed(C1, [key(1)])]
    second.receive(C1, late)
    assert entries_of(second, C1) == {}
    second.member_joined(C1, 12)
    second.instructions.clear()
    second.receive(C1, late)
    assert entries_of(second, C1) == {}
    assert not second.instructions


def test_whoever_claims_to_have_more_than_there_is_gets_a_snapshot(pair):
    pair.ends[C1].put(description(1))
    pair.ends[C1].flush()
    pair.ends[C1].instructions.clear()
    pair.ends[C1].receive(C2, encode(Ask(22, 11, 1, 5)))
    (answer,) = pair.ends[C1].instructions
    assert decode(answer.payload) == Part(11, 22, 1, 0, 1, is_last=True, put=[description(1)])


def test_its_own_membership_means_nothing():
    replica = Replica(C1, 1)
    replica.member_joined(C1, 1)
    assert replica.members == ()
    assert not replica.instructions


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xc1",
        msgspec.msgpack.encode([3, 11, 1, "x", []]),
        msgspec.msgpack.encode([3, 11, -1, [], []]),
        msgspec.msgpack.encode([3, 11, 1, [["nobody", ""]], []]),
        msgspec.msgpack.encode([99, 11]),
        msgspec.msgpack.encode({"incarnation": 11}),
        b"\x95\x03\x0b\x01\x91\x92\xa1\xff\xa1x\x90",
    ],
)
def test_what_no_replica_says_is_refused(pair, payload):
    with pytest.raises(ValueError, match="not of a replica of the directory"):
        pair.ends[C2].receive(C1, payload)
    assert not pair.ends[C2].instructions
    assert entries_of(pair.ends[C2], C1) == {}


def test_later_versions_may_add_to_what_is_said(pair):
    hello = msgspec.msgpack.encode([*msgspec.msgpack.decode(encode(Hello(11, 22, 0))), "more"])
    pair.ends[C2].receive(C1, hello)
    assert len(pair.ends[C2].instructions) == 1


def test_another_container_registers_no_more_services_than_are_kept(monkeypatch):
    monkeypatch.setattr("formicary.directory.replicated.replica._MOST", 3)
    replica = Replica(C2, 22)
    replica.member_joined(C1, 11)
    for number in (1, 2, 3):
        replica.receive(C1, encode(Updates(11, number, [description(number)], [])))
    with pytest.raises(ValueError, match=r"c1\.lab\.localhost has more than 3 services"):
        replica.receive(C1, encode(Updates(11, 4, [description(4)], [])))
    assert len(entries_of(replica, C1)) == 3


class Reader:
    """A third container: what its readers see of an agent, with the first part of its home's snapshot.

    The agent has moved to the second container, and perhaps back, and has registered something else since.
    """

    def __init__(self):
        self.agent = f"agent1@{C1}"
        self.carried, self.new = (ServiceDescription(self.agent, "printer", name=name) for name in "ab")
        self.replica, self.view = Replica(C3, 33), View(C3)
        self.replica.member_joined(C1, 11)
        self.replica.member_joined(C2, 22)
        self.hear(C1, Head(11, 5))
        self.hear(C1, Part(11, 33, 1, 0, 5, is_last=False, put=[self.carried, self.new]))
        self.hear(C2, Updates(22, 1, [self.carried], [], {self.agent: 1}))

    def hear(self, origin, message):
        self.replica.receive(origin, encode(message))
        self.follow()

    def follow(self):
        instructions, self.replica.instructions = self.replica.instructions, []
        for instruction in instructions:
            if not isinstance(instruction, Send):
                self.view.follow(instruction)

    def sees(self):
        return {name for _, name in self.view.index}


def test_who_may_be_home_again_is_seen_there_until_the_snapshot_says_so():
    reader = Reader()
    assert reader.sees() == {"a", "b"}
    reader.hear(C1, Part(11, 33, 1, 1, 5, is_last=True, put=[], moves={reader.agent: 2}))
    reader.hear(C2, Updates(22, 2, [], [(reader.agent, "a")], left={reader.agent: Departure(C1, 11, 5)}))
    assert reader.sees() == {"a", "b"}


@pytest.mark.parametrize("news", ["snapshot", "departure", "death"])
def test_who_is_not_home_again_is_seen_elsewhere_when_that_is_known(news):
    reader = Reader()
    if news == "snapshot":
        reader.hear(C1, Part(11, 33, 1, 1, 5, is_last=True, put=[]))
    elif news == "departure":
        keys = [(reader.agent, name) for name in "ab"]
        reader.hear(C1, Updates(11, 6, [], keys, left={reader.agent: Departure(C2, 22, 1)}))
    else:
        reader.replica.member_lost(C1)
        reader.follow()
    assert reader.sees() == {"a"}


def test_who_has_come_here_is_seen_here_at_once():
    reader = Reader()
    here = ServiceDescription(reader.agent, "scanner", name="a")
    reader.replica.put(here)
    reader.view.put(C3, here)
    reader.replica.arrive(reader.agent, 2, has_entries=True)
    reader.follow()
    assert [reader.view.index.get(key) for key in reader.view.index] == [here]
