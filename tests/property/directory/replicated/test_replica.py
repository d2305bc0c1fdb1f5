"""Readers see what owners wrote, and in the end all replicas are equal, whatever containers and links do."""

from __future__ import annotations

import random
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.property.directory.replicated.replicas import World, entries_of
from tests.property.searches import at_first

from formicary.directory.replicated import own_entries

PLACES = st.sampled_from([0, 1, 0, 1, 2, 2, 3, 4])  # most happens between few
COUNTS = st.sampled_from([1, 1, 2, 3, 100])
CHANGES = st.lists(st.tuples(st.integers(0, 15), st.booleans()), min_size=1, max_size=12)


class Replicas(RuleBasedStateMachine):
    """Some containers, and everything that can happen to them."""

    is_forgetful = False

    def __init__(self):
        super().__init__()
        # Small, so that few entries make several parts, and a few updates are more than is kept.
        self.limits = patch.multiple(own_entries, BATCH=2, LOG_BYTES=250, AHEAD=2)
        self.limits.start()

    @initialize(
        count=st.sampled_from([3, 3, 4, 5]), is_joined=st.booleans(), size=st.sampled_from([0, 5, 16])
    )
    def begin(self, count, is_joined, size):
        self.world = World(count, is_forgetful=self.is_forgetful)
        if is_joined:
            self.world.heal()
        for container in self.world.containers.values():
            for number in range(size):
                self.world.put(container, number)

    def place(self, number):
        domains = self.world.domains
        return domains[number % len(domains)]

    def container(self, number):
        """Return a container, if it is there."""
        return self.world.containers.get(self.place(number))

    # -- what agents do -------------------------------------------------------------------------------------

    @rule(at=PLACES, changes=CHANGES, flushes=st.sampled_from(["each", "last", "none"]))
    def write(self, at, changes, flushes):
        """Change some entries, and broadcast each at once, all together, or not yet."""
        container = self.container(at)
        if not container:
            return
        for number, is_put in changes:
            (self.world.put if is_put else self.world.remove)(container, number)
            if flushes == "each":
                self.world.flush(container)
        if flushes == "last":
            self.world.flush(container)

    # -- what agents do that move ---------------------------------------------------------------------------

    @rule(number=st.integers(0, 2), service=st.integers(0, 2), is_put=st.booleans())
    def offer(self, number, service, is_put):
        (self.world.register if is_put else self.world.deregister)(number, service)

    @rule(number=st.integers(0, 2), to=PLACES, is_told=st.booleans())
    def move(self, number, to, is_told):
        self.world.move(number, self.place(to))
        if is_told and self.world.releases:
            self.world.release(self.world.releases[-1])

    @rule(index=st.integers(0, 5))
    def release(self, index):
        if self.world.releases:
            self.world.release(self.world.releases[index % len(self.world.releases)])

    @rule(number=st.integers(0, 2))
    def end(self, number):
        self.world.end(number)

    # -- what links do --------------------------------------------------------------------------------------

    @rule(first=PLACES, second=PLACES, count=COUNTS)
    def deliver(self, first, second, count):
        if self.container(second):
            self.world.deliver(self.place(first), self.place(second), count)

    @rule(first=PLACES, second=PLACES, rounds=COUNTS)
    def talk(self, first, second, rounds):
        """Deliver between two containers, with answers."""
        if self.container(first) and self.container(second):
            self.world.flow([(self.place(first), self.place(second))], rounds)

    @rule(rounds=COUNTS)
    def flow(self, rounds):
        self.world.flow(rounds=rounds)

    @rule(first=PLACES, second=PLACES)
    def cut(self, first, second):
        self.world.cut(self.place(first), self.place(second))

    @rule(first=PLACES, second=PLACES, renews=st.booleans(), ends=st.sampled_from([0, 1, 2, 2]))
    def join(self, first, second, renews, ends):
        """Begin a session known to none, one or both of its ends."""
        pair = self.place(first), self.place(second)
        if renews:
            self.world.cut(*pair)
        self.world.join(*pair)
        for end in range(ends):
            self.world.learn(pair[end], pair[1 - end])

    @rule(index=st.integers(0, 50))
    def deliver_old(self, index):
        """Deliver the first payload from or to a container that is gone."""
        old = self.world.old
        if not old:
            return
        sender, receiver, _ = old[index % len(old)]
        first = next(number for number, each in enumerate(old) if each[:2] == (sender, receiver))
        payload = old.pop(first)[2]
        if receiver in self.world.containers:
            self.world.receive(self.world.containers[receiver], sender, payload)

    # -- what processes and the platform's list do ----------------------------------------------------------

    @rule(at=PLACES)
    def start(self, at):
        self.world.start(self.place(at))

    @rule(at=PLACES)
    def kill(self, at):
        if self.container(at):
            self.world.kill(self.place(at))

    @rule(at=PLACES, count=COUNTS)
    def notice(self, at, count):
        if container := self.container(at):
            for _ in range(min(count, len(container.notices))):
                self.world.notice(container)

    @rule(at=PLACES, other=PLACES, at_once=st.integers(0, 2))
    def mistake_for_dead(self, at, other, at_once):
        """Remove a container from one list, and put it back."""
        container, mistaken = self.container(at), self.container(other)
        if container and mistaken and container is not mistaken:
            container.notices.append((mistaken.domain, None))
            container.notices.append((mistaken.domain, mistaken.incarnation))
            if len(container.notices) == 2:
                for _ in range(at_once):
                    self.world.notice(container)

    @rule(at=PLACES)
    def remind(self, at):
        if container := self.container(at):
            container.replica.remind()
            self.world.perform(container)

    @precondition(lambda self: hasattr(self, "world"))
    @invariant()
    def holds(self):
        self.world.check()

    # -- in the end -----------------------------------------------------------------------------------------

    def teardown(self):
        try:
            if hasattr(self, "world"):
                self.converges()
        finally:
            self.limits.stop()

    def converges(self):
        world = self.world
        flying = sum(map(len, world.flight.values()))
        notices = sum(len(container.notices) for container in world.containers.values())
        before = world.sent
        world.heal()
        entries = sum(len(entries_of(it.replica, it.domain)) for it in world.containers.values())
        pairs = len(world.containers) * (len(world.containers) - 1)
        # For each event: a hello, its answer, a question, and what answers that.
        assert world.sent - before <= (2 * pairs + notices + flying) * (8 + 2 * entries)
        self.stays_quiet()  # what has moved to a container that nobody has heard of since is lost now
        self.stays_quiet()
        world.check()
        world.check_equal()
        sent = world.sent
        self.stays_quiet()
        assert world.sent == sent + pairs

    def stays_quiet(self):
        """Check that only numbers of the latest updates are sent, and nobody asks for more."""
        for container in self.world.containers.values():
            container.replica.remind()
            self.world.perform(container)
        self.world.flow()


