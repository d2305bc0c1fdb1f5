"""The platform's list of containers, one situation at a time, and how soon it is the same everywhere."""

from __future__ import annotations

import msgspec
import pytest

from formicary.fipa.control_codec import encode
from formicary.management.membership.exchange import (
    NONE,
    Beat,
    Change,
    Joined,
    Known,
    Leave,
    List,
    Lost,
    Send,
    Superseded,
    Tell,
    decode,
)
from formicary.management.membership.follower import MembershipFollower
from formicary.management.membership.leader import MembershipLeader
from formicary.management.membership.machine import BEAT, SILENCE

C0, C1, C2, C3 = (f"c{number}.lab.localhost" for number in range(4))


class Platform:
    """Containers whose news arrive at once, where they arrive."""

    def __init__(self, *domains):
        self.now = 0.0
        self.ends = {C0: MembershipLeader(C0, 100, 0.0)}
        self.away = set()
        self.said = []  # (from, to, news)
        self.seen = []  # (where, what was shown)
        for number, domain in enumerate(domains, 1):
            self.ends[domain] = MembershipFollower(domain, 100 + number, C0, 0.0)
        self.tick(0.0)

    def tick(self, seconds=1.0):
        self.now += seconds
        for domain, end in self.ends.items():
            if domain not in self.away:
                end.tick(self.now)
        self.carry()

    def carry(self):
        while busy := [domain for domain, end in self.ends.items() if end.instructions]:
            for domain in busy:
                instructions, self.ends[domain].instructions = self.ends[domain].instructions, []
                for instruction in instructions:
                    if isinstance(instruction, Send):
                        self.send(domain, instruction.domain, instruction.payload)
                    else:
                        self.seen.append((domain, instruction))

    def send(self, sender, receiver, payload):
        self.said.append((sender, receiver, decode(payload)))
        if receiver in self.ends and not {sender, receiver} & self.away:
            self.ends[receiver].receive(sender, payload, self.now)

    def say(self, sender, receiver, news):
        self.send(sender, receiver, encode(news))
        self.carry()

    def clear(self):
        self.said.clear()
        self.seen.clear()

    def lists(self):
        return [dict(end.members) for domain, end in self.ends.items() if domain not in self.away]

    def kinds(self):
        return [type(news) for _, _, news in self.said]


def test_who_beats_is_a_member_and_all_know_it_at_once():
    platform = Platform(C1, C2, C3)
    assert platform.lists() == [{C0: 100, C1: 101, C2: 102, C3: 103}] * 4
    assert (C1, Joined(C2, 102)) in platform.seen
    assert (C2, Joined(C0, 100)) in platform.seen
    assert not any(isinstance(shown, Lost) for _, shown in platform.seen)


def test_a_change_goes_to_each_member_as_one_small_piece():
    platform = Platform(C1, C2)
    platform.clear()
    platform.ends[C3] = MembershipFollower(C3, 103, C0, platform.now)
    platform.tick(0.0)
    assert platform.kinds().count(Change) == 2
    assert platform.kinds().count(List) == 1


def test_where_nothing_happens_there_are_only_beats():
    platform = Platform(C1, C2)
    platform.clear()
    for _ in range(100):
        platform.tick(1.0)
    assert set(platform.kinds()) == {Beat}
    assert len(platform.said) == 4 * 100 / BEAT
    assert not platform.seen


def test_whose_link_ends_is_lost_everywhere_at_once_and_comes_back_with_a_beat():
    platform = Platform(C1, C2)
    platform.clear()
    platform.ends[C0].link_lost(C1, platform.now)
    platform.ends[C0].link_lost(C3, platform.now)  # of which nobody knows
    platform.carry()
    assert platform.seen[:2] == [(C0, Lost(C1, 101)), (C2, Lost(C1, 101))]
    platform.clear()
    platform.tick(BEAT)
    assert platform.lists() == [{C0: 100, C1: 101, C2: 102}] * 3
    assert platform.seen == [(C0, Joined(C1, 101)), (C2, Joined(C1, 101))]


def test_who_is_silent_is_lost_in_time():
    platform = Platform(C1, C2)
    platform.away.add(C1)
    for _ in range(int(SILENCE)):
        platform.tick()
    assert C1 in platform.ends[C2].members
    platform.tick(BEAT)
    platform.tick()
    assert C1 not in platform.ends[C2].members
    assert C1 not in platform.ends[C0].members


def test_a_process_that_stood_still_blames_nobody_else():
    platform = Platform(C1, C2)
    platform.clear()
    platform.ends[C0].tick(platform.now + 100)
    platform.ends[C1].tick(platform.now + 100)
    assert not [it for it in platform.ends[C0].instructions if isinstance(it, Lost)]
    assert not [it for it in platform.ends[C1].instructions if isinstance(it, Lost)]


