"""The life of agents and behaviours: states, beginning, exceptions, coming and going."""

from __future__ import annotations

import asyncio
import gc
import logging

import pytest
from tests.unit.core.agents import Collect, Counting, do, start

from formicary import Agent, AgentState, Container, CyclicBehaviour, Message, OneShotBehaviour
from formicary.errors import AgentStateError, ContainerClosedError
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


def now():
    return asyncio.get_running_loop().time()


async def test_an_agent_goes_through_its_states():
    agent = Agent("a")
    assert agent.state is AgentState.INITIATED
    async with Container("c1") as container:
        agent.add_behaviour(Collect())
        await container.start(agent)
        assert agent.state is AgentState.ACTIVE
        assert agent.address == "a@c1.lab.localhost"
        agent.suspend()
        assert agent.state is AgentState.SUSPENDED
        agent.resume()
        assert agent.state is AgentState.ACTIVE
        agent.wait()
        assert agent.state is AgentState.WAITING
        agent.wake_up()
        assert agent.state is AgentState.ACTIVE
        await agent.stop()
        assert agent.state is AgentState.GONE
        assert container.agents == ()


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("suspend", "wake_up"),
        ("wait", "resume"),
        ("suspend", "suspend"),
        ("wait", "suspend"),
        (None, "resume"),
    ],
)
async def test_a_change_that_the_state_does_not_allow_is_refused(first, then):
    async with Container("c1") as container:
        agent = await start(container, "a", Collect())
        if first:
            getattr(agent, first)()
        state = agent.state
        with pytest.raises(AgentStateError, match=f"agent a is {state.value}, not "):
            getattr(agent, then)()
        assert agent.state is state


async def test_an_agent_that_has_not_started_cannot_be_suspended():
    with pytest.raises(AgentStateError, match="initiated, not active"):
        Agent("a").suspend()


# -- setup ---------------------------------------------------------------------------------------------------


async def test_setup_runs_before_the_behaviours_and_may_add_some():
    order = []

    class Prepared(Agent):
        async def setup(self):
            await asyncio.sleep(3)
            self.add_behaviour(do(note))
            order.append(("setup", self.state))

    async def note(behaviour):
        order.append(("run", now()))

    async with Container("c1") as container:
        agent = Prepared("a")
        agent.add_behaviour(do(note))
        await container.start(agent)
        await until_idle()
    assert order == [("setup", AgentState.INITIATED), ("run", 3), ("run", 3)]


async def test_an_exception_in_setup_reaches_who_starts_it_and_who_joins_it_and_is_logged(caplog):
    class Broken(Agent):
        async def setup(self):
            raise ValueError("mine")

    async with Container("c1") as container:
        agent = Broken("a")
        joining = asyncio.create_task(agent.join())
        await asyncio.sleep(0)
        with pytest.raises(ValueError, match="mine"):
            await container.start(agent)
        with pytest.raises(ValueError, match="mine"):
            await joining
        assert agent.state is AgentState.GONE
        assert container.agents == ()
        await container.start(Agent("a"))  # the name is free
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.getMessage() == "setup of agent a failed"
    assert record.exc_info


async def test_a_setup_that_is_cancelled_leaves_no_agent_and_the_name_free():
    class Slow(Agent):
        async def setup(self):
            await asyncio.sleep(100)

    async with Container("c1") as container:
        agent = Slow("a")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await container.start(agent)
        assert (agent.state, container.agents) == (AgentState.GONE, ())
        await container.start(Agent("a"))


async def test_an_agent_may_stop_itself_in_setup():
    class Unwilling(Agent):
        async def setup(self):
            await self.stop()

    async with Container("c1") as container:
        agent = Unwilling("a")
        agent.add_behaviour(Collect())
        await container.start(agent)
        assert (agent.state, container.agents) == (AgentState.GONE, ())
        await agent.join()


async def test_an_agent_that_is_set_up_while_its_container_closes_does_not_start():
    class Slow(Agent):
        async def setup(self):
            await asyncio.sleep(1)

    agent, behaviour = Slow("a"), Counting()
    agent.add_behaviour(behaviour)
    async with Container("c1") as container:
        starting = asyncio.create_task(container.start(agent))
        await asyncio.sleep(0)
    with pytest.raises(ContainerClosedError, match="closed while a was starting"):
        await starting
    assert (agent.state, behaviour.runs) == (AgentState.GONE, 0)


# -- exceptions ----------------------------------------------------------------------------------------------


