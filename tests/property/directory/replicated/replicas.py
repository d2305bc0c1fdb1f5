"""Containers with replicas, links that lose what is in flight when they break, and an account."""

from __future__ import annotations

import itertools
from collections import defaultdict, deque
from dataclasses import dataclass, field

from formicary.directory.model.description import ServiceDescription
from formicary.directory.replicated import own_entries
from formicary.directory.replicated.exchange import Updates, decode
from formicary.directory.replicated.replica import Broadcast, Replica, Send
from formicary.directory.replicated.view import View


@dataclass
class Container:
    """A process: its replica, its index, and news of others that it has not heard yet."""

    domain: str
    incarnation: int
    replica: Replica
    view: View  # from instructions
    seen: set = field(default_factory=set)  # registrations of travellers that were seen, and have to be
    unheard: set = field(default_factory=set)  # travellers that may be unseen until their hosts tell of them
    members: dict = field(default_factory=dict)  # incarnation by domain, as the platform's list has them here
    notices: deque = field(default_factory=deque)  # changes of that list that have not come here yet


@dataclass
class Traveller:
    """An agent that moves: where it lives, and what it has registered."""

    name: str
    host: Container
    is_first: bool  # of its name: what is said of an earlier one may come late, and be seen for a moment
    hosts: list = field(default_factory=list)
    moves: int = 0
    services: dict = field(default_factory=dict)  # by key: the description, and a number for the registration


@dataclass
class Release:
    """Entries that a container must release, since the agent lives elsewhere now."""

    container: Container
    name: str
    keys: list
    successor: object


def is_traveller(key):
    return key[0].startswith("traveller")


def entries_of(replica, domain):
    """Return the entries of one container, as far as a replica knows them."""
    if domain == replica._domain:
        return replica._own.entries
    return replica._peers[domain].entries if domain in replica._peers else {}


