"""An agent starts where it has arrived: after its hook, with what has waited for it."""

from __future__ import annotations

import asyncio
from functools import partial

import pytest

from formicary import Agent, AgentState, Container, CyclicBehaviour, Limits, Message, MicroAgent, Template
from formicary.errors import NameTakenError
from formicary.mobility.quiescence import quiesce, resume
from formicary.mobility.waking import admit, awake
from formicary.protocols import Request, responds
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock

VISITOR = "alice@c1.lab.localhost"
BOB = "bob@c1.lab.localhost"


class Collect(CyclicBehaviour):
    def __init__(self, template=None):
        super().__init__()
        self.template = template
        self.bodies = []

    async def run(self):
        self.bodies.append((await self.receive()).body)


class Visitor(Agent):
    def __init__(self, *behaviours):
        super().__init__("alice")
        self.seen = []
        for behaviour in behaviours:
            self.add_behaviour(behaviour)

    async def after_move(self, origin):
        self.seen.append((origin, self.container.name, self.address))
        await asyncio.sleep(1)


class Clerk(Agent):
    def __init__(self, name):
        super().__init__(name)
        self.asked = []

    @responds(Request)
    def answer(self, message):
        self.asked.append(message.body)
        return "done"


def deliver(container, *bodies, performative=None, sender=BOB, protocol=None):
    for body in bodies:
        message = Message(to=VISITOR, sender=sender, body=body, performative=performative, protocol=protocol)
        container.dispatcher.deliver(message, VISITOR)


async def test_what_comes_for_an_agent_that_was_admitted_waits_until_it_is_awake():
    async with Container("c2", limits=Limits(mailbox=3)) as c2:
        collect = Collect()
        agent = Visitor(collect)
        admit(c2, VISITOR)
        deliver(c2, *"ab")
        assert await awake(agent, c2, VISITOR, hook=partial(agent.after_move, "c1.lab.localhost"))
        deliver(c2, "c")
        await until_idle()
        assert agent.seen == [("c1.lab.localhost", "c2", VISITOR)]
        assert (collect.bodies, agent.state, c2.agents) == ([*"abc"], AgentState.ACTIVE, (agent,))
        assert c2.dispatcher.held == {}
        assert collect.mailbox.limit == 3


async def test_without_a_hook_nothing_is_waited_for():
    async with Container("c2") as c2:
        agent = Visitor(Collect())
        admit(c2, VISITOR)
        with pytest.raises(StopIteration, match="True"):
            awake(agent, c2, VISITOR).send(None)
        assert c2.agents == (agent,)


async def test_a_name_is_kept_from_when_an_agent_is_admitted():
    async with Container("c2") as c2:
        admit(c2, "alice@c2.lab.localhost")
        with pytest.raises(NameTakenError, match="'alice' already lives in container c2"):
            admit(c2, "alice@c2.lab.localhost")
        with pytest.raises(NameTakenError, match="'alice' already lives in container c2"):
            await c2.start(Agent("alice"))
        admit(c2, VISITOR)  # another one
        deliver(c2, "a")
        c2.dispatcher.fail_held(VISITOR, "it stays")
        assert [(letter.message.body, letter.reason) for letter in c2.dead_letters] == [("a", "it stays")]
        c2.dispatcher.fail_held("alice@c2.lab.localhost", "it stays")
        await c2.start(Agent("alice"))
        deliver(c2, "b")
        assert [letter.message.body for letter in c2.dead_letters] == ["a", "b"]


@pytest.mark.parametrize("state", [AgentState.SUSPENDED, AgentState.WAITING])
async def test_who_was_held_stays_so(state):
    async with Container("c2") as c2:
        collect = Collect()
        agent = Visitor(collect)
        admit(c2, VISITOR)
        deliver(c2, "a")
        await awake(agent, c2, VISITOR, state=state)
        deliver(c2, "b")
        await until_idle()
        assert (agent.state, collect.bodies, collect.mailbox_size()) == (state, [], 2)
        agent.resume() if state is AgentState.SUSPENDED else agent.wake_up()
        await until_idle()
        assert collect.bodies == ["a", "b"]


