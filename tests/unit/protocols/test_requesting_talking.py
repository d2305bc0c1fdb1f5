"""Protocols of one's own, brokers and recruiters."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import Collect
from tests.unit.protocols.agents import Printer, run

from formicary import Agent, Container, Message
from formicary.errors import FailedError, NoAnswerError, ProtocolError, RefusedError
from formicary.protocols import (
    Agree,
    Brokering,
    Failure,
    Inform,
    Protocol,
    Recruiting,
    Refuse,
    Say,
    responds,
    search,
)
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock

GUESSING = Protocol(
    "guessing",
    [
        ("start", "initiator", "request", "ready"),
        ("ready", "participant", "agree", "guessing"),
        ("ready", "participant", "refuse", "refused"),
        ("guessing", "initiator", "propose", "asked"),
        ("asked", "participant", "reject-proposal", "guessing"),
        ("asked", "participant", "accept-proposal", "found"),
    ],
    timeouts=[("ready", "timeout", "late"), ("asked", "timeout", "late")],
    ends=["refused", "found", "late"],
)


class Keeper(Agent):
    @responds(GUESSING)
    def play(self, message):
        if message.body == "chess":
            raise Refuse("no chess")
        guess = yield Agree()
        while guess.body != "7":
            guess = yield Say("reject-proposal", "less" if int(guess.body) > 7 else "more")
        yield Say("accept-proposal")


async def guess(behaviour):
    low, high = 0, 100
    async with behaviour.converse(GUESSING, "keeper", timeout=5) as talk:
        await talk.send("request", "numbers")
        await talk.receive()
        while True:
            middle = (low + high) // 2
            await talk.send("propose", str(middle))
            answer = await talk.receive()
            if answer.performative == "accept-proposal":
                return middle, talk.state
            low, high = (low, middle) if answer.body == "less" else (middle, high)


async def test_a_protocol_of_ones_own():
    async with Container("c1") as container:
        await container.start(keeper := Keeper("keeper"))
        assert await run(container, guess) == (7, "found")
        assert keeper.conversations.participation._joined == {}
        assert len(container.dead_letters) == 0


async def test_what_ends_it_is_raised_and_what_is_out_of_order_not_sent():
    async def play(behaviour):
        async with behaviour.converse(GUESSING, "keeper", timeout=5) as talk:
            with pytest.raises(
                ProtocolError, match="cannot say 'propose' in the state 'start': it can say req"
            ):
                await talk.send("propose", "1")
            await talk.send("request", "chess")
            with pytest.raises(RefusedError, match="no chess"):
                await talk.receive()
            with pytest.raises(ProtocolError, match="it can say nothing there"):
                await talk.send("request", "chess")
            return True

    async with Container("c1") as container:
        await container.start(Keeper("keeper"))
        assert await run(container, play)


async def test_leaving_it_in_the_middle_cancels():
    async def play(behaviour):
        async with behaviour.converse(GUESSING, "keeper") as talk:
            await talk.send("request")
            await talk.receive()

    async with Container("c1") as container:
        await container.start(keeper := Keeper("keeper"))
        await run(container, play)
        await until_idle()
        assert keeper.conversations.participation._joined == {}


async def test_a_broker_finds_who_can_and_passes_the_answer_on():
    class Broker(Agent):
        @responds(Brokering)
        async def mediate(self, message):
            yield Agree()
            try:
                answer = await self.request(search(type=message.ontology), message.body, timeout=5)
            except FailedError as error:
                raise Failure(str(error)) from error
            yield Inform(answer.body)

    async with Container("c1") as container:
        await container.start(Broker("broker"))
        await container.start(printer := Printer("printer"))
        await printer.directory.register("printer")
        answer = await container.broker("broker", "x", ontology="printer", timeout=9)
        assert (answer.body, answer.sender) == ("printed x", "broker@c1.lab.localhost")
        with pytest.raises(FailedError, match=" found no agent"):
            await container.broker("broker", "x", ontology="scanner", timeout=9)


async def test_a_recruiter_has_another_one_answer():
    class Recruiter(Agent):
        @responds(Recruiting)
        async def recruit(self, message):
            yield Agree()
            recruited = Message(
                to="worker", body=message.body, reply_to=message.sender, reply_with=message.reply_with
            )
            await self.container.dispatcher.send(recruited.replace(sender=self.address))
            await asyncio.sleep(60)

    class Work(Collect):
        async def run(self):
            message = await self.receive()
            await self.reply(message, body=f"done {message.body}")

    async with Container("c1") as container:
        await container.start(Recruiter("recruiter"))
        worker = Agent("worker")
        worker.add_behaviour(Work())
        await container.start(worker)
        answer = await container.recruit("recruiter", "x", timeout=9)
        assert (answer.body, answer.sender) == ("done x", "worker@c1.lab.localhost")


async def test_a_time_out_of_the_table_is_kept():
    async def play(behaviour):
        async with behaviour.converse(GUESSING, "deaf", timeout=2) as talk:
            await talk.send("request")
            with pytest.raises(NoAnswerError):
                await talk.receive()
            return talk.state, asyncio.get_running_loop().time()

    async with Container("c1") as container:
        deaf = Agent("deaf")
        deaf.add_behaviour(Collect())
        await container.start(deaf)
        assert await run(container, play) == ("late", 2)
