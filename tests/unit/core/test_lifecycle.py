"""The life of agents and behaviours: states, beginning, end, exceptions, joining."""

from __future__ import annotations

import asyncio
import logging

import pytest
from tests.unit.core.agents import Collect, Deaf, do, reasons, start

from formicary import Agent, AgentState, Container, CyclicBehaviour, Message, OneShotBehaviour
from formicary.errors import AgentStateError, ContainerClosedError
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


def now():
    return asyncio.get_running_loop().time()


class Counting(CyclicBehaviour):
    def __init__(self):
        super().__init__()
        self.runs = 0
        self.ends = 0

    async def run(self):
        self.runs += 1
        await asyncio.sleep(1)

    async def on_end(self):
        await asyncio.sleep(0.5)
        self.ends += 1


# -- states -------------------------------------------------------------------------------------------------


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


# -- setup --------------------------------------------------------------------------------------------------


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
    with pytest.raises(ContainerClosedError, match="closed while a was set up"):
        await starting
    assert (agent.state, behaviour.runs) == (AgentState.GONE, 0)


# -- exceptions ---------------------------------------------------------------------------------------------


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


async def test_a_behaviour_without_run_says_so():
    async with Container("c1") as container:
        behaviour = OneShotBehaviour()
        await start(container, "a", behaviour)
        with pytest.raises(NotImplementedError, match="OneShotBehaviour has no run"):
            await behaviour.join()


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


# -- adding and removing ------------------------------------------------------------------------------------


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
        with pytest.raises(AgentStateError, match="has an agent already"):
            Agent("b").add_behaviour(behaviour)
        with pytest.raises(AgentStateError, match="agent a does not have behaviour Collect of agent"):
            agent.remove_behaviour(Collect())
        await agent.stop()
        with pytest.raises(AgentStateError, match="agent a is gone"):
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


# -- stopping -----------------------------------------------------------------------------------------------


async def test_stop_from_outside_returns_when_the_agent_is_gone():
    async with Container("c1") as container:
        behaviour = Counting()
        agent = await start(container, "a", behaviour)
        await asyncio.sleep(2.5)
        await agent.stop()
        assert (agent.state, behaviour.runs, behaviour.ends, now()) == (AgentState.GONE, 3, 1, 3)
        await agent.stop()
        await agent.join()


async def test_stop_from_inside_ends_the_behaviour_after_its_run():
    async def stop(behaviour):
        await asyncio.sleep(0.5)
        await behaviour.agent.stop()
        state = behaviour.agent.state
        await asyncio.sleep(1)
        return state

    async with Container("c1") as container:
        stopping, other = do(stop), Counting()
        agent = await start(container, "a", stopping, other)
        await agent.join()
        assert (stopping.result, other.ends, now()) == (AgentState.ACTIVE, 1, 1.5)


async def test_an_agent_without_behaviours_stops_at_once():
    async with Container("c1") as container:
        agent = await start(container, "a")
        assert agent.state is AgentState.ACTIVE
        await agent.stop()
        assert agent.state is AgentState.GONE


async def test_an_agent_that_never_started_can_be_stopped_and_not_started_after():
    agent = Agent("a")
    await agent.stop()
    assert agent.state is AgentState.GONE
    async with Container("c1") as container:
        with pytest.raises(AgentStateError, match="started before; make a new one"):
            await container.start(agent)


async def test_stop_while_suspended_runs_the_behaviours_ends():
    async with Container("c1") as container:
        sleeping, receiving = Counting(), Collect()
        agent = await start(container, "a", sleeping, receiving)
        await asyncio.sleep(0.5)
        agent.suspend()
        await agent.stop()
        assert agent.state is AgentState.GONE
        assert (sleeping.ends, receiving.is_done()) == (1, True)


async def test_stopped_twice_an_end_is_not_disturbed():
    class Careful(CyclicBehaviour):
        async def run(self):
            await self.agent.stop()

        async def on_end(self):
            await asyncio.sleep(5)
            self.set("saved", "all")

    async with Container("c1") as container:
        agent = await start(container, "a", Careful())
        await asyncio.sleep(1)
        await asyncio.gather(agent.stop(), agent.stop())
        assert (agent.get("saved"), agent.state) == ("all", AgentState.GONE)


async def test_a_behaviour_that_does_not_end_is_left_behind_with_an_error(caplog):
    class Stubborn(OneShotBehaviour):
        async def run(self):
            while True:
                try:
                    await asyncio.sleep(1000)
                except asyncio.CancelledError:
                    self.set("cancels", (self.get("cancels") or 0) + 1)
                    if self.get("cancels") == 2:
                        raise

    async with Container("c1") as container:
        agent = await start(container, "a", Stubborn())
        await asyncio.sleep(1)
        await agent.stop()
        assert (agent.state, now()) == (AgentState.GONE, 11)
        await until_idle()
        assert agent.get("cancels") == 2
    assert "a/Stubborn did not end within 10 s and is left behind" in caplog.text


