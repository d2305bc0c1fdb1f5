"""Requests and their like: the other one's answer is a result, or an exception with its message."""

from __future__ import annotations

import asyncio
import gc
import tracemalloc

import pytest
from tests.unit.core.agents import Collect, Echo, start
from tests.unit.protocols.agents import Printer, run

from formicary import Agent, Container, Message, MicroAgent, Services
from formicary.errors import FailedError, NoAnswerError, NotUnderstoodError, RefusedError
from formicary.protocols import (
    Accept,
    Agree,
    Inform,
    Proposing,
    QueryIf,
    Reject,
    Request,
    Subscribe,
    responds,
    search,
)
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock


async def printing(body, **options):
    """Have a printer asked; return the answer, and the printer."""
    async with Container("c1") as container:
        await container.start(printer := Printer("printer"))
        return await run(container, lambda b: b.request("printer", body, **options)), printer


async def test_a_request_gets_its_result():
    answer, _ = await printing("report.pdf", timeout=5)
    assert (answer.body, answer.performative, answer.protocol) == (
        "printed report.pdf",
        "inform",
        "fipa-request",
    )


@pytest.mark.parametrize(
    ("body", "error", "said"),
    [
        ("refuse", RefusedError, "printer@c1.lab.localhost refused: no paper"),
        ("fail", FailedError, "printer@c1.lab.localhost failed: on fire"),
        ("break", FailedError, " failed: ValueError: a bug"),
        ("nonsense", FailedError, "returned 17: it must return text"),
        ("error", FailedError, r"returned ValueError\('a bug'\): it must return text"),
        ("stop", FailedError, "ended in the middle of the conversation"),
    ],
)
async def test_what_is_no_result_is_an_exception_with_its_message(body, error, said):
    async with Container("c1") as container:
        await container.start(Printer("printer"))

        async def ask(behaviour):
            with pytest.raises(error, match=said) as caught:
                await behaviour.request("printer", body, timeout=60)
            assert asyncio.get_running_loop().time() == 0
            return caught.value

        caught = await run(container, ask)
        assert body == "stop" or caught.message.performative in {"refuse", "failure"}


class Untidy(Agent):
    """A generator whose last lines fail, after it has answered."""

    @responds(Request)
    def tidy(self, message):
        try:
            yield f"tidied {message.body}"
        finally:
            self.was_in_a_task = asyncio.current_task() is not None
            raise ValueError("a mess")


async def test_what_a_generator_raises_after_its_answer_is_a_failure_of_its_agent_only():
    async with Container("c1") as container:
        await container.start(untidy := Untidy("untidy"))
        answer = await run(container, lambda b: b.request("untidy", "the desk"))
        assert answer.body == "tidied the desk"
        assert untidy.last_failure.part == "responds"
        assert not untidy.was_in_a_task  # a plain generator needs none
        again = await run(container, lambda b: b.request("untidy", "the room"))
        assert again.body == "tidied the room"


async def test_a_function_that_raises_is_a_failure_of_its_agent():
    async with Container("c1") as container:
        await container.start(printer := Printer("printer"))
        with pytest.raises(FailedError):
            await container.request("printer", "break")
        assert printer.last_failure.part == "print"
        with pytest.raises(ValueError, match="a bug"):
            await printer.join()


async def test_the_time_ends_by_a_cancel():
    async def ask(behaviour):
        with pytest.raises(NoAnswerError, match="printer@c1") as caught:
            await behaviour.request("printer", "wait", timeout=3)
        assert caught.value.missing == ("printer@c1.lab.localhost",)
        assert asyncio.get_running_loop().time() == 3

    async with Container("c1") as container:
        await container.start(printer := Printer("printer"))
        await run(container, ask)
        await until_idle()
        assert printer.cancelled == 1
        assert len(container.dead_letters) == 0
        assert printer.conversations.participation._joined == {}


async def test_whoever_is_cancelled_cancels():
    async def ask(behaviour):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await behaviour.request("printer", "wait")

    async with Container("c1") as container:
        await container.start(printer := Printer("printer"))
        await run(container, ask)
        await until_idle()
        assert printer.cancelled == 1


