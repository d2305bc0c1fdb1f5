"""Designs of delivery: what each does with a message, and what becomes of those that cannot be delivered."""

import asyncio

import pytest

from formicary import Agent, CyclicBehaviour, Instrument, Limits, Message, OneShotBehaviour
from formicary.errors import MailboxFullError
from formicary.testing import until_idle
from formicary_bench.subjects.variants.delivery import path
from formicary_bench.subjects.variants.delivery.design import DesignedContainer
from formicary_bench.subjects.variants.delivery.designs import AGENTS, MAKE
from formicary_bench.vocabulary.values import BUFFER, CHAIN, COPIED, DELIVERIES, ENCODED, HAND_OVER, POOL

pytestmark = pytest.mark.virtual_clock


class Collect(CyclicBehaviour):
    def __init__(self):
        super().__init__()
        self.got = []

    async def run(self):
        self.got.append(await self.receive())


class Say(OneShotBehaviour):
    def __init__(self, *messages):
        super().__init__()
        self.messages = messages
        self.error = None

    async def run(self):
        for message in self.messages:
            try:
                await self.send(message)
            except MailboxFullError as error:
                self.error = error


async def start(container, name, behaviour):
    agent = Agent(name)
    agent.add_behaviour(behaviour)
    await container.start(agent)
    return behaviour


async def carry(design, *messages):
    """Return what arrives of some messages, by a design."""
    async with DesignedContainer("c1", MAKE[design]()) as home:
        there = await start(home, "there", Collect())
        await start(home, "here", Say(*messages))
        await until_idle()
    return there.got


@pytest.mark.parametrize("design", [HAND_OVER, POOL, BUFFER, CHAIN])
async def test_a_message_arrives_as_it_is(design):
    message = Message(to="there@c1.lab.localhost", body="hello")
    (got,) = await carry(design, message)
    assert got is message


@pytest.mark.parametrize("design", [COPIED, ENCODED])
async def test_a_copy_arrives(design):
    message = Message(to="there@c1.lab.localhost", body=b"hello", metadata={"a": "b"})
    (got,) = await carry(design, message)
    assert got == message
    assert got is not message
    assert got.sender == "here@c1.lab.localhost"
    assert got.metadata == {"a": "b"}


async def test_only_encoding_copies_the_body():
    body = "hello" * 10
    (deep,) = await carry(COPIED, Message(to="there@c1.lab.localhost", body=body))
    (encoded,) = await carry(ENCODED, Message(to="there@c1.lab.localhost", body=body))
    assert deep.body is body
    assert encoded.body is not body


async def test_what_cannot_be_copied_is_a_dead_letter_and_its_sender_is_told():
    async with DesignedContainer("c1", MAKE[ENCODED]()) as home:
        there = await start(home, "there", Collect())
        here = await start(home, "here", Collect())
        here.agent.add_behaviour(Say(Message(to="there@c1.lab.localhost", body="\ud800")))
        await until_idle()
        assert home.dead_letters.total
    assert there.got == []


@pytest.mark.parametrize("design", DELIVERIES)
async def test_instruments_are_told_of_every_message(design):
    told = []

    class Watch(Instrument):
        def message_delivered(self, message, receiver):
            told.append((message.body, receiver.partition("@")[0]))

    async with DesignedContainer("c1", MAKE[design]()) as home:
        home.add_instrument(Watch())
        await start(home, "there", Collect())
        await start(home, "here", Say(Message(to="there", body="1"), Message(to="there", body="2")))
        await until_idle()
    assert [one for one in told if one[1] == "there"] == [("1", "there"), ("2", "there")]


@pytest.mark.parametrize("design", DELIVERIES)
async def test_what_is_still_on_its_way_at_the_end_fails(design):
    async with DesignedContainer("c1", MAKE[design]()) as home:
        there = await start(home, "there", Collect())
        await start(home, "here", Say(*(Message(to="there", body=str(number)) for number in range(60))))
        await asyncio.sleep(0)  # the sender has had its turn, and not all others
    bodies = [message.body for message in [*there.got, *(one.message for one in home.dead_letters)]]
    assert sorted(bodies, key=int) == [str(number) for number in range(60)]
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]


async def test_what_waits_in_the_outbox_at_the_end_fails():
    design = MAKE[POOL]()
    async with DesignedContainer("c1", design) as home:
        there = await start(home, "there", Collect())
        for worker in design._workers:
            worker.cancel()
        await start(home, "here", Say(Message(to="there", body="lost")))
        await until_idle()
    assert there.got == []
    (letter,) = home.dead_letters
    assert (letter.message.body, letter.receiver) == ("lost", "there@c1.lab.localhost")
    assert "before the message was out of its outbox" in letter.reason


async def test_what_a_chain_ends_with_is_a_dead_letter_without_its_envelope():
    async with DesignedContainer("c1", MAKE[CHAIN]()) as home:
        await start(home, "there", Collect())
        for agent in home.agents:
            if agent.name == AGENTS[1]:
                await agent.stop()
        await start(home, "here", Say(Message(to="there", body="lost")))
        await until_idle()
        letter = next(iter(home.dead_letters))
    assert (letter.message.body, letter.receiver) == ("lost", "there@c1.lab.localhost")


async def test_an_agent_of_a_chain_takes_no_message_for_itself():
    async with DesignedContainer("c1", MAKE[CHAIN]()) as home:
        await start(home, "here", Say(Message(to=AGENTS[0], body="hello")))
        await until_idle()
        assert "takes no messages for itself" in next(iter(home.dead_letters)).reason


async def test_senders_wait_for_a_way_and_fail_in_the_end(monkeypatch):
    monkeypatch.setattr(path, "LIMIT", 2)
    design = MAKE[POOL]()
    async with DesignedContainer("c1", design, limits=Limits(when_full="fail")) as home:
        await start(home, "there", Collect())
        for worker in design._workers:
            worker.cancel()
        here = await start(home, "here", Say(*(Message(to="there", body=str(n)) for n in range(3))))
        await until_idle()
        assert "the path to there@c1.lab.localhost is full" in str(here.error)
    assert sorted(letter.message.body for letter in home.dead_letters) == ["0", "1", "2"]


async def test_senders_go_on_when_a_way_has_room_again(monkeypatch):
    monkeypatch.setattr(path, "LIMIT", 1)
    messages = [Message(to="there@c1.lab.localhost", body=str(number)) for number in range(50)]
    assert await carry(BUFFER, *messages) == messages


async def test_ways_to_nobody_are_forgotten():
    async with DesignedContainer("c1", MAKE[POOL]()) as home:
        await start(home, "here", Say(*(Message(to=f"nobody-{number}") for number in range(20))))
        await until_idle()
        lost = [letter for letter in home.dead_letters if letter.receiver.startswith("nobody")]
        assert len(lost) == 20
        assert not [name for name in home.paths._all if name.startswith("nobody")]
