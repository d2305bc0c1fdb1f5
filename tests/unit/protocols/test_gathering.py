"""Several questions at once: answers as they come, and who never answered by name."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import Collect, Do, Echo, do, start

from formicary import Container, Message
from formicary.errors import ContainerClosedError, InvalidMessageError

pytestmark = pytest.mark.virtual_clock


def name(agent):
    return f"{agent}@c1.lab.localhost"


class Slow(Echo):
    """Answers after some time."""

    def __init__(self, seconds):
        super().__init__()
        self.seconds = seconds

    async def run(self):
        message = await self.receive()
        await asyncio.sleep(self.seconds)
        await self.reply(message, body=message.body)


async def gather(behaviour, *given):
    answers = behaviour.gather_answers(*given)
    return [answer.body async for answer in answers], answers


async def run(container, *given):
    behaviour = do(lambda b: gather(b, *given))
    await start(container, "asker", behaviour)
    await behaviour.join()
    return behaviour.result


async def test_answers_come_in_the_order_of_their_times():
    async with Container("c1") as container:
        for seconds in (3, 1, 2):
            await start(container, f"s{seconds}", Slow(seconds))
        messages = [Message(to=f"s{seconds}", body=str(seconds)) for seconds in (3, 1, 2)]
        bodies, answers = await run(container, messages)
        assert bodies == ["1", "2", "3"]
        assert (answers.missing, answers.failed) == ((), {})


async def test_who_has_not_answered_is_named_and_who_is_not_there_with_the_reason():
    async with Container("c1") as container:
        await start(container, "echo", Echo())
        await start(container, "slow", Slow(9))
        message = Message(to=("echo", "slow", "nobody"), body="x")
        bodies, answers = await run(container, [message], 5)
        assert bodies == ["x"]
        assert answers.missing == (name("slow"),)
        assert list(answers.failed) == [name("nobody")]
        assert asyncio.get_running_loop().time() == 5


async def test_one_that_ends_meanwhile_is_not_waited_for():
    async def end(behaviour):
        await behaviour.receive()
        await behaviour.agent.stop()

    async with Container("c1") as container:
        await start(container, "ends", do(end))
        bodies, answers = await run(container, [Message(to="ends")])
        assert bodies == []
        assert "ended in the middle" in answers.failed[name("ends")]


async def test_one_that_answers_twice_has_one_answer():
    async def answer(behaviour):
        message = await behaviour.receive()
        await behaviour.reply(message, body="first")
        await behaviour.reply(message, body="second")

    async with Container("c1") as container:
        await start(container, "twice", do(answer))
        await start(container, "slow", Slow(1))
        bodies, _ = await run(container, [Message(to=("twice", "slow"), body="x")])
        assert bodies == ["first", "x"]
        assert [letter.message.body for letter in container.dead_letters] == ["second"]


async def test_what_is_left_before_the_end_waits_no_more():
    async def first(behaviour):
        async with behaviour.gather_answers([Message(to=("a", "b"), body="x")]) as answers:
            async for answer in answers:
                return answer.sender, answers.missing, behaviour.conversations
        return None

    async with Container("c1") as container:
        await start(container, "a", Slow(1))
        await start(container, "b", Slow(2))
        behaviour = do(first)
        await start(container, "asker", behaviour)
        await behaviour.join()
        sender, missing, conversations = behaviour.result
        assert (sender, missing, conversations.expected) == (name("a"), (name("b"),), {})


async def test_what_cannot_be_sent_is_said():
    async with Container("c1") as container:
        with pytest.raises(InvalidMessageError, match="without a receiver"):
            [answer async for answer in container.gather_answers([Message()])]


async def test_who_has_ended_gathers_no_more():
    async with Container("c1") as container:
        await start(container, "deaf", Collect())
        agent = await start(container, "asker", asker := Do(lambda b: asyncio.sleep(99)))
        gathering = asyncio.ensure_future(gather(asker, [Message(to="deaf")]))
        await asyncio.sleep(1)
        await agent.stop()
        with pytest.raises(ContainerClosedError, match="has ended in the meantime"):
            await gathering
