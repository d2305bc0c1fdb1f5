"""Receiving by a template: the others stay in their order, and the time and the room have an end."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import Collect, do, start

from formicary import Container, Limits, Message, Template
from formicary.errors import AgentStateError, DefinitionError, MailboxFullError
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock
WANTED = Template(performative="inform")


async def run(function, *performatives, later=(), **options):
    """Run a function of a behaviour; others send it messages at the beginning, and after a second."""
    async with Container("c1", **options) as container:
        behaviour = do(function)
        await start(container, "b", behaviour)

        async def send(sender):
            for number, performative in enumerate(performatives):
                await sender.send(Message(to="b", body=str(number), performative=performative))
            await asyncio.sleep(1)
            for number, performative in enumerate(later):
                await sender.send(Message(to="b", body=f"later {number}", performative=performative))

        await start(container, "teller", do(send), Collect())
        await behaviour.join()
        return behaviour.result


async def take(behaviour, *given):
    """Receive by a template when all is there; return that and what is left."""
    await asyncio.sleep(0.5)
    found = await behaviour.receive(*given, template=WANTED)
    left = []
    while (message := await behaviour.receive(0)) is not None:
        left.append(message.body)
    return found and found.body, left


async def test_the_first_that_matches_is_taken_and_the_others_stay_in_order():
    assert await run(take, "request", "inform", "request", "inform") == ("1", ["0", "2", "3"])


async def test_one_that_matches_is_waited_for():
    found = await run(take, "request", "request", later=("request", "inform", "request"))
    assert found[0] == "later 1"
    assert found[1][:3] == ["0", "1", "later 0"]


async def test_the_time_is_over_at_its_end_whatever_else_comes():
    async def wait(behaviour):
        found = await behaviour.receive(3, WANTED)
        return found, asyncio.get_running_loop().time(), behaviour.mailbox_size()

    assert await run(wait, "request", later=("request",)) == (None, 3, 2)


async def test_a_time_of_zero_only_looks():
    assert await run(lambda b: take(b, 0), "request") == (None, ["0"])
    assert await run(lambda b: take(b, 0), "request", "inform") == ("1", ["0"])


async def test_a_mailbox_that_is_full_of_others_is_an_error():
    async def wait(behaviour):
        with pytest.raises(MailboxFullError, match=r"full of \d messages, none of which"):
            await behaviour.receive(template=WANTED)

    await run(wait, "request", "request", "request", limits=Limits(mailbox=2))


async def test_priorities_are_kept():
    async with Container("c1") as container:
        behaviour = do(take)
        await start(container, "b", behaviour)

        async def send(sender):
            for body, performative, priority in (("1", "inform", None), ("2", "inform", "urgent")):
                metadata = {"priority": priority} if priority else None
                await sender.send(Message(to="b", body=body, performative=performative, metadata=metadata))

        await start(container, "teller", do(send))
        await behaviour.join()
        assert behaviour.result == ("2", ["1"])


async def test_tasks_of_the_behaviour_ask_instead():
    async def wait(behaviour):
        with pytest.raises(AgentStateError, match=r"use ask\(\) there"):
            await asyncio.ensure_future(behaviour.receive(template=WANTED))

    await run(wait)


async def test_a_suspended_behaviour_takes_what_matches_when_it_goes_on():
    async with Container("c1") as container:

        async def wait(behaviour):
            return (await behaviour.receive(template=WANTED)).body

        behaviour = do(wait)
        agent = await start(container, "b", behaviour)
        await until_idle()
        agent.suspend()

        async def send(sender):
            await sender.send(Message(to="b", body="no", performative="request"))
            await sender.send(Message(to="b", body="yes", performative="inform"))

        await start(container, "teller", do(send))
        await until_idle()
        agent.resume()
        await behaviour.join()
        assert behaviour.result == "yes"


async def test_a_template_in_the_place_of_the_time_is_said():
    async def receive(behaviour):
        with pytest.raises(DefinitionError, match=r"write receive\(template=\.\.\.\)"):
            await behaviour.receive(WANTED)

    await run(receive)
