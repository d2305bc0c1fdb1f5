"""A platform's containers with their list of members, links to the platform's container, and time."""

from __future__ import annotations

import itertools
from collections import defaultdict, deque
from dataclasses import dataclass, field

from formicary.management.membership.exchange import NONE, Joined, Lost, Send, Superseded
from formicary.management.membership.follower import MembershipFollower
from formicary.management.membership.leader import MembershipLeader

LEADER = "c0.lab.localhost"


@dataclass
class Container:
    """A process: its state machine, and its reports on others."""

    domain: str
    membership: MembershipLeader | MembershipFollower
    members: dict = field(default_factory=dict)  # the others' incarnations, from instructions
    is_stalled: bool = False
    versions: list = field(default_factory=lambda: [NONE])


class World:
    """The whole world. Links carry events: news, and the link's own reports."""

    def __init__(self, count):
        self.now = 0.0
        self.domains = [f"c{number}.lab.localhost" for number in range(count)]
        self.starts = itertools.count(1)
        self.containers = {}
        self.sessions = set()  # domains of the followers that have a session with the leader
        self.cut = {}  # followers that cannot reach the leader; whether anybody is told so
        self.flight = defaultdict(deque)  # (method, arguments) by (from, to)
        self.old = []  # (from, to, payload): from or to a process that is no more
        self.lists = {}  # by version
        self.sent = 0
        for domain in self.domains:
            self.start(domain)

    # -- processes ------------------------------------------------------------------------------------------

    def start(self, domain, *, is_earlier=False):
        """Start a container, replacing the present one; perhaps with a wrong clock."""
        self.end(domain, is_told=True)
        start = next(self.starts)
        incarnation = 500 * 1000 - start if is_earlier else (500 + start) * 1000
        if domain == LEADER:
            membership = MembershipLeader(domain, incarnation, self.now)
        else:
            membership = MembershipFollower(domain, incarnation, LEADER, self.now)
        self.containers[domain] = Container(domain, membership)

    def end(self, domain, *, is_told):
        """End a process; perhaps tell the other ends of its links."""
        for (sender, receiver), events in self.flight.items():
            if domain in {sender, receiver}:
                self.old += [(sender, receiver, it[1]) for method, it in events if method == "receive"]
        self.containers.pop(domain, None)
        for follower in self.sessions & (self.sessions if domain == LEADER else {domain}):
            self.break_link(follower, is_told=is_told)

    # -- links ----------------------------------------------------------------------------------------------

    def break_link(self, follower, *, is_told):
        self.sessions.discard(follower)
        for pair in ((LEADER, follower), (follower, LEADER)):
            self.flight[pair].clear()
            if is_told:
                self.flight[pair].append(("link_lost", (pair[0],)))

    def cut_off(self, follower, *, is_told):
        if follower != LEADER:
            self.cut[follower] = is_told
            self.break_link(follower, is_told=is_told)

    def mend(self, follower):
        self.cut.pop(follower, None)

    def send(self, sender, receiver, payload):
        """Send news, with a session if there can be one."""
        assert LEADER in {sender, receiver}
        self.sent += 1
        follower = receiver if sender == LEADER else sender
        if receiver not in self.containers or follower in self.cut:
            if self.cut.get(follower, True):
                self.flight[receiver, sender].append(("link_lost", (receiver,)))
            return
        if follower not in self.sessions:
            self.sessions.add(follower)
            for pair in ((LEADER, follower), (follower, LEADER)):
                self.flight[pair].append(("link_opened", (pair[0],)))
        self.flight[sender, receiver].append(("receive", (sender, payload)))

    def deliver(self, sender, receiver, count=1):
        """Deliver events to a container."""
        flight = self.flight[sender, receiver]
        container = self.containers.get(receiver)
        while count and flight and container and not container.is_stalled:
            count -= 1
            method, arguments = flight.popleft()
            self.call(container, method, *arguments)
        if not container:
            flight.clear()

    def call(self, container, method, *arguments):
        getattr(container.membership, method)(*arguments, self.now)
        self.perform(container)

    def perform(self, container):
        membership = container.membership
        instructions, membership.instructions = membership.instructions, []
        for instruction in instructions:
            match instruction:
                case Send(domain, payload):
                    self.send(container.domain, domain, payload)
                case Joined(domain, incarnation):
                    assert domain not in container.members
                    container.members[domain] = incarnation
                case Lost(domain, incarnation):
                    assert container.members.pop(domain) == incarnation
                case Superseded(incarnation):
                    assert incarnation > membership._incarnation
        assert {container.domain: membership._incarnation, **container.members} == membership.members
        container.versions.append(membership.version)

    def leave(self, domain):
        container = self.containers[domain]
        container.membership.leave()
        self.perform(container)
        for (sender, receiver), events in list(self.flight.items()):
            if sender == domain:
                self.deliver(sender, receiver, len(events))
        self.end(domain, is_told=False)

    # -- time -----------------------------------------------------------------------------------------------

    def flow(self):
        """Deliver everything until all are silent."""
        before = self.sent
        while pairs := [pair for pair in self.flight if self.can_deliver(*pair)]:
            for pair in pairs:
                self.deliver(*pair, len(self.flight[pair]))
            assert self.sent - before < 2_000, "a storm"

    def can_deliver(self, sender, receiver):
        container = self.containers.get(receiver)
        return self.flight[sender, receiver] and (container is None or not container.is_stalled)

    def advance(self, seconds, *, flows):
        for _ in range(seconds):
            self.now += 1.0
            for container in list(self.containers.values()):
                if not container.is_stalled:
                    self.call(container, "tick")
            if flows:
                self.flow()

    def heal(self):
        for domain in list(self.cut):
            self.mend(domain)
        for container in self.containers.values():
            container.is_stalled = False
        if LEADER not in self.containers:
            self.start(LEADER)
        self.flow()

    # -- what holds -----------------------------------------------------------------------------------------

    def check(self):
        for container in self.containers.values():
            membership = container.membership
            listed = dict(membership._listed)
            if membership.version != NONE:
                assert self.lists.setdefault(membership.version, listed) == listed, "two lists of one version"
            assert all(first <= then for first, then in itertools.pairwise(container.versions))
            del container.versions[:-1]
            assert membership._last_seen.keys() <= membership._listed.keys()

    def check_equal(self):
        alive = {domain: it.membership._incarnation for domain, it in self.containers.items()}
        for container in self.containers.values():
            assert container.membership.members == alive
            assert container.membership._listed == alive
            assert container.membership.version == self.containers[LEADER].membership.version
