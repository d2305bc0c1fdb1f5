"""Full mailboxes: who sends waits, fails or gives up, and nothing is lost without a word."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import Collect, Deaf, do, reasons, start

from formicary import Container, CyclicBehaviour, Limits, Message
from formicary.errors import MailboxFullError
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


def now():
    return asyncio.get_running_loop().time()


class Slow(CyclicBehaviour):
    """Receives one message a second."""

    def __init__(self):
        super().__init__()
        self.bodies = []

    async def run(self):
        await asyncio.sleep(1)
        self.bodies.append((await self.receive()).body)


def sends(*bodies, to="b"):
    async def send(behaviour):
        sent = []
        for body in bodies:
            await behaviour.send(Message(to=to, body=body))
            sent.append(now())
        return sent

    return do(send)


async def test_a_sender_waits_for_room():
    async with Container("c1", limits=Limits(mailbox=2)) as container:
        slow, sending = Slow(), sends(*"abcde")
        await start(container, "b", slow)
        await start(container, "a", sending)
        await asyncio.sleep(10)
        assert slow.bodies == list("abcde")
        assert sending.result == [0, 0, 1, 2, 3]


async def test_each_senders_order_is_kept_while_many_wait():
    async with Container("c1", limits=Limits(mailbox=3)) as container:
        slow = Slow()
        await start(container, "b", slow)
        senders = [sends(*(f"{name}{number}" for number in range(10))) for name in "uvw"]
        for number, sending in enumerate(senders):
            await start(container, f"a{number}", sending)
        await asyncio.sleep(31)
        assert len(slow.bodies) == 30
        for name in "uvw":
            own = [body for body in slow.bodies if body[0] == name]
            assert own == [f"{name}{number}" for number in range(10)]


async def test_a_sender_gives_up_after_the_send_timeout_and_the_message_is_a_dead_letter():
    async with Container("c1", limits=Limits(mailbox=1, send_timeout=5)) as container:
        await start(container, "b", Deaf())
        sending = sends("x", "y")
        await start(container, "a", sending)
        sentence = "the mailbox of behaviour Deaf of agent b had no room for 5 s"
        with pytest.raises(MailboxFullError, match=sentence):
            await sending.join()
        assert now() == 5
        (letter,) = container.dead_letters
        assert (letter.message.body, letter.receiver, letter.reason) == ("y", "b@c1.lab.localhost", sentence)


async def test_a_container_may_fail_at_once():
    async with Container("c1", limits=Limits(mailbox=1, when_full="fail")) as container:
        await start(container, "b", Deaf())
        sending = sends("x", "y")
        await start(container, "a", sending)
        with pytest.raises(MailboxFullError, match="behaviour Deaf of agent b is full"):
            await sending.join()
        assert now() == 0
        assert reasons(container) == ["the mailbox of behaviour Deaf of agent b is full"]


async def test_a_sender_may_be_cancelled_while_it_waits_and_the_message_is_a_dead_letter():
    async def send(behaviour):
        await behaviour.send(Message(to="b", body="x"))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(2):
                await behaviour.send(Message(to="b", body="y"))
        return now()

    async with Container("c1", limits=Limits(mailbox=1)) as container:
        deaf, sending = Deaf(), do(send)
        await start(container, "b", deaf)
        await start(container, "a", sending)
        await sending.join()
        assert sending.result == 2
        assert deaf.mailbox_size() == 1
        (letter,) = container.dead_letters
        assert letter.message.body == "y"
        assert letter.reason.endswith("behaviour Deaf of agent b to have room: it was cancelled")


async def test_a_sender_that_is_killed_while_it_waits_leaves_its_message_as_a_dead_letter():
    async with Container("c1", limits=Limits(mailbox=1)) as container:
        await start(container, "b", Deaf())
        sending = sends("x", "y")
        await start(container, "a", sending)
        await until_idle()
        sending.kill()
        await sending.join()
        assert [letter.message.body for letter in container.dead_letters] == ["y"]


async def test_of_two_that_wait_one_gets_the_place_of_one_that_is_cancelled_in_its_turn():
    async with Container("c1", limits=Limits(mailbox=1)) as container:
        slow, first, second = Slow(), sends("x", "y"), sends("z")
        await start(container, "b", slow)
        await start(container, "a", first)
        await start(container, "c", second)
        loop = asyncio.get_running_loop()
        loop.call_at(1, lambda: loop.call_soon(first.kill))  # in the turn in which there is room
        await asyncio.sleep(5)
        await second.join()
        bodies = slow.bodies + [letter.message.body for letter in container.dead_letters]
        assert sorted(bodies) == ["x", "y", "z"]
        assert "z" in slow.bodies


async def test_the_receivers_with_room_get_their_message_at_once_and_the_others_when_they_have():
    async with Container("c1", limits=Limits(mailbox=1)) as container:
        slow, collect, other = Slow(), Collect(), Slow()
        await start(container, "slow", slow)
        await start(container, "collect", collect)
        await start(container, "other", other)
        sending = sends("1", "2", "3", to=("slow", "collect", "other"))
        await start(container, "a", sending)
        await until_idle()
        assert collect.bodies == ["1", "2"]
        await asyncio.sleep(10)
        assert slow.bodies == collect.bodies == other.bodies == ["1", "2", "3"]
        assert reasons(container) == []


async def test_only_the_receivers_without_room_lose_a_message():
    async with Container("c1", limits=Limits(mailbox=1, send_timeout=3)) as container:
        await start(container, "deaf", Deaf())
        collect = Collect()
        await start(container, "collect", collect)
        sending = sends("1", "2", to=("deaf", "collect"))
        await start(container, "a", sending)
        with pytest.raises(MailboxFullError):
            await sending.join()
        assert collect.bodies == ["1", "2"]
        assert [letter.receiver for letter in container.dead_letters] == ["deaf@c1.lab.localhost"]


async def test_a_sender_that_waits_is_freed_when_the_receiver_ends():
    async with Container("c1", limits=Limits(mailbox=1)) as container:
        deaf, sending = Deaf(), sends("x", "y")
        await start(container, "b", deaf)
        await start(container, "a", sending)
        await until_idle()
        deaf.kill()
        await sending.join()
        assert sorted(reasons(container)) == [
            "behaviour Deaf of agent b ended before it received the message",
            "the mailbox of behaviour Deaf of agent b ended before it had room for the message",
        ]


async def test_messages_to_a_suspended_agent_fill_its_mailbox_and_no_more():
    async with Container("c1", limits=Limits(mailbox=2)) as container:
        collect, sending = Collect(), sends(*"vwxyz")
        agent = await start(container, "b", collect)
        await until_idle()
        agent.suspend()
        await start(container, "a", sending)
        await asyncio.sleep(5)
        assert (collect.mailbox_size(), sending.is_done()) == (2, False)
        agent.resume()
        await sending.join()
        await until_idle()
        assert collect.bodies == list("vwxyz")


async def test_of_two_behaviours_that_want_a_message_each_gets_it_once():
    async with Container("c1", limits=Limits(mailbox=1)) as container:
        slow, collect = Slow(), Collect()
        await start(container, "b", slow, collect)
        await start(container, "a", sends(*"xyz"))
        await asyncio.sleep(10)
        assert slow.bodies == collect.bodies == ["x", "y", "z"]
