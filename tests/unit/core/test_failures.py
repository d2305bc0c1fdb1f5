"""Failures are seen where people look: at agents, at their container, by those who join."""

from __future__ import annotations

import asyncio
import gc
import weakref

import pytest
from tests.unit.core.agents import Collect, do, start

from formicary import Agent, AgentState, Container, CyclicBehaviour, Message, MicroAgent
from formicary.errors import AgentStateError
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


async def fail(behaviour):
    raise ValueError("mine")


class Careless(MicroAgent):
    def handle(self, message):
        raise ValueError(message.body)


class CarelessLater(MicroAgent):
    async def handle(self, message):
        await asyncio.sleep(0)
        raise ValueError(message.body)


class Unprepared(Agent):
    async def setup(self):
        raise ValueError("mine")


async def test_an_agent_knows_how_often_and_with_what_its_behaviours_have_failed():
    async with Container("c1") as container:
        agent = await start(container, "a", do(fail), Collect(), do(lambda _: asyncio.sleep(0)))
        assert (agent.failures, agent.last_failure) == (0, None)
        await until_idle()
        assert (agent.failures, agent.state, len(agent.behaviours)) == (1, AgentState.ACTIVE, 1)
        failure = agent.last_failure
        assert (failure.name, failure.error, failure.text) == ("a/Do", "ValueError", "mine")
        assert failure.place.startswith("test_failures.py:")
        assert failure.place.endswith(", in fail")
        assert str(failure) == f"a/Do: ValueError: mine ({failure.place})"
        assert container.failure_log.total == 1
        assert list(container.failure_log) == [failure]


async def test_setup_and_handle_fail_in_the_same_way():
    async with Container("c1") as container:
        with pytest.raises(ValueError, match="mine"):
            await container.start(Unprepared("u"))
        plain, later = Careless("m"), CarelessLater("n")
        await container.start(plain)
        await container.start(later)
        for number in range(3):
            await start(
                container, f"a{number}", do(lambda b: b.send(Message(to=("m", "n"), body=b.agent.name)))
            )
        await until_idle()
        assert (plain.failures, later.failures, container.failure_log.total) == (3, 3, 7)
        assert (plain.last_failure.name, plain.last_failure.text) == ("m/handle", "a2")
        assert later.last_failure.name == "n/handle"
        assert next(iter(container.failure_log)).name == "u/setup"


async def test_what_is_shown_of_a_failure_is_one_line_and_not_long():
    async def shout(behaviour):
        raise ValueError("\x1b[31m red\nERROR forged " + 1000 * "x")

    async def say_nothing(behaviour):
        raise KeyError

    async with Container("c1") as container:
        loud, quiet = await start(container, "a", do(shout)), await start(container, "b", do(say_nothing))
        await until_idle()
        assert str(loud.last_failure).isprintable()
        assert len(loud.last_failure.text) < 300
        assert str(quiet.last_failure).startswith("b/Do: KeyError (test_failures.py:")


async def test_the_latest_failures_are_kept_and_all_are_counted():
    async with Container("c1") as container:
        await container.start(Careless("m"))
        await start(container, "a", do(lambda b: send_many(b, 300)))
        await until_idle()
        assert container.failure_log.total == 300
        assert [each.text for each in container.failure_log] == [str(number) for number in range(200, 300)]


async def send_many(behaviour, count):
    for number in range(count):
        await behaviour.send(Message(to="m", body=str(number)))


async def test_a_cancellation_that_nobody_has_asked_for_is_a_failure():
    async def wait_for_nothing(behaviour):
        future = asyncio.get_running_loop().create_future()
        future.cancel()
        await future

    class Waiting(MicroAgent):
        async def handle(self, message):
            await asyncio.sleep(0)
            await wait_for_nothing(self)

    async with Container("c1") as container:
        waiting = Waiting("m")
        await container.start(waiting)
        agent = await start(container, "a", behaviour := do(wait_for_nothing))
        await start(container, "b", do(lambda b: b.send(Message(to="m"))))
        await until_idle()
        assert (agent.failures, waiting.failures) == (1, 1)
        for _ in range(2):
            with pytest.raises(
                AgentStateError, match="a/Do ended with CancelledError although it was not cancelled"
            ):
                await behaviour.join()


