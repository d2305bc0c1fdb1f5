"""The contract net: bids in time, one award, the others rejected, and what nobody should do."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import Collect, start
from tests.unit.protocols.agents import Bidder, run

from formicary import Agent, Container, Message
from formicary.errors import FailedError, NoAnswerError, ProtocolError
from formicary.protocols import (
    ContractNet,
    IteratedContractNet,
    Participant,
    Propose,
    Refuse,
    responds,
    role,
    search,
)
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


def name(agent):
    return f"{agent}@c1.lab.localhost"


def now():
    return asyncio.get_running_loop().time()


async def bidders(container, *prices, first=0, **options):
    agents = [Bidder(f"b{number}", price, **options) for number, price in enumerate(prices, first)]
    for agent in agents:
        await container.start(agent)
    return agents


async def cheapest(behaviour, partners, **options):
    async with behaviour.contract_net(partners, "job", **options) as net:
        bids = [bid async for bid in net.bids]
        best = min(bids, key=lambda bid: float(bid.body))
        return await net.award(best), net


async def test_the_best_bid_is_awarded_and_the_others_are_rejected():
    async with Container("c1") as container:
        agents = await bidders(container, 3, 1, 2)
        result, net = await run(container, lambda b: cheapest(b, ["b0", "b1", "b2"], timeout=3))
        await until_idle()
        assert (result.body, result.sender) == ("job done by b1", name("b1"))
        assert [agent.heard for agent in agents] == [
            ["reject-proposal"],
            ["accept-proposal"],
            ["reject-proposal"],
        ]
        assert (net.missing, net.refused, net.failed) == ((), {}, {})
        assert now() == 0
        assert all(agent.conversations.participation._joined == {} for agent in agents)
        assert len(container.dead_letters) == 0


async def test_leaving_without_an_award_rejects_all():
    async def leave(behaviour):
        async with behaviour.contract_net(["b0", "b1"], timeout=3) as net:
            async for _ in net.bids:
                pass

    async with Container("c1") as container:
        agents = await bidders(container, 1, 2)
        await run(container, leave)
        await until_idle()
        assert [agent.heard for agent in agents] == [["reject-proposal"], ["reject-proposal"]]


@pytest.mark.parametrize("others", [1, 300])
async def test_where_the_container_is_closed_at_once_the_others_hear_of_it_all_the_same(others):
    async with Container("c1") as container:
        agents = await bidders(container, *range(1 + others))
        (new,) = await bidders(container, 5, first=1 + others)
        names = [agent.name for agent in agents]
        async with container.contract_net(names, "job", timeout=3) as net:
            await net.award(min([bid async for bid in net.bids], key=lambda bid: int(bid.body)))
        await container.dispatcher.send(
            Message(to=new.name, protocol="fipa-contract-net", performative="cfp")
        )
    assert [agent.heard for agent in agents] == [["accept-proposal"]] + others * [["reject-proposal"]]
    assert [letter.message.performative for letter in container.dead_letters] == ["cfp"]  # it is no end
    assert container.failure_log.total == 0


async def test_who_needs_long_after_a_rejection_is_cancelled_as_the_container_closes():
    class Sad(Agent):
        was_cancelled = False

        @responds(ContractNet)
        async def bid(self, call):
            yield Propose("1")
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                self.was_cancelled = True
                raise

    async with Container("c1") as container:
        await container.start(sad := Sad("sad"))
        async with container.contract_net(["sad"]) as net:
            assert [bid.body async for bid in net.bids] == ["1"]
    assert sad.was_cancelled
    assert now() == 0
    assert (len(container.dead_letters), container.failure_log.total) == (0, 0)


async def test_who_never_answered_is_named_and_the_time_has_an_end():
    class Picky(Agent):
        @responds(ContractNet)
        def bid(self, call):
            raise Refuse("not today")

    async with Container("c1") as container:
        await bidders(container, 1)
        await container.start(Picky("picky"))
        await start(container, "deaf", Collect())
        partners = ["b0", "picky", "deaf", "nobody"]
        result, net = await run(container, lambda b: cheapest(b, partners, timeout=3))
        assert now() == 3
        assert result.body == "job done by b0"
        assert net.missing == (name("deaf"),)
        assert {who: answer.body for who, answer in net.refused.items()} == {name("picky"): "not today"}
        assert isinstance(net.failed[name("nobody")], FailedError)


async def test_a_bid_after_the_deadline_is_not_taken_and_its_bidder_is_told():
    async def wait(behaviour):
        async with behaviour.contract_net(["b0", "b1"], timeout=3) as net:
            bids = [bid.sender async for bid in net.bids]
            await asyncio.sleep(10)
            return bids, net.missing

    async with Container("c1") as container:
        await bidders(container, 1)
        await container.start(late := Bidder("b1", 2, delay=5))
        assert await run(container, wait) == ([name("b0")], (name("b1"),))
        await until_idle()
        assert late.heard == []
        assert late.conversations.participation._joined == {}
        reasons = [letter.reason for letter in container.dead_letters]
        assert any("cannot say 'propose' in the state 'late'" in reason for reason in reasons)


async def test_two_bids_of_one_bidder_are_one():
    async def collect(behaviour):
        async with behaviour.contract_net(["twice"], timeout=3) as net:
            bids = []
            async for bid in net.bids:
                bids.append(bid.body)
                await asyncio.sleep(1)
            return bids

    class Twice(Agent):
        async def setup(self):
            self.add_behaviour(Answer())

    class Answer(Collect):
        async def run(self):
            call = await self.receive()
            if call.performative == "cfp":
                await self.reply(call, body="1", performative="propose")
                await self.reply(call, body="2", performative="propose")
            self.messages.append(call.performative)

    async with Container("c1") as container:
        await container.start(twice := Twice("twice"))
        assert await run(container, collect) == ["1"]
        await until_idle()
        assert twice.behaviours[0].messages == ["cfp", "not-understood", "reject-proposal"]


async def test_an_award_is_for_a_bid_of_this_call_and_only_once():
    async def award(behaviour):
        async with behaviour.contract_net(["b0"], "job") as net:
            (bid,) = [bid async for bid in net.bids]
            with pytest.raises(ProtocolError, match=" made no such proposal in this call"):
                await net.award(Message(sender=name("b9"), performative="propose"))
            with pytest.raises(ProtocolError, match="no such proposal"):
                await net.award(bid.replace(body="0"))
            await net.award(bid)
            with pytest.raises(ProtocolError, match="no such proposal"):
                await net.award(bid)
            return True

    async with Container("c1") as container:
        await bidders(container, 1)
        assert await run(container, award)


async def test_who_was_not_asked_does_not_bid():
    async def forge(behaviour):
        async with behaviour.contract_net(["slow"], timeout=3) as net:
            await asyncio.sleep(1)
            call = slow.behaviours[0].messages[0]
            forged = Message(
                to=call.sender, performative="propose", in_reply_to=call.reply_with, protocol=call.protocol
            )
            await container.dispatcher.send(forged.replace(sender=name("forger")))
            return [bid async for bid in net.bids], net.missing

    async with Container("c1") as container:
        slow = await start(container, "slow", Collect())
        assert await run(container, forge) == ([], (name("slow"),))


async def test_one_who_is_awarded_and_ends_has_failed_at_once():
    class Mortal(Agent):
        @responds(ContractNet)
        async def bid(self, call):
            yield Propose("1")
            await asyncio.sleep(1)
            await self.stop()

    async def award(behaviour):
        async with behaviour.contract_net(["mortal"]) as net:
            (bid,) = [bid async for bid in net.bids]
            with pytest.raises(FailedError, match="ended in the middle"):
                await net.award(bid, timeout=60)
            return now(), list(net.failed)

    async with Container("c1") as container:
        await container.start(Mortal("mortal"))
        assert await run(container, award) == (1, [name("mortal")])


async def test_a_report_that_does_not_come_in_time_is_cancelled():
    class Slow(Agent):
        was_cancelled = False

        @responds(ContractNet)
        async def bid(self, call):
            yield Propose("1")
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                self.was_cancelled = True
                raise

    async def award(behaviour):
        async with behaviour.contract_net(["slow"], timeout=1) as net:
            (bid,) = [bid async for bid in net.bids]
            with pytest.raises(NoAnswerError):
                await net.award(bid, timeout=5)
            return now()

    async with Container("c1") as container:
        await container.start(slow := Slow("slow"))
        assert await run(container, award) == 5
        await until_idle()
        assert slow.was_cancelled


async def test_bidders_as_functions_and_classes():
    class Plain(Agent):
        @responds(ContractNet)
        def bid(self, call):
            return Propose("2")

    class Whole(Agent):
        done = False

        @responds(ContractNet)
        class Bid(Participant):
            def cfp(self, call):
                self.task = call.body
                return Propose("1")

            async def accept_proposal(self, message):
                self.agent.done = True
                return f"{self.task} as {message.body}"

    async def award_both(behaviour):
        async with behaviour.contract_net(["plain", "whole"], "job") as net:
            bids = sorted([bid async for bid in net.bids], key=lambda bid: bid.body)
            return [(await net.award(bid, "agreed")).body for bid in bids]

    async with Container("c1") as container:
        await container.start(Plain("plain"))
        await container.start(whole := Whole("whole"))
        assert await run(container, award_both) == ["job as agreed", ""]
        assert whole.done


async def test_partners_by_service_and_by_role():
    async with Container("c1") as container:
        for agent in await bidders(container, 5, 4):
            await agent.directory.register("carrier")
        result, _ = await run(container, lambda b: cheapest(b, search(type="carrier")))
        assert result.sender == name("b1")
        (first, second) = container.agents
        await first.groups.create("market")
        await second.groups.request_role("market", "carrier")
        result, net = await run(container, lambda b: cheapest(b, role("market", "carrier")))
        assert net.bidders == (name("b1"),)


async def test_a_call_may_be_repeated():
    class Haggler(Agent):
        @responds(IteratedContractNet)
        async def bid(self, call):
            price = 10
            while True:
                answer = yield Propose(str(price))
                if answer.performative != "cfp":
                    break
                price -= 3
            yield f"for {price}"

    async def haggle(behaviour):
        async with behaviour.iterated_contract_net(["h1", "h2"], "job", timeout=1) as net:
            bids = [bid async for bid in net.bids]
            await net.call_again(bids, "cheaper", timeout=1)
            bids = [bid async for bid in net.bids]
            await net.call_again(bids[:1], "cheaper", timeout=1)
            (bid,) = [bid async for bid in net.bids]
            await asyncio.sleep(5)
            return (await net.award(bid)).body

    async with Container("c1") as container:
        await container.start(Haggler("h1"))
        await container.start(Haggler("h2"))
        assert await run(container, haggle) == "for 4"
        await until_idle()
        assert len(container.dead_letters) == 0


async def test_an_award_to_somebody_who_did_not_bid_is_not_understood():
    async with Container("c1") as container:
        await container.start(bidder := Bidder("bidder", 5))

        async def award(behaviour):
            award = Message(
                to="bidder", performative="accept-proposal", protocol="fipa-contract-net", conversation_id="x"
            )
            await behaviour.send(award)
            return await behaviour.receive(5)

        answer = await run(container, award)
        assert answer.performative == "not-understood"
        assert answer.body == "agent bidder has no such conversation, or has ended it"
        assert bidder.heard == []


async def test_a_cancel_that_has_crossed_the_answer_is_no_error():
    async with Container("c1") as container:
        await container.start(Bidder("bidder", 5))

        async def cancel(behaviour):
            cancel = Message(
                to="bidder", performative="cancel", protocol="fipa-contract-net", conversation_id="x"
            )
            await behaviour.send(cancel)
            return await behaviour.receive(5)

        assert await run(container, cancel) is None
        assert len(container.dead_letters) == 0
