"""Asking: each gets its own answer, and nobody else's; what never comes is said."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import Collect, Deaf, Do, Echo, do, start

from formicary import Agent, Container, CyclicBehaviour, Instrument, Message, MicroAgent
from formicary.errors import ContainerClosedError, FailedError, InvalidMessageError, NoAnswerError
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock


async def ask_in(container, function, *others, name="asker"):
    """Run a function of a behaviour in a new agent to its end, and return what it returns."""
    behaviour = Do(function)
    agent = await start(container, name, behaviour, *others)
    await behaviour.join()
    await agent.stop()
    return behaviour.result


class Backwards(CyclicBehaviour):
    """Answers pairs of messages, the second first."""

    async def run(self):
        first, second = await self.receive(), await self.receive()
        await self.reply(second, body=second.body)
        await self.reply(first, body=first.body)


async def test_an_answer_goes_to_who_has_asked():
    async with Container("c1") as container:
        await start(container, "echo", Echo())
        answer = await ask_in(container, lambda b: b.ask(Message(to="echo", body="hello"), timeout=5))
        assert (answer.body, answer.sender) == ("hello", "echo@c1.lab.localhost")


async def test_two_that_are_asked_at_once_never_swap_their_answers():
    async def both(behaviour):
        return await asyncio.gather(
            behaviour.ask(Message(to="back", body="1")), behaviour.ask(Message(to="back", body="2"))
        )

    async with Container("c1") as container:
        await start(container, "back", Backwards())
        first, second = await ask_in(container, both)
        assert (first.body, second.body) == ("1", "2")


async def test_an_answer_passes_no_mailbox():
    collect = Collect()
    async with Container("c1") as container:
        await start(container, "echo", Echo())
        answer = await ask_in(container, lambda b: b.ask(Message(to="echo", body="x")), collect)
        assert answer.body == "x"
        assert collect.messages == []


async def test_a_message_can_be_asked_again_and_stays_as_it_is():
    async def twice(behaviour):
        message = Message(to="echo", body="x", reply_with="mine")
        answers = [await behaviour.ask(message), await behaviour.ask(message)]
        assert (message.reply_with, message.sender) == ("mine", None)
        return [answer.in_reply_to for answer in answers]

    async with Container("c1") as container:
        await start(container, "echo", Echo())
        assert len(set(await ask_in(container, twice))) == 2


async def test_a_program_outside_of_agents_asks():
    async with Container("c1") as container:
        await start(container, "echo", Echo())
        assert (await container.ask(Message(to="echo", body="hi"), timeout=1)).body == "hi"
        assert [agent.name for agent in container.agents] == ["echo"]


async def test_who_does_not_answer_in_time_is_named_and_a_late_answer_is_a_dead_letter():
    collect, late = Collect(), {}

    async def wait(behaviour):
        message = await behaviour.receive()
        await asyncio.sleep(10)
        late["answer"] = message.make_reply(body="late")
        await behaviour.send(late["answer"])

    async def impatient(behaviour):
        with pytest.raises(NoAnswerError, match=r"slow@c1.lab.localhost did not answer in time") as caught:
            await behaviour.ask(Message(to="slow"), timeout=5)
        assert caught.value.missing == ("slow@c1.lab.localhost",)
        assert asyncio.get_running_loop().time() == 5
        await asyncio.sleep(6)

    async with Container("c1") as container:
        await start(container, "slow", do(wait))
        await ask_in(container, impatient, collect)
        assert collect.messages == []
        assert [letter.message.body for letter in container.dead_letters] == ["late"]


async def test_an_answer_of_somebody_who_was_not_asked_is_not_taken():
    heard, collect = {}, Collect()

    async def listen(behaviour):
        heard["asked"] = await behaviour.receive()

    async def forge(behaviour):
        asked = heard["asked"]
        await behaviour.send(Message(to=asked.sender, body="forged", in_reply_to=asked.reply_with))

    async with Container("c1") as container:
        listener = await start(container, "listener", do(listen))
        asker = Do(lambda b: b.ask(Message(to="listener"), timeout=60))
        await start(container, "asker", asker, collect)
        await until_idle()
        await start(container, "forger", do(forge))
        await until_idle()
        assert not asker.is_done()
        assert collect.bodies == ["forged"]

        async def answer(behaviour):
            await behaviour.reply(heard["asked"], body="true")

        listener.add_behaviour(do(answer))
        await asker.join()
        assert asker.result.body == "true"


async def test_who_is_not_there_has_failed_at_once_with_the_reason():
    async def ask(behaviour):
        with pytest.raises(FailedError, match="no agent named 'nobody' lives") as caught:
            await behaviour.ask(Message(to="nobody"), timeout=60)
        assert caught.value.message.performative == "failure"
        assert asyncio.get_running_loop().time() == 0

    async with Container("c1") as container:
        await ask_in(container, ask)


async def test_who_ends_before_it_answers_has_failed_at_once():
    async def ask(behaviour):
        with pytest.raises(FailedError, match=r"mute@c1.lab.localhost ended in the middle"):
            await behaviour.ask(Message(to="mute"), timeout=60)
        return asyncio.get_running_loop().time()

    async def take(behaviour):
        await behaviour.receive()
        await asyncio.sleep(3)
        await behaviour.agent.stop()

    async with Container("c1") as container:
        await start(container, "mute", do(take))
        assert await ask_in(container, ask) == 3


async def test_who_lives_in_a_container_that_is_lost_has_failed():
    network = MemoryNetwork()
    async with Container("c1", server=network) as c1:
        c2 = Container("c2", server=network)
        await c2.open()
        await start(c2, "deaf", Collect())
        question = asyncio.ensure_future(c1.ask(Message(to="deaf@c2"), timeout=600))
        await asyncio.sleep(1)
        await c2.close()
        with pytest.raises(FailedError, match="deaf@c2"):
            await question
        assert asyncio.get_running_loop().time() < 60


async def test_an_answer_comes_from_another_container():
    network = MemoryNetwork()
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        await start(c2, "echo", Echo())
        answer = await ask_in(c1, lambda b: b.ask(Message(to="echo@c2", body="x"), timeout=5))
        assert (answer.body, answer.sender) == ("x", "echo@c2.lab.localhost")


async def test_answers_come_where_instruments_are_told_of_all():
    class Count(Instrument):
        delivered = 0

        def message_delivered(self, message, receiver):
            self.delivered += 1

    count = Count()
    async with Container("c1") as container:
        container.add_instrument(count)
        await start(container, "echo", Echo())
        answer = await ask_in(container, lambda b: b.ask(Message(to="echo", body="x"), timeout=5))
        assert (answer.body, count.delivered) == ("x", 2)


async def test_a_question_is_to_one_agent():
    async with Container("c1") as container:
        for to in (None, ("a", "b")):
            with pytest.raises(InvalidMessageError, match="gather_answers"):
                await container.ask(Message(to=to))


async def test_a_cancelled_question_is_forgotten():
    async def ask(behaviour):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await behaviour.ask(Message(to="deaf"))
        return behaviour.conversations.expected

    async with Container("c1") as container:
        await start(container, "deaf", Collect())
        assert await ask_in(container, ask) == {}


async def test_a_killed_behaviour_asks_no_more():
    asker = Do(lambda b: b.ask(Message(to="deaf"), timeout=60))
    async with Container("c1") as container:
        await start(container, "deaf", Collect())
        agent = await start(container, "asker", asker, Collect())
        await until_idle()
        asker.kill()
        await asker.join()
        assert container.conversation_service.of(agent).expected == {}


async def test_who_has_ended_asks_no_more():
    async with Container("c1") as container:
        await start(container, "deaf", Collect())
        asker = await start(container, "asker", behaviour := Deaf())
        question = asyncio.ensure_future(behaviour.ask(Message(to="deaf")))
        await until_idle()
        await asker.stop()
        with pytest.raises(ContainerClosedError, match="agent asker has ended in the meantime"):
            await question


async def test_an_agent_may_ask_itself():
    async with Container("c1") as container:
        answer = await ask_in(container, lambda b: b.ask(Message(to="asker", body="me"), 5), Echo())
        assert answer.body == "me"


async def test_a_micro_agent_answers():
    class Double(MicroAgent):
        def handle(self, message):
            self.send_nowait(message.make_reply(body=2 * message.body))

    async with Container("c1") as container:
        await container.start(Double("double"))
        assert (await container.ask(Message(to="double", body="ab"), 1)).body == "abab"


async def test_a_suspended_agent_gets_its_answer_when_it_goes_on():
    asker = Do(lambda b: b.ask(Message(to="echo", body="x"), timeout=60))
    async with Container("c1") as container:
        agent = Agent("asker")
        agent.add_behaviour(asker)
        await container.start(agent)
        agent.suspend()
        await until_idle()
        agent.resume()
        await until_idle()
        assert asker.is_done()  # nobody is there: it has failed
        with pytest.raises(FailedError):
            await asker.join()