async def test_of_two_agents_that_stop_each_other_at_once_one_goes_on():
    async def stop_other(behaviour):
        await asyncio.sleep(1)
        await other[behaviour.agent.name].stop()

    async with Container("c1") as container:
        one = await start(container, "one", do(stop_other))
        two = await start(container, "two", do(stop_other))
        other = {"one": two, "two": one}
        await two.join()
        await until_idle()
        assert (container.agents, one.behaviours) == ((one,), ())


# -- joining ------------------------------------------------------------------------------------------------


async def test_join_waits_for_the_end_also_before_the_start():
    agent = Agent("a")
    joining = asyncio.create_task(agent.join())
    async with Container("c1") as container:
        agent.add_behaviour(Collect())
        await container.start(agent)
        await until_idle()
        assert not joining.done()
        await agent.stop()
        await joining


async def test_a_join_that_is_cancelled_does_not_disturb_another():
    async with Container("c1") as container:
        agent = await start(container, "a", Collect())
        joining = asyncio.create_task(agent.join())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(agent.join(), 1)
        assert not joining.done()
        await agent.stop()
        await joining


async def test_nobody_waits_for_the_own_end():
    async def join_itself(behaviour):
        await behaviour.join()

    async def join_agent(behaviour):
        await behaviour.agent.join()

    async with Container("c1") as container:
        itself, agent = do(join_itself), do(join_agent)
        await start(container, "a", itself)
        await start(container, "b", agent)
        with pytest.raises(AgentStateError, match="behaviour Do of agent a cannot wait for its own end"):
            await itself.join()
        with pytest.raises(AgentStateError, match="agent b cannot wait for its own end"):
            await agent.join()


async def test_a_behaviour_joins_another_and_may_give_up():
    async def wait_for_it(behaviour):
        try:
            await other.join(timeout=2)
        except TimeoutError as error:
            first = str(error)
        await other.join()
        return first, now()

    async def sleep(behaviour):
        await asyncio.sleep(5)

    async with Container("c1") as container:
        other, waiting = do(sleep), do(wait_for_it)
        await start(container, "a", other, waiting)
        await waiting.join()
        assert waiting.result == ("behaviour Do of agent a has not ended within 2 s", 5)


async def test_a_behaviour_that_has_not_started_cannot_be_joined_and_has_no_exit_code():
    behaviour = Collect()
    with pytest.raises(AgentStateError, match="has not started"):
        await behaviour.join()
    with pytest.raises(AgentStateError, match="has not ended yet"):
        _ = behaviour.exit_code


# -- kill ---------------------------------------------------------------------------------------------------


async def test_kill_from_inside_ends_a_behaviour_after_its_run_with_an_exit_code():
    class Thrice(CyclicBehaviour):
        runs = 0

        async def run(self):
            self.runs += 1
            if self.runs == 3:
                self.kill(exit_code={"any": "thing"})
            await asyncio.sleep(1)

    async with Container("c1") as container:
        behaviour = Thrice()
        await start(container, "a", behaviour)
        await behaviour.join()
        assert (behaviour.runs, behaviour.exit_code, behaviour.is_killed(), now()) == (
            3,
            {"any": "thing"},
            True,
            3,
        )


async def test_kill_ends_a_wait_for_a_message():
    async with Container("c1") as container:
        behaviour = Collect()
        await start(container, "a", behaviour)
        await until_idle()
        behaviour.kill(7)
        await behaviour.join()
        assert behaviour.exit_code == 7


async def test_kill_ends_a_sleep_and_on_end_runs():
    async with Container("c1") as container:
        behaviour = Counting()
        await start(container, "a", behaviour)
        await asyncio.sleep(0.25)
        behaviour.kill()
        behaviour.kill()
        await behaviour.join()
        assert (behaviour.runs, behaviour.ends, behaviour.exit_code, now()) == (1, 1, None, 0.75)


async def test_kill_before_the_first_step_ends_it_before_it_begins():
    async with Container("c1") as container:
        behaviour = Counting()
        await start(container, "a", behaviour)
        behaviour.kill()
        await behaviour.join()
        assert (behaviour.runs, behaviour.ends) == (0, 0)


async def test_a_message_on_its_way_to_a_behaviour_that_is_killed_becomes_a_dead_letter():
    async def send_and_kill(behaviour):
        await behaviour.send(Message(to="b", body="x"))
        collect.kill()
        await behaviour.send(Message(to="b", body="y"))

    async with Container("c1") as container:
        collect = Collect()
        await start(container, "b", collect)
        await until_idle()
        await start(container, "a", do(send_and_kill))
        await until_idle()
        assert collect.messages == []
        letters = [letter for letter in container.dead_letters if letter.message.performative is None]
        assert [letter.message.body for letter in letters] == ["x", "y"]
        assert {letter.reason for letter in letters} == {
            "behaviour Collect of agent b ended before it received the message"
        }


async def test_messages_that_were_not_received_when_the_behaviour_ended_are_dead_letters():
    async with Container("c1") as container:
        deaf = Deaf()
        await start(container, "b", deaf)

        async def send(behaviour):
            for number in range(5):
                await behaviour.send(Message(to="b", body=str(number)))

        await start(container, "a", do(send))
        await until_idle()
        assert deaf.mailbox_size() == 5
        deaf.kill()
        await deaf.join()
        assert len(reasons(container)) == 5
        assert deaf.mailbox_size() == 0


