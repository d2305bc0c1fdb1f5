"""The search for agents by short names: a state machine, and many of them against the truth."""

from __future__ import annotations

import random

import pytest

from formicary.local.search import Forgotten, Found, Missed, NameSearch, Note


def taken(search):
    instructions, search.instructions = search.instructions, []
    return instructions


def meet(*domains):
    search = NameSearch()
    for domain in domains:
        search.joined(domain)
    return search


def test_a_container_alone_finds_nobody():
    search = meet()
    search.ask("alice")
    assert taken(search) == [Missed("alice")]


def test_all_are_asked_once_and_the_first_who_has_it_is_believed():
    search = meet("c2", "c3")
    search.ask("alice")
    search.ask("alice")
    assert {domain: search.take_notes(domain) for domain in search.receivers} == {
        "c2": [Note("where", ("alice",))],
        "c3": [Note("where", ("alice",))],
    }
    search.receive("c2", Note("absent", ("alice",)), bool)
    assert taken(search) == []
    search.receive("c3", Note("here", ("alice",)), bool)
    assert taken(search) == [Found("alice", "c3")]
    assert search.known == {"alice": "c3"}


def test_names_that_are_asked_for_in_one_turn_go_together():
    search = meet("c2")
    search.ask("alice")
    search.ask("bob")
    assert search.take_notes("c2") == [Note("where", ("alice", "bob"))]


def test_it_is_missed_when_all_have_said_so_or_are_lost():
    search = meet("c2", "c3")
    search.ask("alice")
    search.receive("c2", Note("absent", ("alice",)), bool)
    search.lost("c3")
    assert taken(search) == [Missed("alice")]


def test_a_container_that_reported_an_agent_reports_its_end():
    here, there = meet("c1"), meet("c2")
    here.receive("c1", Note("where", ("alice", "bob")), {"alice"}.__contains__)
    assert here.take_notes("c1") == [Note("here", ("alice",)), Note("absent", ("bob",))]
    here.ended("alice")
    here.ended("bob")
    assert here.take_notes("c1") == [Note("gone", ("alice",))]
    there.ask("alice")
    there.receive("c2", Note("here", ("alice",)), bool)
    there.receive("c3", Note("gone", ("alice",)), bool)  # of another agent of the same name
    assert taken(there) == [Found("alice", "c2")]
    there.receive("c2", Note("gone", ("alice",)), bool)
    assert taken(there) == [Forgotten("alice")]


def test_with_a_new_link_what_was_known_there_is_forgotten_and_asked_again():
    search = meet("c2", "c3")
    search.ask("alice")
    search.receive("c2", Note("here", ("alice",)), bool)
    search.ask("bob")
    search.take_notes("c2")
    taken(search)
    search.joined("c2")
    assert taken(search) == [Forgotten("alice")]
    assert search.take_notes("c2") == [Note("where", ("bob",))]


class Simulated:
    """Three containers, with links that deliver in order and break."""

    domains = ("c1", "c2", "c3")

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.machines = {domain: NameSearch() for domain in self.domains}
        self.agents = {domain: set() for domain in self.domains}
        self.lines = {(one, other): [] for one in self.domains for other in self.domains if one != other}
        for one, other in self.lines:
            self.machines[one].joined(other)

    def collect(self):
        for domain, machine in self.machines.items():
            machine.instructions.clear()
            for other in machine.receivers:
                self.lines[domain, other] += machine.take_notes(other)

    def deliver(self, one, other):
        if self.lines[one, other]:
            note = self.lines[one, other].pop(0)
            self.machines[other].receive(one, note, self.agents[other].__contains__)
            self.collect()

    def break_link(self, one, other):
        for here, there in ((one, other), (other, one)):
            self.lines[here, there].clear()
            self.machines[here].joined(there)

    def step(self):
        domain, name = self.chance.choice(self.domains), self.chance.choice("abcd")
        agents, machine = self.agents[domain], self.machines[domain]
        match self.chance.randrange(5):
            case 0 if not any(name in names for names in self.agents.values()):
                agents.add(name)
            case 1 if name in agents:
                agents.discard(name)
                machine.ended(name)
            case 2 if name not in agents and name not in machine.known:
                machine.ask(name)
            case 3 if self.chance.random() < 0.2:
                self.break_link(*self.chance.choice(list(self.lines)))
            case _:
                self.deliver(*self.chance.choice(list(self.lines)))
        self.collect()


@pytest.mark.parametrize("seed", range(20))
def test_wrong_knowledge_never_lasts(seed):
    simulated = Simulated(seed)
    for _ in range(400):
        simulated.step()
    while any(simulated.lines.values()):
        for line in simulated.lines:
            simulated.deliver(*line)
    for domain, machine in simulated.machines.items():
        assert machine.waiting == {}, domain
        assert [name for name, place in machine.known.items() if name not in simulated.agents[place]] == []
