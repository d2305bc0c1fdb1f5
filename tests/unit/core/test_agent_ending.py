"""The end of agents and behaviours: stopping, joining, killing."""

from __future__ import annotations

import asyncio
import itertools

import pytest
from tests.unit.core.agents import Collect, Counting, Deaf, do, reasons, start

from formicary import Agent, AgentState, Container, CyclicBehaviour, Message, OneShotBehaviour
from formicary.errors import AgentStateError
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


def now():
    return asyncio.get_running_loop().time()


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
        with pytest.raises(AgentStateError, match="started; create a new one"):
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
    assert "a/Stubborn did not end within 10 s and was abandoned" in caplog.text


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


# -- joining -------------------------------------------------------------------------------------------------


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


# -- kill ----------------------------------------------------------------------------------------------------


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


# -- many at once --------------------------------------------------------------------------------------------


async def open_with_agents(count):
    container = await Container("c1").open()
    for number in range(count):
        await start(container, f"agent-{number}", Collect())
    await until_idle()
    return container


async def test_agents_that_only_wait_end_without_a_timer_for_each(monkeypatch):
    container = await open_with_agents(100)
    loop = asyncio.get_running_loop()
    call_later, timers = loop.call_later, []

    def set_timer(delay, *about, **options):
        timers.append(delay)
        return call_later(delay, *about, **options)

    monkeypatch.setattr(loop, "call_later", set_timer)
    await container.close()
    assert (container.agents, timers) == ((), [])


async def test_others_get_their_turns_while_many_agents_end():
    container = await open_with_agents(1000)
    left = []

    async def watch():
        while container.agents:
            left.append(len(container.agents))
            await asyncio.sleep(0)

    watching = asyncio.create_task(watch())
    await container.close()
    await watching
    assert max(before - after for before, after in itertools.pairwise(left)) < 100


async def test_what_a_later_agent_says_at_its_end_an_earlier_one_still_receives():
    class SaysGoodbye(CyclicBehaviour):
        async def run(self):
            await self.receive()

        async def on_end(self):
            await self.send(Message(to="earlier", body=f"goodbye from {self.agent.name}"))

    container = await Container("c1").open()
    earlier = Collect()
    await start(container, "earlier", earlier)
    await start(container, "later", SaysGoodbye())
    await start(container, "latest", SaysGoodbye())
    await until_idle()
    await container.close()
    assert earlier.bodies == ["goodbye from latest", "goodbye from later"]
    assert reasons(container) == []


async def test_an_agent_that_a_task_of_another_one_stops_is_gone_when_that_goes_on():
    async def stop_by_a_task(behaviour):
        await asyncio.create_task(other.stop())
        return other.state

    async with Container("c1") as container:
        waits = Counting()
        other = await start(container, "other", waits)
        stopping = do(stop_by_a_task)
        await start(container, "stopping", stopping)
        await stopping.join()
        assert (stopping.result, waits.ends) == (AgentState.GONE, 1)
        assert asyncio.current_task() is not None


async def test_behaviours_that_end_after_their_agent_leave_the_way_to_the_next_one_of_its_name():
    async def hang(_):
        with pytest.raises(asyncio.CancelledError):
            await asyncio.sleep(1000)
        await asyncio.sleep(1)

    async with Container("c1") as container:
        old = await start(container, "a", do(hang), Deaf())
        bob = await start(container, "bob")
        await until_idle()
        old.end_at_once()
        await start(container, "a", got := Collect())
        await container.dispatcher.send(Message(to="a", sender=bob.address, body="0"))
        await asyncio.sleep(2)
        await container.dispatcher.send(Message(to="a", sender=bob.address, body="1"))
        await until_idle()
        assert got.bodies == ["0", "1"]