async def test_an_agree_is_no_answer_and_a_generator_goes_on_after_it():
    class Slow(Agent):
        @responds(Request)
        async def work(self, message):
            yield Agree()
            await asyncio.sleep(2)
            yield Inform(message.body, language="x")

    async with Container("c1") as container:
        await container.start(Slow("slow"))
        answer = await run(container, lambda b: b.request("slow", "y", timeout=3))
        assert (answer.body, answer.language) == ("y", "x")
        assert asyncio.get_running_loop().time() == 2


async def test_plain_functions_and_micro_agents_answer_without_a_strand_of_their_own():
    class Double(MicroAgent):
        @responds(Request)
        def double(self, message):
            return 2 * message.body

    async with Container("c1") as container:
        await container.start(double := Double("double"))
        assert (await container.request("double", "ab")).body == "abab"
        assert double.conversations.participation.micro_inbox.handling is None


async def test_a_plain_function_is_called_once_whatever_it_returns():
    class Counter(Agent):
        calls = 0

        @responds(Request)
        def count(self, message):
            self.calls += 1
            if message.body == "raise":
                raise ValueError("a bug")
            return {"nothing": None, "number": 7}.get(message.body, message.body)

    async with Container("c1") as container:
        await container.start(counter := Counter("counter"))
        assert (await container.request("counter", "nothing")).body == ""
        assert (await container.request("counter", "text")).body == "text"
        for body, said in (("number", "returned 7"), ("raise", "ValueError: a bug")):
            with pytest.raises(FailedError, match=said):
                await container.request("counter", body)
        assert counter.calls == 4
        assert counter.failures == 2
        assert counter.conversations.participation._joined == {}


async def test_many_conversations_of_one_agent_are_kept_apart():
    async with Container("c1") as container:
        await container.start(Printer("printer"))

        async def ask(behaviour):
            return await asyncio.gather(*(behaviour.request("printer", str(n)) for n in range(100)))

        answers = await run(container, ask)
        assert [answer.body for answer in answers] == [f"printed {n}" for n in range(100)]


async def test_who_takes_no_part_has_not_heard():
    async with Container("c1") as container:
        await start(container, "deaf", Collect())
        with pytest.raises(NoAnswerError):
            await container.request("deaf", "x", timeout=1)
        with pytest.raises(FailedError, match="no agent named"):
            await container.request("nobody", "x")


async def test_a_behaviour_takes_part_by_hand():
    async with Container("c1") as container:
        await start(container, "echo", Echo())
        assert (await container.request("echo", "x", timeout=1)).body == "x"


async def test_a_query_and_a_proposal():
    class Wise(Agent):
        @responds(QueryIf)
        def know(self, message):
            return "true" if message.body == "1 < 2" else "false"

        @responds(Proposing)
        def decide(self, message):
            return Accept() if message.body == "tea" else Reject("no")

    async with Container("c1") as container:
        await container.start(Wise("wise"))
        assert (await container.query_if("wise", "1 < 2")).body == "true"
        assert (await container.propose("wise", "tea")).performative == "accept-proposal"
        with pytest.raises(RefusedError, match="rejected the proposal: no"):
            await container.propose("wise", "coffee")


async def test_a_subscription_ends_with_its_block():
    class Clock(Agent):
        ticks = 0

        @responds(Subscribe)
        async def tick(self, message):
            while True:
                yield Inform(str(self.ticks))
                self.ticks += 1
                await asyncio.sleep(1)

    async def listen(behaviour):
        heard = []
        async with behaviour.subscribe("clock") as news:
            async for message in news:
                heard.append(message.body)
                if len(heard) == 3:
                    break
        return heard

    async with Container("c1") as container:
        await container.start(clock := Clock("clock"))
        assert await run(container, listen) == ["0", "1", "2"]
        await until_idle()
        assert clock.conversations.participation._joined == {}
        assert len(container.dead_letters) == 0


async def test_a_message_out_of_order_is_told_to_both():
    class Twice(Agent):
        async def setup(self):
            self.heard = Collect()
            self.add_behaviour(self.heard)

    async with Container("c1") as container:
        await container.start(twice := Twice("twice"))
        question = asyncio.ensure_future(container.request("twice", "x", timeout=9))
        await until_idle()
        (asked,) = twice.heard.messages

        async def answer(*performatives):
            for performative in performatives:
                await container.dispatcher.send(
                    asked.make_reply(performative=performative).replace(sender=twice.address)
                )

        await answer("propose")
        assert not question.done()
        reason = "in fipa-request, the participant cannot say 'propose' in the state 'asked'"
        assert [letter.reason[: len(reason)] for letter in container.dead_letters] == [reason]
        await until_idle()
        assert twice.heard.messages[1].performative == "not-understood"
        assert twice.heard.messages[1].body.startswith(reason)
        await answer("not-understood")
        with pytest.raises(NotUnderstoodError):
            await question


