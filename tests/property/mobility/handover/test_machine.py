"""Whatever breaks, an agent is in one place, or lost with a container that had it."""

from __future__ import annotations

import random
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.property.mobility.handover.world import World

from formicary.mobility.handover import machine
from formicary.mobility.handover.destination import Destination
from formicary.mobility.handover.ledger import Ledger
from formicary.mobility.handover.machine import HandOver
from formicary.mobility.handover.source import Source


def end(world, _chance, domain, _other):
    world.end(domain)


def close(world, _chance, domain, _other):
    world.close(domain)


def restart(world, chance, domain, _other):
    if domain not in world.processes or chance.random() < 0.3:
        world.start(domain)


def interrupt(world, chance, domain, other):
    pair = tuple(sorted((domain, other)))
    if pair in world.ups:
        world.break_link(pair)
        for one, its in (pair, pair[::-1]):
            if chance.random() < 0.5:
                world.lose(one, its)


def cut(world, chance, domain, other):
    if domain != other:
        pair = tuple(sorted((domain, other)))
        world.cut.add(pair)
        world.break_link(pair)
        world.lose(domain, other)
        if chance.random() < 0.7:
            world.lose(other, domain)


def miss(world, chance, domain, _other):
    if domain not in world.processes and chance.random() < 0.5:
        for each in world.processes:
            world.lose(each, domain)


def misjudge(world, _chance, domain, other):
    world.misjudge(domain, other)


def judge_anew(world, _chance, domain, other):
    world.judge_anew(domain, other)


def mend(world, _chance, domain, other):
    world.cut.discard(tuple(sorted((domain, other))))
    world.connect(domain, other)


def create(world, chance, domain, _other):
    name = chance.choice(world.names)
    if world.reuses or all(life.address != f"{name}@{domain}" for life in world.lives):
        world.create(domain, name)


def finish(world, chance, domain, other):
    world.finish(domain, f"{chance.choice(world.names)}@{other}")


def move(world, _chance, domain, other):
    for address in agents_of(world, domain):
        world.begin(domain, address, other)


def live(world, _chance, domain, _other):
    for address in agents_of(world, domain):
        world.run(world.processes[domain], address)


def work(world, chance, domain, _other):
    world.work(domain, refuses=chance.random() < 0.05)


def deliver(world, chance, domain, other):
    for _ in range(chance.choice([1, 1, 3])):
        world.deliver(domain, other)


def be_whole(world, _chance, _domain, _other):
    world.heal()
    world.check()


def agents_of(world, domain):
    return list(world.processes[domain].agents) if domain in world.processes else []


FOUND = (
    *(52, 70, 104, 126, 405, 620, 741, 787, 2514, 8525, 20488, 21503, 22634, 27410),
    *(105805, 120812, 139180, 140601, 176706, 199351, 213245, 266723, 352241, 500637, 642447, 721625),
    *(831223, 886879),
)
"""Worlds that have shown mistakes."""

BAD = {end: 10, restart: 15, interrupt: 10, cut: 5, miss: 20}
MISJUDGED = {misjudge: 10, close: 10}
GOOD = {mend: 40, create: 20, finish: 5, move: 95, live: 40, work: 240, deliver: 500, be_whole: 2}


def play(seed, steps, kind=HandOver, *, misjudges=False):
    """Play a world at random; it is healed now and then, and in the end.

    `misjudges`: whether some take live containers for lost, and agents carry messages.
    """
    chance = random.Random(seed)
    world = World(chance.choice([2, 3, 3, 4]), kind)
    world.reuses = chance.random() < 0.5  # names of agents that are lost, and may come back
    world.names = ["alice", "bob"] if world.reuses else [f"agent{number}" for number in range(10)]
    world.brings = misjudges
    calm = chance.choice([1, 2, 8])  # how much less happens that is bad
    bad = BAD | MISJUDGED if misjudges else BAD
    weights = {**{act: weight / calm for act, weight in bad.items()}, **GOOD}
    if misjudges:
        weights[judge_anew] = 40
    world.heal()
    for act in chance.choices(list(weights), list(weights.values()), k=steps):
        act(world, chance, chance.choice(world.domains), chance.choice(world.domains))
    be_whole(world, chance, None, None)
    return world


@settings(max_examples=settings.default.max_examples * 3 // 5)
@given(st.integers(0, 2**32), st.booleans())
def test_an_agent_is_in_one_place_whatever_breaks(seed, misjudges):
    play(seed, 500, misjudges=misjudges)


@pytest.mark.parametrize("seed", FOUND)
def test_what_has_failed_once(seed):
    play(seed, 500)


def test_agents_do_move():
    assert sum(play(seed, 500).moved for seed in range(20)) > 100


# -- mistakes that are found ---------------------------------------------------------------------------------


class _StartsUnasked(Destination):
    """Assumes a decision when the source is lost."""

    def _ask(self, arrival):
        self._wake(arrival)


class _GoesOnInDoubt(Source):
    """Continues when the destination is lost, whatever its home may have decided."""

    def lost(self, domain):
        for departure in tuple(self.departures.values()):
            if domain == departure.place and departure.snapshot:
                self._stay(departure, "lost")


class _ForgetsDoubts(Source):
    """Does not ask again when the home is back."""

    def joined(self, domain):
        self._ask = lambda *_: None
        super().joined(domain)
        del self._ask


class _ForgetsRefusals(Ledger):
    """Grants a source what was refused to a destination."""

    def outcome(self, event, *, is_source):
        return super().outcome(event, is_source=is_source) or None


class _BelievesOldNews(Ledger):
    """Considers an agent ended that was in transit while a container reported its agents."""

    def hosting(self, origin, event):
        known = {address for address, *_ in event.living}
        for address in [each for each in self._at.get(origin, ()) if each not in known]:
            self._free(address)
        super().hosting(origin, event)


def planted(kind):
    """Return a machine with a mistake."""

    class Planted(HandOver):
        def __init__(self, *arguments):
            with patch.object(machine, kind.__base__.__name__, kind):
                super().__init__(*arguments)

    return Planted


@pytest.mark.parametrize(
    "mistake",
    [
        _StartsUnasked,
        _GoesOnInDoubt,
        _ForgetsDoubts,
        _ForgetsRefusals,
        _BelievesOldNews,
    ],
)
def test_a_planted_mistake_is_found(mistake):
    for seed in range(300):
        try:
            play(seed, 500, planted(mistake))
        except (AssertionError, KeyError):
            return
    pytest.fail("nobody has noticed it")