class ForgetfulReplicas(Replicas):
    """The same, with payloads that get lost silently, which `remind` repairs."""

    is_forgetful = True

    @rule(first=PLACES, second=PLACES, index=st.integers(0, 20))
    def drop(self, first, second, index):
        flight = self.world.flight[self.place(first), self.place(second)]
        if flight:
            del flight[index % len(flight)]

    @rule(first=PLACES, second=PLACES)
    def drop_all(self, first, second):
        self.world.flight[self.place(first), self.place(second)].clear()

    def converges(self):
        self.world.heal()
        for _ in range(3):  # nobody asks twice before the second; and then, what is asked may be new
            self.stays_quiet()
        self.world.check()
        self.world.check_equal()


TestReplicas = Replicas.TestCase
TestReplicas.settings = at_first(25, like=TestReplicas.settings, stateful_step_count=80)
TestForgetfulReplicas = ForgetfulReplicas.TestCase
TestForgetfulReplicas.settings = TestReplicas.settings


class Walk:
    """Performs a machine's steps at random: many more than Hypothesis in the same time."""

    def __init__(self, machine, seed):
        self.machine = machine
        self.random = random.Random(seed)

    def run(self, steps):
        machine, draw = self.machine, self.random
        machine.begin(draw.choice([2, 3, 3, 4]), draw.random() < 0.7, draw.choice([0, 5, 16]))
        for _ in range(steps):
            self.step(machine, draw)
            machine.holds()
        machine.teardown()

    def step(self, machine, draw):
        first, second = draw.sample(range(len(machine.world.domains)), 2)
        count = draw.choice([1, 1, 2, 3, 100])
        changes = [(draw.randrange(16), draw.random() < 0.6) for _ in range(draw.randint(1, 6))]
        steps = {
            lambda: machine.write(first, changes, draw.choice(["each", "last", "none"])): 25,
            lambda: machine.deliver(first, second, count): 30,
            lambda: machine.offer(draw.randrange(3), draw.randrange(3), draw.random() < 0.7): 15,
            lambda: machine.move(draw.randrange(3), first, draw.random() < 0.5): 15,
            lambda: machine.release(draw.randrange(5)): 5,
            lambda: machine.end(draw.randrange(3)): 1,
            lambda: machine.talk(first, second, count): 15,
            lambda: machine.flow(count): 5,
            lambda: machine.cut(first, second): 2,
            lambda: machine.join(first, second, draw.random() < 0.3, draw.randint(1, 2)): 15,
            lambda: machine.deliver_old(draw.randrange(50)): 5,
            lambda: machine.start(first): 1,
            lambda: machine.kill(first): 1,
            lambda: machine.notice(first, count): 10,
            lambda: machine.mistake_for_dead(first, second, draw.randint(0, 2)): 3,
            lambda: machine.remind(first): 2,
        }
        if isinstance(machine, ForgetfulReplicas):
            steps[lambda: machine.drop(first, second, draw.randrange(20))] = 10
        draw.choices(list(steps), list(steps.values()))[0]()


@pytest.mark.parametrize("machine", [Replicas, ForgetfulReplicas])
@at_first(40)
@given(seed=st.integers(0, 1 << 32))
@example(seed=83427)  # a host is taken for dead, and an earlier one has not told yet that the agent has gone
@example(seed=1001957)  # an answer that is late is enough
def test_walks(machine, seed):
    Walk(machine(), seed).run(200)
