"""Machines of states as behaviours: which state runs, and what ends them."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import Collect, Echo, do, start

from formicary import Container, FSMBehaviour, Message, State
from formicary.errors import AgentStateError

pytestmark = pytest.mark.virtual_clock


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
    with pytest.raises(
        AgentStateError, match=f"cannot go from 'one' to '{following}'; add one with add_transition"
    ):
        await run_machine(fsm)


async def test_a_machine_without_an_initial_state_is_an_error():
    with pytest.raises(AgentStateError, match="no initial state"):
        await run_machine(machine({"one": Step()}, [], None))


async def test_states_and_transitions_that_make_no_sense_are_refused():
    fsm = machine({"one": Step()}, [], "one")
    with pytest.raises(AgentStateError, match="already has a state 'one'"):
        fsm.add_state("one", Step())
    with pytest.raises(AgentStateError, match="already starts at 'one'"):
        fsm.add_state("two", Step(), initial=True)
    with pytest.raises(AgentStateError, match="no state 'two'; add it with add_state"):
        fsm.add_transition("one", "two")
    with pytest.raises(AgentStateError, match="no state 'two'; add it with add_state"):
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