def test_who_leaves_is_lost_everywhere_at_once():
    platform = Platform(C1, C2)
    platform.clear()
    platform.ends[C1].leave()
    platform.carry()
    assert platform.seen == [(C0, Lost(C1, 101)), (C2, Lost(C1, 101))]
    platform.clear()
    platform.ends[C0].leave()
    platform.carry()
    assert platform.seen == [(C2, Lost(C0, 100))]


def test_only_the_platforms_container_is_gone_while_it_is_away():
    platform = Platform(C1, C2)
    platform.clear()
    del platform.ends[C0]
    for end in platform.ends.values():
        end.link_lost(C0, platform.now)
    for _ in range(100):
        platform.tick()
    assert platform.seen == [(C1, Lost(C0, 100)), (C2, Lost(C0, 100))]
    assert platform.lists() == [{C1: 101, C2: 102}] * 2


@pytest.mark.parametrize("incarnation", [200, 50])
def test_the_platforms_container_takes_its_place_back_and_nobody_else_is_lost(incarnation):
    platform = Platform(C1, C2, C3)
    platform.ends[C0] = MembershipLeader(C0, incarnation, platform.now)  # with 50, its clock goes wrong
    for domain in (C1, C2, C3):
        platform.ends[domain].link_lost(C0, platform.now)
    platform.carry()
    platform.clear()
    platform.tick(BEAT)
    assert platform.lists() == [{C0: incarnation, C1: 101, C2: 102, C3: 103}] * 4
    assert not any(isinstance(shown, Lost) for _, shown in platform.seen)


def test_it_takes_over_those_that_it_has_not_heard_of_until_their_silence_shows():
    platform = Platform(C1, C2)
    platform.ends[C0] = MembershipLeader(C0, 200, platform.now)
    platform.away.add(C2)
    platform.tick(BEAT)
    assert platform.ends[C0].members == {C0: 200, C1: 101, C2: 102}
    for _ in range(int(SILENCE) + 1):
        platform.tick()
    assert platform.lists() == [{C0: 200, C1: 101}] * 2


def test_who_knows_less_cannot_make_others_forget():
    """The first to answer has not heard of a member; those who have do not take that list."""
    platform = Platform(C1, C2)
    platform.away.add(C1)
    platform.ends[C3] = MembershipFollower(C3, 103, C0, platform.now)
    platform.tick(0.0)
    assert C3 in platform.ends[C2].members
    platform.ends[C0] = MembershipLeader(C0, 200, platform.now)
    platform.away = {C2, C3}
    platform.tick(BEAT)
    assert platform.ends[C0].members == {C0: 200, C1: 101, C2: 102}
    platform.away.clear()
    platform.clear()
    platform.say(C0, C2, List(200, platform.ends[C0].version, platform.ends[C0]._basis, {C0: 200, C1: 101}))
    assert (C2, Lost(C3, 103)) not in platform.seen
    assert platform.ends[C0].members == {C0: 200, C1: 101, C2: 102, C3: 103}
    assert platform.kinds()[1] is Known


def test_what_others_know_of_an_earlier_container_of_a_name_does_not_count():
    platform = Platform(C1, C2)
    platform.ends[C0] = MembershipLeader(C0, 200, platform.now)
    platform.say(C1, C0, Beat(150, NONE))
    platform.say(C2, C0, Known(102, (100, 100, 9), {C0: 100, C1: 101, C2: 102}))
    assert platform.ends[C0].members == {C0: 200, C1: 150, C2: 102}


def test_a_restarted_member_takes_its_own_place():
    platform = Platform(C1, C2)
    platform.clear()
    platform.ends[C1] = MembershipFollower(C1, 150, C0, platform.now)
    platform.tick(BEAT)
    assert platform.seen[:2] == [(C0, Lost(C1, 101)), (C0, Joined(C1, 150))]
    assert platform.lists() == [{C0: 100, C1: 150, C2: 102}] * 3
    platform.clear()
    for late in (Beat(101, NONE), Leave(101), Known(101, (1, 1, 1), {C3: 3})):
        platform.say(C1, C0, late)
    assert not platform.seen
    assert platform.kinds() == [Beat, List, Leave, Known]
    platform.say(C1, C0, Leave(151))
    assert not platform.seen


def test_an_earlier_container_of_the_same_name_is_told_and_waits_until_the_later_is_gone():
    platform = Platform(C1, C2)
    earlier = platform.ends[C1] = MembershipFollower(C1, 50, C0, platform.now)
    platform.clear()
    for _ in range(3):
        platform.tick(BEAT)
    assert platform.seen.count((C1, Superseded(101))) == 1
    assert platform.ends[C2].members[C1] == 101
    for _ in range(int(SILENCE)):
        platform.tick()
    assert platform.ends[C2].members[C1] == 50
    assert earlier.members == platform.ends[C2].members
    assert platform.seen.count((C1, Superseded(101))) == 1


