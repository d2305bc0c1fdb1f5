"""A version is one list, and in the end all have the same, whatever happens to containers and links."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.property.management.membership.platform_world import LEADER, World
from tests.property.searches import at_first

from formicary.management.membership.machine import BEAT, SILENCE

PLACES = st.sampled_from([0, 0, 1, 1, 2, 2, 3, 4])  # the first is the platform's container
COUNTS = st.sampled_from([1, 1, 2, 3, 100])


class Platform(RuleBasedStateMachine):
    """Some containers, and everything that can happen to them."""

    @initialize(count=st.sampled_from([2, 3, 4, 5]), is_joined=st.booleans())
    def begin(self, count, is_joined):
        self.world = World(count)
        if is_joined:
            self.world.advance(2, flows=True)

    def place(self, number):
        domains = self.world.domains
        return domains[number % len(domains)]

    def container(self, number):
        """Return a container, if it is there."""
        return self.world.containers.get(self.place(number))

    # -- processes ------------------------------------------------------------------------------------------

    @rule(at=PLACES, is_earlier=st.sampled_from([False, False, True]))
    def start(self, at, is_earlier):
        self.world.start(self.place(at), is_earlier=is_earlier)

    @rule(at=PLACES, is_told=st.booleans())
    def kill(self, at, is_told):
        if self.container(at):
            self.world.end(self.place(at), is_told=is_told)

    @rule(at=PLACES)
    def leave(self, at):
        if self.container(at):
            self.world.leave(self.place(at))

    @rule(at=PLACES, is_stalled=st.booleans())
    def stall(self, at, is_stalled):
        if container := self.container(at):
            container.is_stalled = is_stalled

    # -- links and time -------------------------------------------------------------------------------------

    @rule(at=PLACES, is_told=st.booleans())
    def cut(self, at, is_told):
        self.world.cut_off(self.place(at), is_told=is_told)

    @rule(at=PLACES)
    def mend(self, at):
        self.world.mend(self.place(at))

    @rule(at=PLACES, is_to_leader=st.booleans(), count=COUNTS)
    def deliver(self, at, is_to_leader, count):
        domain = self.place(at)
        pair = (domain, LEADER) if is_to_leader else (LEADER, domain)
        self.world.deliver(*pair, count)

    @rule()
    def flow(self):
        self.world.flow()

    @rule(index=st.integers(0, 50))
    def deliver_old(self, index):
        """Deliver what was in transit from or to a dead process."""
        if not self.world.old:
            return
        sender, receiver, payload = self.world.old.pop(index % len(self.world.old))
        if container := self.world.containers.get(receiver):
            self.world.call(container, "receive", sender, payload)

    @rule(seconds=st.sampled_from([1, 1, 5, 6, 20, 31, 40]), flows=st.booleans())
    def advance(self, seconds, flows):
        self.world.advance(seconds, flows=flows)

    @precondition(lambda self: hasattr(self, "world"))
    @invariant()
    def holds(self):
        self.world.check()

    # -- in the end -----------------------------------------------------------------------------------------

    def teardown(self):
        if not hasattr(self, "world"):
            return
        world = self.world
        world.heal()
        world.check()
        before = world.sent
        # A beat brings everybody in, and with them those that are dead, for as long as they may be silent.
        world.advance(int(SILENCE + 3 * BEAT), flows=True)
        world.check()
        world.check_equal()
        followers = len(world.containers) - 1
        assert world.sent - before <= 200 + 50 * followers
        before, version = world.sent, world.containers[LEADER].membership.version
        world.advance(40, flows=True)
        assert world.sent - before <= 2 * followers * (40 / BEAT + 1), "nothing but beats"
        assert world.containers[LEADER].membership.version == version
        world.check_equal()


TestPlatform = Platform.TestCase
TestPlatform.settings = at_first(40, like=TestPlatform.settings)


class Walk:
    """Performs the machine's steps at random: many more than Hypothesis in the same time."""

    def __init__(self, seed):
        self.machine = Platform()
        self.random = random.Random(seed)

    def run(self, steps):
        machine, draw = self.machine, self.random
        machine.begin(draw.choice([2, 3, 3, 4]), draw.random() < 0.7)
        for _ in range(steps):
            self.step(machine, draw)
            machine.holds()
        machine.teardown()

    def step(self, machine, draw):
        at = draw.choice([0, 1, 1, 2, 2, 3])
        chance = draw.random()
        steps = {
            lambda: machine.start(at, chance < 0.2): 3,
            lambda: machine.kill(at, chance < 0.5): 2,
            lambda: machine.leave(at): 1,
            lambda: machine.stall(at, chance < 0.5): 2,
            lambda: machine.cut(at, chance < 0.5): 2,
            lambda: machine.mend(at): 5,
            lambda: machine.deliver(at, chance < 0.5, draw.choice([1, 1, 2, 100])): 20,
            machine.flow: 5,
            lambda: machine.deliver_old(draw.randrange(50)): 2,
            lambda: machine.advance(draw.choice([1, 1, 1, 5, 31]), chance < 0.5): 15,
        }
        draw.choices(list(steps), list(steps.values()))[0]()


@given(seed=st.integers(0, 1 << 32))
def test_walks(seed):
    Walk(seed).run(150)
