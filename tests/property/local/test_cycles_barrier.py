"""The barrier of several containers, with arbitrarily slow lines between them."""

from __future__ import annotations

from collections import deque

from hypothesis import given
from hypothesis import strategies as st
from tests.property.searches import at_first

from formicary.local.cycles import Barrier, Note

steps = st.lists(st.integers(0, 1 << 16), max_size=200)
TIMES = 10_000  # steps after which a world that has work for a while must have come to rest


class Node:
    """A container: its barrier, its agents' work, and their messages."""

    def __init__(self, name):
        self.name = name
        self.barrier = Barrier()
        self.work = 0  # pieces of work for the next cycle
        self.doing = 0  # in this one
        self.did = False
        self.arrived = []  # messages, as the cycles of their senders


class World:
    def __init__(self, count):
        self.nodes = {str(number): Node(str(number)) for number in range(count)}
        self.lines = {(a, b): deque() for a in self.nodes for b in self.nodes if a != b}
        self.met = []
        self.sent = {line: [] for line in self.lines}  # the cycles in which messages were sent
        self.budget = 50  # messages that agents send in all

    def meet(self, node):
        self.met.append(node.name)
        node.barrier.meet(set(self.nodes) - {node.name})
        self.end(node)

    def say(self, node):
        for note in node.barrier.notes:
            for other in node.barrier.others:
                self.lines[node.name, other].append(note)
        node.barrier.notes = []

    def end(self, node):
        node.barrier.end(is_busy=node.did or bool(node.work) or bool(node.arrived))
        self.proceed(node)

    def proceed(self, node):
        self.say(node)
        barrier = node.barrier
        if not barrier.may_begin:
            return
        for other in barrier.others:
            assert self.nodes[other].barrier.cycle >= barrier.cycle
            # All that was sent in the cycle before is here.
            sent = [cycle for cycle in self.sent[other, node.name] if cycle <= barrier.cycle]
            came = [cycle for by, cycle in node.arrived if by == other and cycle <= barrier.cycle]
            assert came == sent
            self.sent[other, node.name] = self.sent[other, node.name][len(sent) :]
        ended = barrier.cycle
        barrier.begin()
        node.work += sum(cycle <= ended for _, cycle in node.arrived)
        node.arrived = [(by, cycle) for by, cycle in node.arrived if cycle > ended]
        node.doing, node.work = node.work, 0
        node.did = bool(node.doing)

    # -- what may happen ------------------------------------------------------------------------------------

    def choices(self):
        for name, node in self.nodes.items():
            if name not in self.met:
                yield self.meet, node
            elif not node.barrier.is_between:
                if node.doing:
                    yield self.do, node
                else:
                    yield self.end, node
        for line, waiting in self.lines.items():
            if waiting and line[1] in self.nodes:
                yield self.arrive, line

    def do(self, node):
        """Do one piece of work, which sends a message to another container."""
        node.doing -= 1
        others = sorted(node.barrier.others)
        if self.budget and others:
            self.budget -= 1
            other = others[self.budget % len(others)]
            self.sent[node.name, other].append(node.barrier.cycle)
            self.lines[node.name, other].append(node.barrier.cycle)

    def arrive(self, line):
        by, to = line
        node = self.nodes[to]
        what = self.lines[line].popleft()
        if isinstance(what, int):
            node.arrived.append((by, what))
            node.barrier.wake()
        else:
            node.barrier.receive(by, what)
        self.proceed(node)

    def give_work(self, node):
        node.work += 1
        node.barrier.wake()
        self.proceed(node)

    def kill(self, name):
        del self.nodes[name]
        for line in [line for line in self.lines if line[0] == name]:
            self.lines[line].clear()
        for node in self.nodes.values():
            self.sent[name, node.name] = []
            node.arrived = [(by, cycle) for by, cycle in node.arrived if by != name]
            node.barrier.lose(name)
            self.proceed(node)

    def check(self):
        cycles = [node.barrier.cycle for node in self.nodes.values()]
        assert max(cycles) - min(cycles) <= 1

    def rest(self, numbers):
        """Do everything possible, in any order."""
        numbers = iter(numbers)
        for _ in range(TIMES):
            choices = list(self.choices())
            if not choices:
                return
            act, what = choices[next(numbers, 0) % len(choices)]
            act(what)
            self.check()
        raise AssertionError("it never comes to rest")


@at_first(80, 200)
@given(st.integers(1, 4), st.lists(st.tuples(st.integers(0, 3), steps), max_size=6), steps)
def test_nobody_is_more_than_a_cycle_ahead_and_all_is_done_in_the_end(count, given_work, order):
    world = World(count)
    world.rest(order)
    assert {node.barrier.cycle for node in world.nodes.values()} == {0}  # there was nothing to do
    for number, other_order in given_work:
        world.give_work(world.nodes[str(number % count)])
        world.rest(other_order)
    for node in world.nodes.values():
        assert not node.work
        assert not node.arrived
    assert len({node.barrier.cycle for node in world.nodes.values()}) == 1


@at_first(80, 200)
@given(st.integers(2, 4), steps, st.integers(0, 60), steps)
def test_one_that_is_gone_is_waited_for_by_nobody(count, before, when, after):
    world = World(count)
    world.rest(before)
    for node in world.nodes.values():
        world.give_work(node)
    for number in before[:when]:
        if choices := list(world.choices()):
            act, what = choices[number % len(choices)]
            act(what)
    world.kill(str(when % count))
    world.rest(after)
    for node in world.nodes.values():
        assert not node.work
        assert not node.arrived


def test_who_is_late_is_known():
    world = World(3)
    first, second, third = world.nodes.values()
    world.meet(first)
    world.meet(second)
    for line in ("1", "0"), ("0", "1"):
        world.arrive(line)
    assert first.barrier.late() == ["2"]
    world.meet(third)
    world.arrive(("2", "0"))
    assert first.barrier.late() == []
    assert not first.barrier.may_begin


def test_all_begin_where_one_has_something_to_do():
    one, other = Barrier(), Barrier()
    one.meet(["other"])
    other.meet(["one"])
    one.end(is_busy=True)
    other.end(is_busy=False)
    assert not one.may_begin
    other.receive("one", one.notes[0])
    assert other.may_begin  # and so its word that it has ended comes early
    one.receive("other", other.notes[0])
    assert one.may_begin


def test_all_begin_where_one_has_begun_whoever_had_told_it_to():
    one, other = Barrier(), Barrier()
    one.meet(["other", "gone"])
    other.meet(["one", "gone"])
    one.end(is_busy=False)
    other.end(is_busy=False)
    one.receive("other", other.notes[0])
    other.receive("one", one.notes[0])
    one.receive("gone", Note(0, is_busy=True))  # it has told one of them before it ended
    one.lose("gone")
    other.lose("gone")
    one.begin()
    one.end(is_busy=False)
    assert not other.may_begin
    other.receive("one", one.notes[1])
    assert other.may_begin