# -- joining -------------------------------------------------------------------------------------------------


async def test_who_joins_the_container_is_told_when_all_have_ended():
    async def stop(behaviour):
        await asyncio.sleep(1)
        await behaviour.agent.stop()

    async with Container("c1") as container:
        await start(container, "a", do(fail), do(stop))
        await start(container, "b", do(stop))
        with pytest.raises(ValueError, match="mine") as caught:
            await container.wait_until_finished()
        assert container.agents == ()
        assert caught.value.__notes__ == ["raised by a/Do in container c1"]
        await container.wait_until_finished()  # it was told


async def test_of_several_failures_the_first_is_raised_and_the_others_are_counted():
    async with Container("c1") as container:
        agents = [await start(container, name, do(fail)) for name in "abc"]
        await until_idle()
        for agent in agents:
            await agent.stop()
        with pytest.raises(ValueError, match="mine") as caught:
            await container.wait_until_finished()
        assert caught.value.__notes__ == ["raised by a/Do in container c1; 2 more failed there, see the log"]
        await container.wait_until_finished()


@pytest.mark.parametrize("whom", ["agent", "behaviour", "setup"])
async def test_what_somebody_was_told_is_not_told_again(whom):
    async with Container("c1") as container:
        if whom == "setup":
            with pytest.raises(ValueError, match="mine"):
                await container.start(Unprepared("u"))
        else:
            agent = await start(container, "a", behaviour := do(fail))
            with pytest.raises(ValueError, match="mine"):
                await (agent if whom == "agent" else behaviour).join()
            await agent.stop()
        await container.wait_until_finished()
        assert container.failure_log.total == 1


async def test_many_failures_that_nobody_asks_for_are_not_kept(caplog):
    caplog.set_level("CRITICAL", "formicary")  # pytest would keep what is logged

    class Error(Exception):
        pass

    kept = weakref.WeakSet()

    class Failing(MicroAgent):
        def handle(self, message):
            kept.add(error := Error())
            raise error

    async with Container("c1") as container:
        await container.start(Failing("m"))
        await start(container, "a", do(lambda b: send_many(b, 300)))
        await until_idle()
        gc.collect()
        assert len(kept) <= 20


# -- behaviours that have ended ------------------------------------------------------------------------------


async def test_a_behaviour_that_has_ended_is_still_found_and_joined():
    async def leave(behaviour):
        behaviour.kill(7)

    async with Container("c1") as container:
        agent = await start(container, "a", do(leave), do(fail), Collect())
        await until_idle()
        good, bad = agent.ended_behaviours
        await good.join()
        assert good.exit_code == 7
        for _ in range(2):
            with pytest.raises(ValueError, match="mine"):
                await bad.join()
        await agent.stop()
        assert len(agent.ended_behaviours) == 3
    await good.join(timeout=1)


async def test_of_behaviours_that_come_and_go_a_few_are_kept():
    class Brief(CyclicBehaviour):
        async def run(self):
            self.kill()

    async with Container("c1") as container:
        agent = await start(container, "a", Collect())
        known = weakref.WeakSet()
        for _ in range(100):
            known.add(brief := Brief())
            agent.add_behaviour(brief)
            await brief.join()
        del brief
        gc.collect()
        assert len(agent.ended_behaviours) == len(known) == 8
        assert all(behaviour.is_done() for behaviour in agent.ended_behaviours)


async def test_one_that_was_taken_away_before_it_began_has_not_ended():
    agent, behaviour = Agent("a"), Collect()
    agent.add_behaviour(behaviour)
    agent.remove_behaviour(behaviour)
    assert agent.ended_behaviours == ()