async def test_messages_find_those_who_have_not_received_them():
    async with Container("c2") as c2:
        everything, requests = Collect(), Collect(Template(performative="request"))
        agent = Visitor(everything, requests)
        admit(c2, VISITOR)
        deliver(c2, "a", performative="request")
        deliver(c2, "x", performative="request", sender="eve@c1.lab.localhost")
        deliver(c2, *"bc", performative="request")
        await awake(agent, c2, VISITOR, [(BOB, (1,)), (BOB, (0, 1)), (BOB, (1,))])
        deliver(c2, "d", performative="request")
        await until_idle()
        assert (everything.bodies, requests.bodies) == ([*"xbd"], [*"axbcd"])


async def test_targets_whose_messages_have_failed_are_those_of_no_others():
    async with Container("c2") as c2:
        both = Collect(), Collect()
        admit(c2, VISITOR)
        deliver(c2, "a")
        await awake(Visitor(*both), c2, VISITOR, [(BOB, (1,)), (BOB, (1,))])
        deliver(c2, "c")  # "b" was lost with the link
        await until_idle()
        assert [each.bodies for each in both] == [["c"], ["a", "c"]]


@pytest.mark.parametrize("number", [2, -3])
async def test_who_is_to_get_a_message_and_is_not_there_counts_for_nothing(number):
    async with Container("c2") as c2:
        both = Collect(), Collect()
        admit(c2, VISITOR)
        deliver(c2, *"ab")
        assert await awake(Visitor(*both), c2, VISITOR, [(BOB, (0, number)), (BOB, (1,))])
        await until_idle()
        assert [each.bodies for each in both] == [["a"], ["a", "b"]]


async def test_what_begins_conversations_waits_where_the_queue_of_the_container_is_full():
    async with Container("c2", limits=Limits(micro_agents=2)) as c2:
        agent = Clerk("alice")
        admit(c2, VISITOR)
        deliver(c2, *"abcde", performative="request", protocol="fipa-request")
        assert await awake(agent, c2, VISITOR)
        await until_idle()
        assert agent.asked == [*"abcde"]
        await quiesce(agent, None)
        deliver(c2, *"fghij", performative="request", protocol="fipa-request")
        resume(agent)
        await until_idle()
        assert agent.asked == [*"abcdefghij"]


@pytest.mark.parametrize("error", [ValueError("no shop here"), SystemExit(3)])
async def test_what_the_hook_raises_ends_the_agent(error, caplog):
    class Fails(Visitor):
        async def after_move(self, origin):
            raise error

    caught = None
    try:
        async with Container("c2") as c2:
            agent = Fails(Collect())
            admit(c2, VISITOR)
            deliver(c2, "a")
            assert not await awake(agent, c2, VISITOR, hook=partial(agent.after_move, "c1.lab.localhost"))
            assert (agent.state, c2.agents, c2.dispatcher.held) == (AgentState.GONE, (), {})
            assert [letter.message.body for letter in c2.dead_letters] == ["a"]
            if isinstance(error, ValueError):
                assert agent.last_failure.part == "after_move"
                assert "after_move of agent alice failed" in caplog.messages
                await c2.start(Agent("alice"))
    except SystemExit as exit_error:
        caught = exit_error
    assert caught is (error if isinstance(error, SystemExit) else None)


async def test_who_is_killed_while_its_hook_runs_does_not_begin():
    async with Container("c2") as c2:
        agent = Visitor(Collect())
        admit(c2, VISITOR)
        waking = asyncio.ensure_future(
            awake(agent, c2, VISITOR, hook=partial(agent.after_move, "c1.lab.localhost"))
        )
        await asyncio.sleep(0.5)
        await agent.stop()
        assert await waking is False
        assert c2.agents == ()


async def test_a_micro_agent_handles_what_has_waited():
    class Notes(MicroAgent):
        def handle(self, message):
            bodies.append(message.body)

    bodies = []
    async with Container("c2", limits=Limits(micro_agents=1)) as c2:
        admit(c2, VISITOR)
        deliver(c2, *"abc")
        await awake(Notes("alice"), c2, VISITOR)
        await until_idle()
        deliver(c2, "d")
        await until_idle()
        assert bodies == [*"abcd"]
