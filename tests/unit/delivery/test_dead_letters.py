"""Dead letters: each with its reason, and what the sender is told."""

from __future__ import annotations

import asyncio
import logging

import pytest
from tests.unit.core.agents import Collect, Deaf, Echo, do, start

from formicary import Container, Message, Template
from formicary.delivery.dead_letters import DeadLetter, DeadLetters
from formicary.testing import until_idle
from formicary.testing.virtual_clock import STARTS_AT


async def ask(container, **values):
    """Send a message, and return the failure that comes back."""

    async def send(behaviour):
        await behaviour.send(Message(**values))
        return await behaviour.receive(timeout=1)

    asking = do(send)
    agent = await start(container, "asker", asking)
    await asking.join()
    await agent.stop()
    return asking.result


@pytest.mark.virtual_clock
async def test_a_message_to_nobody_is_a_dead_letter_and_its_sender_is_told():
    async with Container("c1") as container:
        await asyncio.sleep(5)
        failure = await ask(
            container,
            to="nobody",
            body="x",
            performative="request",
            protocol="fipa-request",
            thread="t",
            conversation_id="c",
            reply_with="rw",
        )
        (letter,) = container.dead_letters
        assert letter.message.body == "x"
        assert letter.receiver == "nobody@c1.lab.localhost"
        assert letter.reason == "no agent named 'nobody' lives in container c1"
        assert (letter.time - STARTS_AT).total_seconds() == 5
        assert failure == Message(
            to="asker@c1.lab.localhost",
            sender="ams@c1.lab.localhost",
            body=letter.reason,
            performative="failure",
            ontology="fipa-agent-management",
            protocol="fipa-request",
            thread="t",
            conversation_id="c",
            in_reply_to="rw",
            metadata={"receiver": "nobody@c1.lab.localhost"},
        )


@pytest.mark.virtual_clock
@pytest.mark.parametrize(
    ("to", "reason"),
    [
        ("nobody@c1", "no agent named 'nobody' lives in container c1"),
        ("b@c2", "container c1 is connected to no other, so b@c2.lab.localhost cannot be reached"),
        ("b@example.org", "container c1 is connected to no other, so b@example.org cannot be reached"),
        ("strict", "no behaviour of agent strict takes such a message"),
        ("idle", "no behaviour of agent idle takes such a message"),
        ("gone", "no agent named 'gone' lives in container c1"),
    ],
)
async def test_reasons(to, reason):
    async with Container("c1") as container:
        strict = Collect()
        strict.template = Template(thread="t")
        await start(container, "strict", strict)
        await start(container, "idle")
        await (await start(container, "gone")).stop()
        failure = await ask(container, to=to)
        assert failure.body == reason
        assert [letter.reason for letter in container.dead_letters] == [reason]
        assert container.dead_letters.reasons == {reason: 1}


@pytest.mark.virtual_clock
async def test_a_behaviour_that_has_ended_receives_nothing():
    async with Container("c1") as container:
        deaf = Deaf()
        await start(container, "b", deaf)
        asking = asyncio.create_task(ask(container, to="b"))
        await until_idle()
        deaf.kill()
        assert (await asking).body == "behaviour Deaf of agent b ended before it received the message"


@pytest.mark.virtual_clock
async def test_of_several_receivers_those_who_live_get_the_message():
    async with Container("c1") as container:
        collect = Collect()
        await start(container, "b", collect)
        failure = await ask(container, to=("nobody", "b", "b@c7"), body="x")
        assert collect.bodies == ["x"]
        assert failure.get_metadata("receiver") == "nobody@c1.lab.localhost"
        assert [letter.receiver for letter in container.dead_letters if letter.message.body == "x"] == [
            "nobody@c1.lab.localhost",
            "b@c7.lab.localhost",
        ]


@pytest.mark.virtual_clock
async def test_a_failure_that_nobody_takes_is_no_dead_letter():
    async with Container("c1") as container:
        strict = do(lambda behaviour: behaviour.send(Message(to="nobody")))
        strict.template = Template(thread="t")
        await start(container, "a", strict)
        await until_idle()
        assert [letter.message.performative for letter in container.dead_letters] == [None]
        assert container.dead_letters.total == 1


@pytest.mark.virtual_clock
async def test_who_answers_everything_does_not_go_on_for_ever_with_the_management_agent():
    async with Container("c1") as container:
        await start(container, "a", do(lambda behaviour: behaviour.send(Message(to="nobody"))), Echo())
        await asyncio.sleep(10)
        assert container.dead_letters.total <= 4


def letter(number):
    return DeadLetter(Message(to="b", sender="a@c1.lab.localhost"), "b", f"reason {number}", STARTS_AT)


def test_the_latest_are_kept_and_all_are_counted(caplog):
    letters = DeadLetters()
    with caplog.at_level(logging.WARNING):
        for number in range(2500):
            letters.add(letter(number))
    assert letters.total == 2500
    assert len(letters) == 1000
    assert next(iter(letters)).reason == "reason 1500"
    assert len(letters.reasons) <= 1000
    assert 10 < len(caplog.records) < 100
    assert caplog.records[0].getMessage() == "dead letter 1, from a@c1.lab.localhost to b: reason 0"


def test_letters_can_be_added_while_one_looks():
    letters = DeadLetters()
    letters.add(letter(1))
    for _ in letters:
        letters.add(letter(2))
    assert letters.total == 2


async def test_large_bodies_push_older_letters_out():
    letters = DeadLetters()
    for number in range(5):
        message = Message(to="nobody", body=str(number) * 6_000_000)
        letters.add(DeadLetter(message, "nobody@c1.lab.localhost", "no such agent", STARTS_AT))
    assert [letter.message.body[0] for letter in letters] == ["3", "4"]
    assert letters.total == 5


@pytest.mark.virtual_clock
async def test_who_answers_everything_while_the_container_closes_does_not_go_on_for_ever():
    async with Container("c1") as container:
        await start(container, "echo", Echo())

        async def send(behaviour):
            while True:
                await behaviour.send(Message(to="echo", body="x"))
                await behaviour.receive()

        await start(container, "asker", do(send))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    # What the asker did not get, the echo of what tells of it, and what has met the end of either.
    assert container.dead_letters.total <= 3