def test_who_has_missed_a_change_gets_the_list():
    platform = Platform(C1, C2)
    platform.away.add(C1)
    platform.ends[C0].link_lost(C2, platform.now)
    platform.carry()
    platform.tick(0.0)
    platform.away.clear()
    version = platform.ends[C0].version
    platform.clear()
    late = (version[0], version[1], version[2] + 3)
    platform.say(C0, C1, Change(100, late, C3, 103))
    assert platform.kinds() == [Change, Beat, List]
    assert platform.ends[C1].members == {C0: 100, C1: 101}
    platform.clear()
    platform.say(C0, C1, Beat(100, late))  # it may be that what was lost is the last
    assert platform.kinds()[:2] == [Beat, Beat]


def test_who_is_taken_for_dead_says_that_it_is_not():
    platform = Platform(C1, C2)
    version = platform.ends[C0].version
    platform.clear()
    platform.say(C0, C1, Change(100, (*version[:2], version[2] + 1), C1, None))
    assert platform.kinds()[:2] == [Change, Beat]


def test_a_new_session_of_a_link_brings_the_list_up_to_date():
    platform = Platform(C1, C2)
    platform.clear()
    platform.ends[C0].link_opened(C1, platform.now)
    platform.ends[C0].link_opened(C3, platform.now)
    platform.ends[C2].link_opened(C0, platform.now)
    platform.ends[C2].link_opened(C1, platform.now)
    platform.carry()
    assert [(sender, receiver, type(news)) for sender, receiver, news in platform.said] == [
        (C0, C1, List),
        (C2, C0, Beat),
    ]
    assert not platform.seen


def test_nobody_but_the_platforms_container_says_who_is_there():
    platform = Platform(C1, C2)
    version = platform.ends[C0].version
    platform.clear()
    platform.say(C2, C1, List(102, (999, 999, 9), (998, 998, 1), {}))
    platform.say(C2, C1, Tell(102))
    platform.say(C2, C0, List(102, (999, 999, 9), (998, 998, 1), {}))
    assert not platform.seen
    assert platform.kinds() == [List, Tell, List]
    assert platform.ends[C0].version == version


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"\xc1",
        msgspec.msgpack.encode([1, 101, [1, 2]]),
        msgspec.msgpack.encode([1, -1, [1, 2, 3]]),
        msgspec.msgpack.encode([9, 101]),
        msgspec.msgpack.encode([4, 1, [1, 1, 1], [1, 1, 1], {"c1": "x"}]),
    ],
)
def test_what_is_no_news_is_refused(payload):
    platform = Platform(C1)
    with pytest.raises(ValueError, match="not news of members"):
        platform.ends[C0].receive(C1, payload, platform.now)
    assert not platform.ends[C0].instructions


@pytest.mark.parametrize("domain", ["", "c9", "C9.lab.localhost", "localhost.lab.localhost", "c9.elsewhere"])
def test_news_of_what_is_no_container_of_the_platform_are_refused(domain):
    platform = Platform(C1)
    leader, follower = platform.ends[C0], platform.ends[C1]
    high = (1 << 50, 7, 1)
    for end, origin, news in (
        (leader, C1, Known(101, high, {C1: 101, domain: 7})),
        (follower, C0, List(100, high, high, {C0: 100, C1: 101, domain: 7})),
        (follower, C0, Change(100, high, domain, 7)),
    ):
        with pytest.raises(ValueError, match="not a container of the platform"):
            end.receive(origin, encode(news), platform.now)
        assert not end.instructions
    assert platform.lists() == [{C0: 100, C1: 101}] * 2


def test_a_member_cannot_make_others_up_without_end(monkeypatch):
    monkeypatch.setattr("formicary.management.membership.leader.MOST", 100)
    leader = MembershipLeader(C0, 100, 0.0)

    def claim(epoch, count):
        made_up = {f"c{epoch}x{number}.lab.localhost": 1 for number in range(count)}
        leader.receive(C1, encode(Known(101, (epoch, 7, 1), made_up)), 0.0)

    claim(1, 50)
    lists = [it.payload for it in leader.instructions if isinstance(it, Send)]
    assert len(lists) > 50
    assert len(set(map(id, lists))) == 1  # written once
    claim(2, 40)
    with pytest.raises(ValueError, match="more members than there can be"):
        claim(3, 40)
    assert len(leader.members) == 92
    with pytest.raises(ValueError, match="news of 20000 members"):
        claim(4, 20_000)
