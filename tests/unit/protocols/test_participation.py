"""Participants run where their messages come in, up to where they first wait, and are as in a task there."""

from __future__ import annotations

import asyncio
import contextvars

import pytest
from tests.unit.core.agents import do, start
from tests.unit.protocols.agents import run

from formicary import Agent, Container, Limits, Message, MicroAgent
from formicary.errors import FailedError, NoAnswerError
from formicary.protocols import ContractNet, Participant, Propose, Request, responds
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock

PLACE = contextvars.ContextVar("PLACE", default="nowhere")


class Doer(Agent):
    """Does what a test says, with an asynchronous function, generator and class."""

    def __init__(self, function):
        super().__init__("doer")
        self.function = function

    @responds(Request)
    async def do(self, message):
        return await self.function(self, message)


class Stepping(Doer):
    """The same as a generator."""

    @responds(Request)
    async def do(self, message):
        yield await self.function(self, message)


class Whole(Doer):
    """The same as a class."""

    @responds(Request)
    class Do(Participant):
        async def request(self, message):
            return await self.agent.function(self.agent, message)


KINDS = pytest.mark.parametrize("kind", [Doer, Stepping, Whole])


async def same(body):
    return body


def strands(agent):
    return agent.conversations.participation.micro_inbox.handling


async def asked(kind, function, body="x", **options):
    """Ask such an agent; return the agent, and the answer's text."""
    async with Container("c1") as container:
        await container.start(doer := kind(function))
        return doer, (await run(container, lambda b: b.request("doer", body, **options))).body


@KINDS
async def test_who_does_not_wait_needs_no_strand_of_its_own_and_is_in_a_task(kind):
    tasks = []

    async def answer(agent, message):
        tasks.append(asyncio.current_task().get_name())
        return message.body

    doer, said = await asked(kind, answer)
    assert (said, tasks) == ("x", ["doer/responds"])
    assert strands(doer) is None


@KINDS
async def test_who_waits_goes_on_in_the_task_that_it_has_begun_in(kind):
    async def answer(agent, message):
        before, time = asyncio.current_task(), asyncio.get_running_loop().time()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(2):
                await asyncio.sleep(10)
        await asyncio.sleep(0)
        assert asyncio.current_task() is before
        assert before in asyncio.all_tasks()
        return str(asyncio.get_running_loop().time() - time)

    doer, said = await asked(kind, answer)
    assert said == "2.0"
    assert not strands(doer)


@KINDS
async def test_a_time_limit_around_what_does_not_wait_hits_nobody_later(kind):
    async def answer(agent, message):
        async with asyncio.timeout(1):
            said = await same(message.body)
        if message.body == "second":
            await asyncio.sleep(5)
        return said

    async with Container("c1") as container:
        await container.start(kind(answer))
        for body in ("first", "second"):
            assert (await container.request("doer", body)).body == body


@KINDS
async def test_what_is_set_in_a_context_stays_there(kind):
    async def answer(agent, message):
        before = PLACE.get()
        PLACE.set(message.body)
        if message.body == "away":
            await asyncio.sleep(1)
        return f"{before}, {PLACE.get()}"

    async with Container("c1") as container:
        await container.start(kind(answer))
        for body in ("here", "away", "there"):
            assert (await container.request("doer", body)).body == f"nowhere, {body}"
        assert PLACE.get() == "nowhere"


@KINDS
async def test_a_task_that_somebody_keeps_is_no_other_conversations(kind):
    kept = []

    async def answer(agent, message):
        kept.append(asyncio.current_task())
        return message.body

    async with Container("c1") as container:
        await container.start(kind(answer))
        for body in ("1", "2"):
            assert (await container.request("doer", body)).body == body
        assert kept[0] is not kept[1]
        assert all(task.done() and not task.cancelled() for task in kept)


@KINDS
async def test_an_asynchronous_participant_asks_others(kind):
    async def answer(agent, message):
        return (await agent.ask(Message(to="other", body=message.body), timeout=5)).body

    class Other(MicroAgent):
        def handle(self, message):
            self.send_nowait(message.make_reply(body=2 * message.body))

    async with Container("c1") as container:
        await container.start(kind(answer))
        await container.start(Other("other"))
        assert (await container.request("doer", "ab")).body == "abab"


@KINDS
@pytest.mark.parametrize("waits", [False, True])
async def test_one_that_cancels_itself_is_cancelled_where_it_waits(kind, waits):
    seen = []

    async def answer(agent, message):
        asyncio.current_task().cancel()
        try:
            if waits:
                await asyncio.sleep(1)
        except asyncio.CancelledError:
            seen.append(asyncio.get_running_loop().time())
            asyncio.current_task().uncancel()
        return "done"

    doer, said = await asked(kind, answer)
    assert (said, seen, doer.failures) == ("done", [0] if waits else [], 0)


