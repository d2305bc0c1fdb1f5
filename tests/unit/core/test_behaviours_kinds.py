"""The kinds of behaviours: when and how often they run."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from tests.unit.core.agents import Collect, Echo, do, start

from formicary import (
    Container,
    CyclicBehaviour,
    FSMBehaviour,
    Message,
    PeriodicBehaviour,
    State,
    TimeoutBehaviour,
)
from formicary.errors import AgentStateError
from formicary.testing.virtual_clock import STARTS_AT

pytestmark = pytest.mark.virtual_clock


def now():
    return asyncio.get_running_loop().time()


class Ticking(PeriodicBehaviour):
    def __init__(self, period, start_at=None, takes=(0,)):
        super().__init__(period, start_at)
        self.takes = takes
        self.times = []

    async def run(self):
        self.times.append(now())
        await asyncio.sleep(self.takes[len(self.times) % len(self.takes)])


class Once(TimeoutBehaviour):
    time = None

    async def run(self):
        assert self.time is None
        self.time = now()


async def run_for(seconds, behaviour):
    async with Container("c1") as container:
        await start(container, "a", behaviour)
        await asyncio.sleep(seconds)
    return behaviour


async def test_one_shot_runs_once_between_its_start_and_its_end():
    steps = []

    async def run(behaviour):
        steps.append("run")

    behaviour = do(run)
    behaviour.on_start = lambda: note("start")
    behaviour.on_end = lambda: note("end")

    async def note(step):
        steps.append(step)

    await run_for(1, behaviour)
    assert steps == ["start", "run", "end"]


async def test_cyclic_runs_until_it_is_killed():
    class Count(CyclicBehaviour):
        count = 0

        async def run(self):
            self.count += 1
            if self.count == 100:
                self.kill()

    behaviour = await run_for(0, Count())
    assert behaviour.count <= 100
    behaviour = await run_for(1, Count())
    assert behaviour.count == 100


async def test_periodic_keeps_its_rate_whatever_a_run_takes():
    behaviour = await run_for(5.5, Ticking(1, takes=(0.75, 0.25)))
    assert behaviour.times == [0, 1, 2, 3, 4, 5]


async def test_periodic_leaves_out_the_times_that_pass_while_it_runs():
    behaviour = await run_for(10.5, Ticking(1, takes=(2.5,)))
    assert behaviour.times == [0, 3, 6, 9]


async def test_periodic_runs_again_at_once_if_a_run_takes_exactly_one_period():
    behaviour = await run_for(3.5, Ticking(1, takes=(1,)))
    assert behaviour.times == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("start_at", "first"),
    [
        (timedelta(seconds=2.5), 2.5),
        (timedelta(seconds=-5), 0),
        (STARTS_AT + timedelta(seconds=3), 3),
        (STARTS_AT - timedelta(hours=1), 0),
        ((STARTS_AT + timedelta(seconds=3)).astimezone().replace(tzinfo=None), 3),
        ((STARTS_AT + timedelta(seconds=3)).astimezone(UTC), 3),
    ],
)
async def test_start_at_is_a_time_or_how_long_until_then(start_at, first):
    assert isinstance(start_at, datetime | timedelta)
    ticking, once = Ticking(1, start_at), Once(start_at)
    async with Container("c1") as container:
        await start(container, "a", ticking, once)
        await asyncio.sleep(first + 2.5)
    assert ticking.times == [first, first + 1, first + 2]
    assert once.time == first


async def test_a_period_of_next_to_nothing_runs_all_the_time_and_starves_nobody():
    ticking = Ticking(1e-12)
    async with Container("c1") as container:
        await start(container, "a", ticking)
        echo = await start(container, "b", do(lambda behaviour: asyncio.sleep(0)))
        for _ in range(100):
            await asyncio.sleep(0)
        assert not echo.behaviours
        assert len(ticking.times) > 10
        ticking.kill()
        await ticking.join()


async def test_periodic_and_timeout_can_be_killed_while_they_wait():
    async with Container("c1") as container:
        ticking, once = Ticking(1, timedelta(seconds=10)), Once(timedelta(seconds=10))
        await start(container, "a", ticking, once)
        await asyncio.sleep(1)
        ticking.kill()
        once.kill()
        await ticking.join()
        await once.join()
        assert (ticking.times, once.time, now()) == ([], None, 1)


# -- finite state machines ----------------------------------------------------------------------------------


class Step(State):
    def __init__(self, following=None):
        super().__init__()
        self.following = following

    async def run(self):
        visited = self.get("visited") or []
        self.set("visited", [*visited, self._machine.current_state])
        if self.following:
            self.set_next_state(self.following)


def machine(states, transitions, initial):
    fsm = FSMBehaviour()
    for name, state in states.items():
        fsm.add_state(name, state, initial=name == initial)
    for source, dest in transitions:
        fsm.add_transition(source=source, dest=dest)
    return fsm


async def run_machine(fsm):
    async with Container("c1") as container:
        agent = await start(container, "a", fsm)
        await fsm.join()
        return agent.get("visited")


async def test_a_machine_goes_through_its_states_and_ends():
    fsm = machine(
        {"one": Step("two"), "two": Step("three"), "three": Step()}, [("one", "two"), ("two", "three")], "one"
    )
    assert fsm.current_state is None
    assert await run_machine(fsm) == ["one", "two", "three"]
    assert fsm.current_state == "three"


async def test_a_state_says_where_to_go_each_time_anew():
    class Twice(Step):
        async def run(self):
            await super().run()
            if len(self.get("visited")) < 3:
                self.set_next_state("one")

    fsm = machine({"one": Twice()}, [("one", "one")], "one")
    assert await run_machine(fsm) == ["one", "one", "one"]


@pytest.mark.parametrize("following", ["three", "nowhere"])
async def test_a_transition_that_is_not_allowed_is_an_error(following):
    fsm = machine({"one": Step(following), "two": Step(), "three": Step()}, [("one", "two")], "one")
    with pytest.raises(AgentStateError, match=f"cannot go from 'one' to '{following}'; add_transition"):
        await run_machine(fsm)


async def test_a_machine_without_an_initial_state_is_an_error():
    with pytest.raises(AgentStateError, match="no initial state"):
        await run_machine(machine({"one": Step()}, [], None))


async def test_states_and_transitions_that_make_no_sense_are_refused():
    fsm = machine({"one": Step()}, [], "one")
    with pytest.raises(AgentStateError, match="has a state 'one' already"):
        fsm.add_state("one", Step())
    with pytest.raises(AgentStateError, match="starts at 'one' already"):
        fsm.add_state("two", Step(), initial=True)
    with pytest.raises(AgentStateError, match="no state 'two'; add_state"):
        fsm.add_transition("one", "two")
    with pytest.raises(AgentStateError, match="no state 'two'; add_state"):
        fsm.add_transition("two", "one")


async def test_states_send_and_receive_as_the_machine():
    class Ask(State):
        async def run(self):
            await self.send(Message(to="echo", body="x"))
            answer = await self.receive(timeout=5)
            self.set("first", (answer.body, answer.to))
            await self.reply(answer, body="y")
            self.set_next_state("hear")

    class Hear(State):
        async def run(self):
            self.set("second", (await self.receive()).body)

    fsm = machine({"ask": Ask(), "hear": Hear()}, [("ask", "hear")], "ask")
    async with Container("c1") as container:
        await start(container, "echo", Echo())
        agent = await start(container, "a", fsm)
        await fsm.join()
        assert (agent.get("first"), agent.get("second")) == (("x", "a@c1.lab.localhost"), "y")
        assert not list(container.dead_letters)


async def test_a_machine_is_killed_from_one_of_its_states_and_from_outside():
    class Kill(Step):
        async def run(self):
            await super().run()
            self.kill(exit_code="enough")
            self.set_next_state("one")

    class Wait(Step):
        async def run(self):
            await super().run()
            await self.receive()

    fsm = machine({"one": Kill()}, [("one", "one")], "one")
    assert await run_machine(fsm) == ["one"]
    assert fsm.exit_code == "enough"

    async with Container("c1") as container:
        fsm = machine({"one": Wait("one")}, [("one", "one")], "one")
        agent = await start(container, "a", fsm)
        await asyncio.sleep(1)
        fsm.kill()
        await fsm.join()
        assert agent.get("visited") == ["one"]


async def test_a_machine_that_never_waits_starves_nobody():
    fsm = machine({"one": Step("two"), "two": Step("one")}, [("one", "two"), ("two", "one")], "one")
    async with Container("c1") as container:
        await start(container, "a", fsm)
        collect = Collect()
        await start(container, "b", collect)
        await start(container, "c", do(lambda behaviour: behaviour.send(Message(to="b", body="x"))))
        for _ in range(100):
            await asyncio.sleep(0)
        assert collect.bodies == ["x"]
        fsm.kill()
        await fsm.join()