def is_behind(replica, domain):
    """Return whether a replica knows that it lacks entries of another container."""
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
        self.travellers = {}  # by name
        self.releases = []
        self.registrations = {}  # numbers by value
        self.born = set()  # names of travellers
        for domain in self.domains:
            self.start(domain)

    # -- processes ------------------------------------------------------------------------------------------

    def start(self, domain):
        """Start a container, replacing any present one."""
        self.lose_links(domain)
        incarnation = next(self.incarnations)
        container = Container(domain, incarnation, Replica(domain, incarnation), View(domain))
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

    # -- agents that move -----------------------------------------------------------------------------------

    def is_alive(self, container):
        return self.containers.get(container.domain) is container

    def traveller(self, number):
        """Return an agent that moves; it restarts at home if it has ended and that is known there."""
        home = self.domains[number % len(self.domains)]
        name = f"traveller{number}@{home}"
        traveller = self.travellers.get(name)
        if traveller is not None and not self.is_alive(traveller.host):
            del self.travellers[name]
            traveller = None
        is_free = home in self.containers and name not in self.containers[home].view._travellers
        if traveller is None and is_free:
            container = self.containers[home]
            self.release_at(container, name)
            traveller = Traveller(name, container, name not in self.born, [container])
            self.travellers[name] = traveller
            self.born.add(name)
        return traveller

    def register(self, number, service):
        """Register a new or changed service of a traveller."""
        traveller = self.traveller(number)
        if traveller is None:
            return
        value = next(self.values)
        description = ServiceDescription(traveller.name, f"value{value}", name=f"s{service}")
        key = traveller.name, f"s{service}"
        _, registered = traveller.services.get(key, (None, value))
        traveller.services[key] = description, registered
        self.registrations[description.type] = registered
        container = traveller.host
        self.written[container.incarnation].add(description)
        container.replica.put(description)
        container.view.put(container.domain, description)
        self.perform(container)

    def deregister(self, number, service):
        traveller = self.traveller(number)
        if traveller is None:
            return
        key = traveller.name, f"s{service}"
        if traveller.services.pop(key, None) is not None:
            container = traveller.host
            container.replica.remove(key)
            container.view.remove(container.domain, key)
            self.perform(container)

    def move(self, number, to):
        """Move a traveller; its former container may learn of it later."""
        traveller, container = self.traveller(number), self.containers.get(to)
        if traveller is None or container is None or traveller.host is container:
            return
        self.flush(traveller.host)  # the turn in which the agent came there is over
        self.release_at(container, traveller.name)
        former, traveller.host = traveller.host, container
        traveller.hosts.append(container)
        traveller.moves += 1
        for description, _ in traveller.services.values():
            self.written[container.incarnation].add(description)
            container.replica.put(description)
            container.view.put(container.domain, description)
        has_entries = bool(traveller.services)
        successor = container.replica.arrive(traveller.name, traveller.moves, has_entries=has_entries)
        self.releases.append(Release(former, traveller.name, [*traveller.services], successor))
        self.perform(container)

    def release_at(self, container, name):
        """Tell a container all outstanding news before it gets an agent of this name again."""
        for release in [each for each in self.releases if each.name == name]:
            if release.container is container:
                self.release(release)

    def release(self, release):
        self.releases.remove(release)
        if self.is_alive(release.container):
            release.container.replica.depart(release.name, release.keys, release.successor)
            self.perform(release.container)

    def end(self, number):
        """End a traveller; it restarts at home, later."""
        traveller = self.traveller(number)
        if traveller is None:
            return
        del self.travellers[traveller.name]
        container = traveller.host
        if traveller.moves:
            container.replica.depart(traveller.name, [*traveller.services], None)
        else:
            for key in traveller.services:
                container.replica.remove(key)
                container.view.remove(container.domain, key)
        self.perform(container)

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
        """Record the owner's entries under the number of its latest update."""
        replica = container.replica
        if not replica._own._changes:
            key = container.incarnation, replica._own.number
            entries = dict(entries_of(replica, container.domain))
            assert self.history.setdefault(key, entries) == entries

    def note_update(self, update):
        """Record the owner's entries with one of several updates."""
        entries = dict(self.history[update.incarnation, update.number - 1])
        for key in update.removed:
            entries.pop(key, None)
        entries |= {(it.agent, it.name): it for it in update.put}
        self.history[update.incarnation, update.number] = entries

    # -- links ----------------------------------------------------------------------------------------------

    def cut(self, first, second):
        """End the session of a link: everything in transit is lost."""
        self.sessions.pop(frozenset((first, second)), None)
        for pair in ((first, second), (second, first)):
            self.known.pop(pair, None)
            self.flight[pair].clear()

    def join(self, first, second):
        """Begin a session, if there is none; its ends learn of it later."""
        if first != second and {first, second} <= self.containers.keys():
            self.sessions.setdefault(frozenset((first, second)), next(self.values))

    def learn(self, first, second):
        """Tell one end of the session."""
        session = self.sessions.get(frozenset((first, second)))
        if session is None or self.known.get((first, second)) == session:
            return
        self.known[first, second] = session
        container = self.containers[first]
        if second in container.members:
            container.replica.member_joined(second, container.members[second])
            self.perform(container)

    def notice(self, container):
        """Tell a container the next change of the list."""
        if not container.notices:
            return
        domain, incarnation = container.notices.popleft()
        container.seen.clear()
        container.unheard |= {
            name for name, it in self.travellers.items() if domain in {host.domain for host in it.hosts}
        }
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
                case _:
                    container.view.follow(instruction)
        self.note(container)

    def send(self, container, domain, payload):
        self.sent += 1
        if (container.domain, domain) in self.known:
            self.flight[container.domain, domain].append(payload)

    def deliver(self, first, second, count=1):
        """Deliver payloads to an end that knows of the session."""
        flight = self.flight[first, second]
        while count and flight and (second, first) in self.known:
            count -= 1
            self.receive(self.containers[second], first, flight.popleft())

    def receive(self, container, origin, payload):
        container.replica.receive(origin, payload)
        self.perform(container)

    # -- in the end -----------------------------------------------------------------------------------------

    def heal(self):
        """Tell all containers who is there, and deliver everything not lost."""
        while self.releases:
            self.release(self.releases[0])
        for container in self.containers.values():
            while container.notices:
                self.notice(container)
            self.flush(container)
        for first, second in itertools.permutations(self.containers, 2):
            self.join(first, second)
            self.learn(first, second)
        self.flow()

    def flow(self, links=None, rounds=None):
        """Deliver everything until all are silent, or for some rounds."""
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
                copied |= {key: value for key, value in copy.entries.items() if not is_traveller(key)}
                assert set(copy.entries.values()) <= self.written[copy.incarnation]
                if copy.is_whole and not self.is_forgetful:
                    assert copy.entries == self.history[copy.incarnation, copy.number], "what never was"
            shown = {key: container.view.index.get(key) for key in container.view.index}
            foreign = {key: it for key, it in shown.items() if not is_traveller(key)}
            assert foreign == copied, "readers see something else"
            self.check_travellers(container, shown)
            self.check_memory(replica)

    def check_travellers(self, container, shown):
        """Check that no entry disappears while its agent moves."""
        offered = {
            key: registered
            for traveller in self.travellers.values()
            if self.is_alive(traveller.host) and traveller.is_first and not self.is_forgetful
            for key, (_, registered) in traveller.services.items()
        }
        hosts = {traveller.name: traveller.hosts for traveller in self.travellers.values()}
        container.unheard -= {
            name
            for name, it in self.travellers.items()
            if it.services.keys() <= entries_of(container.replica, it.host.domain).keys()
        }
        members = {**container.members, container.domain: container.incarnation}
        now = {
            (key, registered)
            for key, registered in offered.items()
            # Where one dies on the way, its entries go when that is known, and come with what is heard next;
            # the same where it is only taken for dead, and comes back.
            if all(members.get(each.domain) == each.incarnation for each in hosts[key[0]])
            and key[0] not in container.unheard
        }
        container.seen &= now
        assert {key for key, _ in container.seen} <= shown.keys(), "a search has found nothing"
        shown = {(key, self.registrations.get(it.type)) for key, it in shown.items()}
        container.seen |= now & shown

    def check_memory(self, replica):
        own = replica._own
        assert own._log_bytes == sum(map(len, own._log)) <= own_entries.LOG_BYTES
        assert own._snapshots.keys() <= set(replica.members)
        for copy in replica._peers.values():
            assert (copy._unconfirmed or set()) <= copy.entries.keys()

    def check_equal(self):
        """Check that all have what all have written, and see what travellers offer."""
        offered = {}
        for traveller in self.travellers.values():
            if self.is_alive(traveller.host):
                offered |= {key: it for key, (it, _) in traveller.services.items()}
        for container in self.containers.values():
            view = container.view
            assert {key: view.index.get(key) for key in view.index if is_traveller(key)} == offered
            assert not container.replica._held
            living = {name for name, it in self.travellers.items() if self.is_alive(it.host)}
            assert view._travellers.keys() <= living
            assert all(len(it.stays) == 1 for it in view._travellers.values())
        for container in self.containers.values():
            assert container.members.keys() == self.containers.keys() - {container.domain}
            for other in self.others(container.domain):
                assert entries_of(container.replica, other.domain) == entries_of(other.replica, other.domain)
                assert not is_behind(container.replica, other.domain)
                assert not container.replica._peers[other.domain].ask
            # Where what answers an earlier question is enough, a reader leaves the rest of a snapshot.
            assert self.is_forgetful or not container.replica._own._snapshots
