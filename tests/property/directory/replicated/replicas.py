"""Containers with replicas, links that lose what is in flight when they break, and an account."""

from __future__ import annotations

import itertools
from collections import defaultdict, deque
from dataclasses import dataclass, field

from formicary.directory.model.description import ServiceDescription
from formicary.directory.replicated import own_entries
from formicary.directory.replicated.exchange import Updates, decode
from formicary.directory.replicated.replica import Added, Broadcast, Removed, Replica, Send


@dataclass
class Container:
    """A process: its replica, what its index has, and what it has not been told yet of others."""

    domain: str
    incarnation: int
    replica: Replica
    index: dict = field(default_factory=dict)  # (owner, key): description, from instructions
    members: dict = field(default_factory=dict)  # incarnation by domain, as the platform's list has them here
    notices: deque = field(default_factory=deque)  # changes of that list that have not come here yet


def entries_of(replica, domain):
    """Return the entries of one container, as far as a replica knows them."""
    if domain == replica._domain:
        return replica._own.entries
    return replica._peers[domain].entries if domain in replica._peers else {}


def is_behind(replica, domain):
    """Tell whether a replica knows that it lacks entries of another container."""
    return domain in replica._peers and replica._peers[domain].is_behind


class World:
    """Everything there is. A link has a session, or none; each end learns of it at a time of its own."""

    def __init__(self, count, *, is_forgetful=False):
        self.is_forgetful = is_forgetful
        self.domains = [f"c{number}.lab.localhost" for number in range(1, count + 1)]
        self.incarnations = itertools.count(1)
        self.values = itertools.count(1)
        self.containers = {}
        self.sessions = {}  # a number, by the two domains, where there is a session
        self.known = {}  # the session that an end knows of, by (its domain, the other's)
        self.flight = defaultdict(deque)  # payloads by (sender, receiver)
        self.old = []  # (sender, receiver, payload): from or to a container that is no more, still on the way
        self.history = {}  # entries by (owner's incarnation, number of the update)
        self.written = defaultdict(set)  # all descriptions ever, by the owner's incarnation
        self.sent = 0  # payloads
        for domain in self.domains:
            self.start(domain)

    # -- processes ------------------------------------------------------------------------------------------

    def start(self, domain):
        """Start a container, instead of the one that is there, if there is one."""
        self.lose_links(domain)
        incarnation = next(self.incarnations)
        container = Container(domain, incarnation, Replica(domain, incarnation))
        self.containers[domain] = container
        self.history[incarnation, 0] = {}
        for other in self.others(domain):
            other.notices.append((domain, incarnation))
            container.notices.append((other.domain, other.incarnation))

    def kill(self, domain):
        self.lose_links(domain)
        del self.containers[domain]
        for other in self.others(domain):
            other.notices.append((domain, None))

    def lose_links(self, domain):
        for pair, payloads in self.flight.items():
            if domain in pair:
                self.old.extend((*pair, payload) for payload in payloads)
        for other in self.domains:
            self.cut(domain, other)

    def others(self, domain):
        return [it for it in self.containers.values() if it.domain != domain]

    # -- entries --------------------------------------------------------------------------------------------

    def put(self, container, number):
        value = f"value{next(self.values)}"
        description = ServiceDescription(f"agent{number}@{container.domain}", value, name=f"s{number % 3}")
        self.written[container.incarnation].add(description)
        container.replica.put(description)
        self.perform(container)

    def remove(self, container, number):
        container.replica.remove((f"agent{number}@{container.domain}", f"s{number % 3}"))
        self.perform(container)

    def flush(self, container):
        container.replica.flush()
        self.perform(container)

    def note(self, container):
        """Write down what the owner has, under the number of its latest update."""
        replica = container.replica
        if not replica._own._changes:
            key = container.incarnation, replica._own.number
            entries = dict(entries_of(replica, container.domain))
            assert self.history.setdefault(key, entries) == entries

    def note_update(self, update):
        """Write down what the owner has with one of several updates."""
        entries = dict(self.history[update.incarnation, update.number - 1])
        for key in update.removed:
            entries.pop(key, None)
        entries |= {(it.agent, it.name): it for it in update.put}
        self.history[update.incarnation, update.number] = entries

    # -- links ----------------------------------------------------------------------------------------------

    def cut(self, first, second):
        """End the session of a link: all that is on its way is lost."""
        self.sessions.pop(frozenset((first, second)), None)
        for pair in ((first, second), (second, first)):
            self.known.pop(pair, None)
            self.flight[pair].clear()

    def join(self, first, second):
        """Begin a session, if there is none; its ends do not know yet."""
        if first != second and {first, second} <= self.containers.keys():
            self.sessions.setdefault(frozenset((first, second)), next(self.values))

    def learn(self, first, second):
        """Let one end know of the session."""
        session = self.sessions.get(frozenset((first, second)))
        if session is None or self.known.get((first, second)) == session:
            return
        self.known[first, second] = session
        container = self.containers[first]
        if second in container.members:
            container.replica.member_joined(second, container.members[second])
            self.perform(container)

    def notice(self, container):
        """Let a container know of the next change of the list."""
        if not container.notices:
            return
        domain, incarnation = container.notices.popleft()
        if incarnation is None:
            container.members.pop(domain, None)
            container.replica.member_lost(domain)
        else:
            container.members[domain] = incarnation
            container.replica.member_joined(domain, incarnation)
        self.perform(container)

    # -- payloads -------------------------------------------------------------------------------------------

    def perform(self, container):
        instructions, container.replica.instructions = container.replica.instructions, []
        for instruction in instructions:
            match instruction:
                case Send(domain, payload):
                    self.send(container, domain, payload)
                case Broadcast(payload):
                    if isinstance(message := decode(payload), Updates):
                        self.note_update(message)
                    for domain in container.replica.members:
                        self.send(container, domain, payload)
                case Added(owner, descriptions):
                    for it in descriptions:
                        container.index[owner, (it.agent, it.name)] = it
                case Removed(owner, keys):
                    for key in keys:
                        del container.index[owner, key]
        self.note(container)

    def send(self, container, domain, payload):
        self.sent += 1
        if (container.domain, domain) in self.known:
            self.flight[container.domain, domain].append(payload)

    def deliver(self, first, second, count=1):
        """Bring payloads to an end that knows of the session."""
        flight = self.flight[first, second]
        while count and flight and (second, first) in self.known:
            count -= 1
            self.receive(self.containers[second], first, flight.popleft())

    def receive(self, container, origin, payload):
        container.replica.receive(origin, payload)
        self.perform(container)

    # -- in the end -----------------------------------------------------------------------------------------

    def heal(self):
        """Let everybody know who is there, and everything come that is not lost."""
        for container in self.containers.values():
            while container.notices:
                self.notice(container)
            self.flush(container)
        for first, second in itertools.permutations(self.containers, 2):
            self.join(first, second)
            self.learn(first, second)
        self.flow()

    def flow(self, links=None, rounds=None):
        """Bring all that can come to its receivers, until nobody has anything to say, or for some rounds."""
        before = self.sent
        links = {frozenset(pair) for pair in links or self.flight}
        for round_ in itertools.count():
            pairs = [pair for pair in self.flight if frozenset(pair) in links and self.can_deliver(*pair)]
            if not pairs or round_ == rounds:
                return
            for first, second in pairs:
                self.deliver(first, second, len(self.flight[first, second]))
            assert self.sent - before < 10_000, "a storm"

    def can_deliver(self, first, second):
        return self.flight[first, second] and (second, first) in self.known

    # -- what holds -----------------------------------------------------------------------------------------

    def check(self):
        """Check what holds at any time."""
        for container in self.containers.values():
            replica = container.replica
            assert set(replica.members) == container.members.keys()
            copied = {}
            for owner, copy in replica._peers.items():
                assert copy.incarnation == container.members[owner], "entries of a dead container"
                copied |= {(owner, key): value for key, value in copy.entries.items()}
                assert set(copy.entries.values()) <= self.written[copy.incarnation]
                if copy.is_whole and not self.is_forgetful:
                    assert copy.entries == self.history[copy.incarnation, copy.number], "what never was"
            assert container.index == copied, "readers see something else"
            self.check_memory(replica)

    def check_memory(self, replica):
        own = replica._own
        assert own._log_bytes == sum(map(len, own._log)) <= own_entries.LOG_BYTES
        assert own._snapshots.keys() <= set(replica.members)
        for copy in replica._peers.values():
            assert (copy._unconfirmed or set()) <= copy.entries.keys()

    def check_equal(self):
        """Check that everybody has what everybody has written."""
        for container in self.containers.values():
            assert container.members.keys() == self.containers.keys() - {container.domain}
            for other in self.others(container.domain):
                assert entries_of(container.replica, other.domain) == entries_of(other.replica, other.domain)
                assert not is_behind(container.replica, other.domain)
                assert not container.replica._peers[other.domain].ask
            assert not container.replica._own._snapshots