@KINDS
@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize("is_far", [False, True])
async def test_who_has_begun_is_told_where_the_participant_ends_itself(kind, waits, is_far):
    async def answer(agent, message):
        if waits:
            await asyncio.sleep(1)
        await agent.stop()
        return "never said"

    network = MemoryNetwork()
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        await c1.start(doer := kind(answer))
        participation = doer.conversations.participation
        with pytest.raises(FailedError, match="ended in the middle of the conversation"):
            await (c2 if is_far else c1).request("doer@c1", timeout=60)
        await until_idle()
        assert asyncio.get_running_loop().time() < 2
        assert participation._joined == {}
        assert not participation.micro_inbox.handling
        assert doer.failures == 0
        assert len(c1.dead_letters) == 0


@KINDS
async def test_an_error_of_one_that_has_ended_itself_is_a_failure_of_it(kind):
    async def answer(agent, message):
        await agent.stop()
        raise ValueError("a bug")

    async with Container("c1") as container:
        await container.start(doer := kind(answer))
        with pytest.raises(FailedError):
            await container.request("doer", timeout=60)
        assert (doer.failures, doer.last_failure.text) == (1, "a bug")


@KINDS
async def test_one_that_is_cancelled_by_nobody_has_failed(kind):
    async def answer(agent, message):
        raise asyncio.CancelledError

    async with Container("c1") as container:
        await container.start(doer := kind(answer))
        with pytest.raises(NoAnswerError):
            await container.request("doer", timeout=1)
        assert doer.failures == 1
        assert "it was not cancelled" in doer.last_failure.text


@KINDS
async def test_a_conversation_is_under_way_from_its_first_step_on(kind):
    async def answer(agent, message):
        seen.append(agent.conversations.under_way())
        await asyncio.sleep(1)
        seen.append(agent.conversations.under_way())
        return ""

    seen = []
    doer, _ = await asked(kind, answer)
    assert all("conversation" in what for what in seen)
    assert len(seen) == 2
    assert doer.conversations.under_way() is None


@pytest.mark.parametrize("waits", [False, True])
async def test_an_asynchronous_generator_is_closed_after_its_last_word(waits):
    class Tidy(Agent):
        tidied = None

        @responds(Request)
        async def do(self, message):
            try:
                yield "done"
            finally:
                if waits:
                    await asyncio.sleep(3)
                self.tidied = asyncio.get_running_loop().time()

    async with Container("c1") as container:
        await container.start(tidy := Tidy("tidy"))
        assert (await container.request("tidy")).body == "done"
        assert asyncio.get_running_loop().time() == 0
        await asyncio.sleep(4)
        assert tidy.tidied == (3 if waits else 0)
        assert not strands(tidy)


class Slow(Agent):
    """Bids, and notes what it is told."""

    told = ()

    @responds(ContractNet)
    def bid(self, call):
        answer = yield Propose("1")
        self.told += (answer.performative,)
        yield f"told {answer.performative}"


async def full_of_bids(container, partner):
    """Have an agent with a full mailbox call, and award at once; return it, and how it goes on."""
    gate = asyncio.Event()

    async def call(behaviour):
        await behaviour.send(Message(to="asker", body="first"))
        common = {"to": partner, "protocol": "fipa-contract-net", "conversation_id": "x"}
        await behaviour.send(Message(performative="cfp", **common))
        await behaviour.send(Message(performative="accept-proposal", **common))
        await gate.wait()
        return [await behaviour.receive(timeout=5) for _ in range(3)]

    behaviour = do(call)
    agent = await start(container, "asker", behaviour)
    await until_idle()
    return agent, behaviour, gate


async def test_what_finds_a_full_mailbox_is_said_later_and_in_order():
    async with Container("c1", limits=Limits(mailbox=1)) as container:
        await container.start(slow := Slow("slow"))
        _, behaviour, gate = await full_of_bids(container, "slow")
        assert slow.told == ()  # the award waits behind the proposal
        gate.set()
        await behaviour.join()
        assert [message.body for message in behaviour.result] == ["first", "1", "told accept-proposal"]
        assert slow.conversations.participation._joined == {}
        assert len(container.dead_letters) == 0


async def test_who_ends_with_a_full_mailbox_ends_its_conversations():
    async with Container("c1", limits=Limits(mailbox=1)) as container:
        await container.start(slow := Slow("slow"))
        asker, _, _ = await full_of_bids(container, "slow")
        await asker.stop()
        await until_idle()
        assert slow.conversations.participation._joined == {}
        assert not strands(slow)
        assert "propose" in [letter.message.performative for letter in container.dead_letters]
        assert slow.failures == 0


async def test_a_plain_generator_that_ends_its_agent_says_no_more():
    class Mortal(MicroAgent):
        @responds(ContractNet)
        def bid(self, call):
            yield Propose("1")
            self.end_at_once()
            yield "never said"

    async def award(behaviour):
        async with behaviour.contract_net(["mortal"]) as net:
            (bid,) = [bid async for bid in net.bids]
            with pytest.raises(FailedError, match="ended in the middle"):
                await net.award(bid, timeout=60)
            return True

    async with Container("c1") as container:
        await container.start(mortal := Mortal("mortal"))
        assert await run(container, award)
        await until_idle()
        assert mortal.failures == 0
        assert not strands(mortal)