async def test_a_lenient_container_counts_it_and_passes_it_on():
    collect = Collect()
    async with Container("c1", services=Services(conversation_rules="lenient")) as container:
        await start(container, "other", others := Collect())
        asker = await start(container, "asker", collect)
        question = asyncio.ensure_future(asker.request("other", "x", timeout=9))
        await until_idle()
        (asked,) = others.messages
        await others.send(asked.make_reply(performative="propose"))
        await until_idle()
        assert [message.performative for message in collect.messages] == ["propose"]
        assert container.conversation_service.out_of_order == 1
        await others.send(asked.make_reply())
        await question


async def test_partners_are_found_by_what_they_offer():
    async with Container("c1") as container:
        await container.start(printer := Printer("printer"))
        await printer.directory.register("printer")
        assert (await container.request(search(type="printer"), "x")).body == "printed x"
        with pytest.raises(FailedError, match=" found no agent"):
            await container.request(search(type="scanner"), "x")


async def test_a_participant_in_another_container_that_ends_has_failed():
    network = MemoryNetwork()
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        await c2.start(printer := Printer("printer"))
        question = asyncio.ensure_future(c1.request("printer@c2", "wait"))
        await asyncio.sleep(1)
        await printer.stop()
        with pytest.raises(FailedError, match="agent printer ended in the middle of the conversation"):
            await question
        assert asyncio.get_running_loop().time() < 2


async def test_a_suspended_participant_answers_when_it_goes_on():
    async with Container("c1") as container:
        await container.start(printer := Printer("printer"))
        printer.suspend()
        question = asyncio.ensure_future(container.request("printer", "x"))
        await until_idle()
        assert not question.done()
        printer.resume()
        assert (await question).body == "printed x"


async def test_an_agent_may_have_a_conversation_with_itself():
    async with Container("c1") as container:
        await container.start(printer := Printer("printer"))
        assert (await printer.request("printer", "x", timeout=5)).body == "printed x"


async def test_who_uses_no_protocol_is_answered_by_behaviours():
    class Both(Printer):
        async def setup(self):
            self.add_behaviour(Echo())

    async with Container("c1") as container:
        await container.start(Both("both"))
        assert (await container.ask(Message(to="both", body="plain"))).body == "plain"
        assert (await container.request("both", "x")).body == "printed x"


async def test_a_forged_answer_is_not_taken_and_the_true_one_is():
    class Forger(MicroAgent):
        def handle(self, message):
            self.send_nowait(
                Message(
                    to=message.metadata["asker"],
                    performative="inform",
                    body="forged",
                    in_reply_to=message.metadata["name"],
                    conversation_id=message.metadata["name"],
                    protocol="fipa-request",
                )
            )

    class Careless(Agent):
        @responds(Request)
        async def tell(self, message):
            name = {"asker": message.sender, "name": message.reply_with}
            forger.send_nowait(Message(to="forger", metadata=name))
            await asyncio.sleep(1)
            return "true"

    async with Container("c1") as container:
        await container.start(forger := Forger("forger"))
        await container.start(Careless("careless"))
        answer = await run(container, lambda b: b.request("careless", "x", timeout=5))
        assert answer.body == "true"
        assert [letter.message.body for letter in container.dead_letters] == ["forged"]


async def test_ten_thousand_conversations_of_one_agent_take_at_most_two_kilobytes_each():
    class Silent(MicroAgent):
        def handle(self, message):
            pass

    count = 10_000
    async with Container("c1") as container:
        await container.start(Silent("silent"))
        await container.start(asker := Agent("asker"))
        with pytest.raises(NoAnswerError):
            await asker.request("silent", timeout=1)
        gc.collect()
        tracemalloc.start()
        try:
            tasks = [asyncio.create_task(asker.request("silent", "x")) for _ in range(count)]
            await asyncio.sleep(1)
            assert len(asker.conversations.expected) == count
            assert tracemalloc.get_traced_memory()[0] / count <= 2000
        finally:
            tracemalloc.stop()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert asker.conversations.expected == {}