# -- suspended ----------------------------------------------------------------------------------------------


async def test_nothing_of_a_suspended_agent_runs_and_its_messages_wait():
    async def send(behaviour):
        for number in range(3):
            await behaviour.send(Message(to="b", body=str(number)))

    async with Container("c1") as container:
        collect, counting = Collect(), Counting()
        agent = await start(container, "b", collect)
        agent.add_behaviour(counting)
        await asyncio.sleep(0.5)
        agent.suspend()
        await start(container, "a", do(send))
        await asyncio.sleep(10)
        assert (collect.bodies, collect.mailbox_size(), counting.runs) == ([], 3, 1)
        agent.resume()
        await until_idle()
        assert (collect.bodies, counting.runs) == (["0", "1", "2"], 2)


async def test_a_message_in_flight_when_the_agent_is_suspended_waits():
    async def send(behaviour):
        await behaviour.send(Message(to="b", body="x"))
        agent.suspend()

    async with Container("c1") as container:
        collect = Collect()
        agent = await start(container, "b", collect)
        await until_idle()
        await start(container, "a", do(send))
        await asyncio.sleep(5)
        assert (collect.bodies, collect.mailbox_size()) == ([], 1)
        agent.resume()
        await until_idle()
        assert collect.bodies == ["x"]


@pytest.mark.parametrize("kind", ["receive", "sleep", "timeout"])
async def test_time_that_runs_out_while_suspended_is_noticed_after(kind):
    async def wait(behaviour):
        if kind == "receive":
            return await behaviour.receive(timeout=2), now()
        if kind == "sleep":
            return await asyncio.sleep(2), now()
        try:
            async with asyncio.timeout(2):
                await behaviour.receive()
        except TimeoutError:
            return None, now()

    async with Container("c1") as container:
        behaviour = do(wait)
        agent = await start(container, "a", behaviour)
        await asyncio.sleep(1)
        agent.suspend()
        await asyncio.sleep(9)
        assert not behaviour.is_done()
        assert behaviour.result is None
        agent.resume()
        await behaviour.join()
        assert behaviour.result == (None, 10)


async def test_a_message_that_came_in_time_while_suspended_is_received_after():
    async def wait(behaviour):
        return (await behaviour.receive(timeout=5)).body

    async with Container("c1") as container:
        behaviour = do(wait)
        agent = await start(container, "b", behaviour)
        await until_idle()
        agent.suspend()
        await start(container, "a", do(lambda sender: sender.send(Message(to="b", body="x"))))
        await asyncio.sleep(10)
        agent.resume()
        await behaviour.join()
        assert behaviour.result == "x"


async def test_an_agent_that_suspends_itself_stays_where_it_waits_next():
    async def suspend(behaviour):
        behaviour.agent.suspend()
        behaviour.set("went on", "to the next wait")
        await asyncio.sleep(0)
        behaviour.set("went on", "after it")

    async with Container("c1") as container:
        agent = await start(container, "a", do(suspend))
        await asyncio.sleep(5)
        assert agent.get("went on") == "to the next wait"
        agent.resume()
        await until_idle()
        assert agent.get("went on") == "after it"


async def test_a_behaviour_that_is_added_while_suspended_starts_after():
    async with Container("c1") as container:
        agent = await start(container, "a")
        agent.suspend()
        counting = Counting()
        agent.add_behaviour(counting)
        await asyncio.sleep(5)
        assert counting.runs == 0
        agent.resume()
        await until_idle()
        assert counting.runs == 1


async def test_a_behaviour_of_a_suspended_agent_can_be_killed():
    async with Container("c1") as container:
        collect, counting = Collect(), Counting()
        agent = await start(container, "a", collect, counting)
        await asyncio.sleep(0.5)
        agent.suspend()
        collect.kill("a")
        counting.kill("b")
        await collect.join()
        await counting.join()
        assert (collect.exit_code, counting.exit_code, counting.ends) == ("a", "b", 1)
        assert agent.state is AgentState.SUSPENDED


# -- knowledge and chance -----------------------------------------------------------------------------------


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


async def test_a_behaviour_that_ends_while_its_agent_is_suspended_ends_when_it_is_stopped():
    async with Container("c1") as container:
        behaviour = Counting()
        agent = await start(container, "a", behaviour)
        await asyncio.sleep(0.25)
        agent.remove_behaviour(behaviour)
        agent.suspend()
        await asyncio.sleep(5)
        assert behaviour.ends == 0
        await agent.stop()
        assert (behaviour.ends, now()) == (1, 5.75)


async def test_an_agent_that_stops_cannot_be_suspended():
    async with Container("c1") as container:
        agent = await start(container, "a", Counting())
        await asyncio.sleep(0.25)
        stopping = asyncio.create_task(agent.stop())
        await asyncio.sleep(0)
        with pytest.raises(AgentStateError, match="agent a is stopping, so it cannot be suspended"):
            agent.suspend()
        await stopping