async def test_an_exception_ends_its_behaviour_alone_and_reaches_who_joins(caplog):
    async def fail(behaviour):
        await asyncio.sleep(1)
        raise ValueError("mine")

    async with Container("c1") as container:
        failing, collect = do(fail), Collect()
        agent = await start(container, "a", failing, collect)
        joining = [asyncio.create_task(agent.join()), asyncio.create_task(failing.join())]
        await asyncio.wait(joining)
        for task in joining:
            with pytest.raises(ValueError, match="mine"):
                task.result()
        assert failing.is_done()
        assert agent.state is AgentState.ACTIVE
        assert agent.behaviours == (collect,)
        with pytest.raises(ValueError, match="mine"):
            await agent.join()  # also later
    (record,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert record.getMessage() == "behaviour Do of agent a ended with an exception"
    assert "ValueError: mine" in caplog.text


@pytest.mark.parametrize("place", ["on_start", "run", "on_end"])
async def test_an_exception_anywhere_in_a_behaviour_is_its_end(place):
    seen = []

    class Broken(OneShotBehaviour):
        async def on_start(self):
            self._step("on_start")

        async def run(self):
            self._step("run")

        async def on_end(self):
            self._step("on_end")

        def _step(self, name):
            seen.append(name)
            if name == place:
                raise ValueError(name)

    async with Container("c1") as container:
        behaviour = Broken()
        await start(container, "a", behaviour)
        with pytest.raises(ValueError, match=place):
            await behaviour.join()
    assert seen == ["on_start", "run", "on_end"][: ["on_start", "run", "on_end"].index(place) + 1]


async def test_an_ordinary_cancellation_of_a_behaviour_is_its_end_without_an_error():
    async with Container("c1") as container:
        behaviour = Collect()
        agent = await start(container, "a", behaviour)
        await until_idle()
        for task in asyncio.all_tasks():
            if task.get_name() == "a/Collect":
                task.cancel()
        await behaviour.join()
        assert agent.behaviours == ()
        assert agent.state is AgentState.ACTIVE


# -- adding and removing -------------------------------------------------------------------------------------


async def test_behaviours_come_and_go_while_the_agent_lives():
    async with Container("c1") as container:
        first, second = Counting(), Counting()
        agent = await start(container, "a", first)
        await asyncio.sleep(2.5)
        agent.add_behaviour(second)
        agent.remove_behaviour(first)
        await asyncio.sleep(2.5)
        assert (first.runs, first.ends, first.is_killed()) == (3, 1, True)
        assert second.runs == 3
        assert agent.behaviours == (second,)


async def test_a_behaviour_can_be_removed_before_it_starts():
    async with Container("c1") as container:
        agent, behaviour = Agent("a"), Counting()
        agent.add_behaviour(behaviour)
        agent.remove_behaviour(behaviour)
        await container.start(agent)
        await asyncio.sleep(5)
        assert behaviour.runs == 0
        assert agent.behaviours == ()


async def test_a_behaviour_may_remove_itself():
    async def remove(behaviour):
        behaviour.agent.remove_behaviour(behaviour)
        await asyncio.sleep(1)
        return "went on to the end"

    async with Container("c1") as container:
        behaviour = do(remove)
        agent = await start(container, "a", behaviour)
        await behaviour.join()
        assert (behaviour.result, agent.behaviours) == ("went on to the end", ())


async def test_what_cannot_be_added_or_removed_is_refused():
    async with Container("c1") as container:
        behaviour = Collect()
        agent = await start(container, "a", behaviour)
        with pytest.raises(AgentStateError, match="already has an agent"):
            Agent("b").add_behaviour(behaviour)
        with pytest.raises(AgentStateError, match="agent a does not have behaviour Collect of agent"):
            agent.remove_behaviour(Collect())
        await agent.stop()
        with pytest.raises(AgentStateError, match="agent a has ended"):
            agent.add_behaviour(Collect())


async def test_no_behaviour_is_added_while_the_agent_stops():
    refused = []

    class Stubborn(CyclicBehaviour):
        async def run(self):
            await self.receive()

        async def on_end(self):
            try:
                self.agent.add_behaviour(Collect())
            except AgentStateError as error:
                refused.append(str(error))

    async with Container("c1") as container:
        agent = await start(container, "a", Stubborn())
        await until_idle()
        await agent.stop()
    assert refused == ["agent a is stopping and takes no more behaviours"]


# -- knowledge and chance ------------------------------------------------------------------------------------


async def test_knowledge_is_the_agents_and_shared_by_its_behaviours():
    async def learn(behaviour):
        behaviour.set("answer", 42)

    async def tell(behaviour):
        return behaviour.get("answer"), behaviour.get("unknown")

    async with Container("c1") as container:
        telling = do(tell)
        agent = await start(container, "a", do(learn), telling)
        await telling.join()
        assert telling.result == (42, None)
        assert agent.get("answer") == 42
        assert Agent("b").get("answer") is None


async def test_generators_depend_on_the_containers_seed_and_the_agents_name():
    async def draw(seed, name):
        async with Container("c1", seed=seed) as container:
            agent = await start(container, name)
            return [agent.random.random() for _ in range(3)]

    assert await draw(7, "a") == await draw(7, "a")
    assert await draw(7, "a") != await draw(8, "a")
    assert await draw(7, "a") != await draw(7, "b")
    assert await draw(None, "a") != await draw(None, "a")
    with pytest.raises(ContainerClosedError):
        _ = Agent("a").random


# -- what an agent is made of --------------------------------------------------------------------------------


async def test_an_agent_that_waits_is_few_objects_for_the_garbage_collector():
    class Waits(CyclicBehaviour):
        __slots__ = ()

        async def run(self):
            await self.receive()

    class Waiting(Agent):
        __slots__ = ()

        async def setup(self):
            self.add_behaviour(Waits())

    def count():
        gc.collect()
        return len(gc.get_objects())

    async with Container("c1") as container:
        await container.start(Waiting("first"))
        await until_idle()
        before = count()
        for number in range(100):
            await container.start(Waiting(f"agent-{number}"))
        await until_idle()
        # The agent, its behaviour, mailbox, strand, context, three coroutines, and asyncio's reference.
        assert (count() - before) // 100 <= 10
        assert container.dispatcher.routes == {}


async def test_a_way_to_an_agent_is_kept_from_its_first_message_to_its_end():
    async with Container("c1") as container:
        routes = container.dispatcher.routes
        agent = await start(container, "a", Collect())
        sender = await start(container, "b", do(lambda behaviour: behaviour.send(Message(to="a", body="x"))))
        await sender.behaviours[0].join()
        assert set(routes) == {"a", agent.address}
        await agent.stop()
        assert routes == {}
