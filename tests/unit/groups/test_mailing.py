"""Sending to all who play a role, and to one of them."""

from __future__ import annotations

import asyncio
from datetime import datetime

import pytest
from tests.unit.core.agents import EVERYTHING, Collect, Deaf, start
from tests.unit.groups.crew import begin, distributor, full, joined

from formicary import Container, Instrument, Limits, Message, Services
from formicary.errors import (
    ContainerClosedError,
    InvalidMessageError,
    MailboxFullError,
    NobodyError,
    NoSuchGroupError,
    NotAMemberError,
)
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


class Late(Collect):
    """Receives only once it is released."""

    def __init__(self):
        super().__init__()
        self.release = asyncio.Event()

    async def on_start(self):
        await self.release.wait()


class Sent(Instrument):
    """Keeps what is sent and delivered."""

    def __init__(self):
        self.sent = []
        self.delivered = []

    def message_sent(self, message):
        self.sent.append(message)

    def message_delivered(self, message, receiver):
        self.delivered.append(receiver)


async def market(first, *others, role="seller"):
    """Have an agent create a group, and others play a role there."""
    await first.groups.create("market")
    await asyncio.sleep(1)
    for agent in others:
        await agent.groups.request_role("market", role)
    await asyncio.sleep(1)


@pytest.mark.parametrize("directory", ["replica", "central"])
async def test_all_others_who_play_the_role_get_it_with_all_that_it_says(directory):
    sent = Message("nobody@c9", **EVERYTHING)
    async with joined("c1", "c2", "c3", services=Services(directory=directory)) as (c1, c2, c3, _):
        alice, bob, idle = await begin(c1, "alice", "bob", "idle")
        carol, dave = await begin(c2, "carol", "dave")
        (erin,) = await begin(c3, "erin")
        await market(alice, bob, carol, dave, erin)
        assert await alice.groups.send(sent, "market", "seller") == 4
        assert await bob.groups.send(Message(body="two"), "market", "seller") == 3
        assert await erin.groups.send(Message(body="three"), "market") == 4
        await until_idle()
        for agent in (bob, carol, dave, erin):
            got = agent.messages[0]
            expected = {"to": agent.address, "sender": alice.address, "reply_to": "other@c1.lab.localhost"}
            assert got == sent.replace(**expected)
            assert got.make_reply().sender == agent.address
        bodies = {"alice": ["three"], "bob": [b"\x00\xff", "three"], "carol": [b"\x00\xff", "two", "three"]}
        for agent in (alice, bob, carol):
            assert sorted(agent.bodies, key=str) == sorted(bodies[agent.name], key=str)
        assert erin.bodies == [b"\x00\xff", "two"]
        assert idle.bodies == []
        assert c1.dead_letters.total == c2.dead_letters.total == c3.dead_letters.total == 0


async def test_one_message_goes_to_each_container_and_not_to_each_member():
    async with joined("c1", "c2", "c3") as (c1, c2, c3, _):
        (alice,) = await begin(c1, "alice")
        sellers = [*await begin(c2, *"bcdefg"), *await begin(c3, *"hijkl")]
        await market(alice, *sellers)
        seen, got = Sent(), Sent()
        c1.add_instrument(seen)
        c2.add_instrument(got)
        assert await alice.groups.send(Message(body="all"), "market", "seller") == 11
        await until_idle()
        assert [message.to for message in seen.sent] == [distributor(c2), distributor(c3)]
        assert got.delivered == [*(seller.address for seller in sellers[:6]), distributor(c2)]
        assert [seller.bodies for seller in sellers] == [["all"]] * 11


async def test_with_instruments_every_message_in_the_container_is_told():
    async with Container("c1") as c1:
        alice, bob, carol = await begin(c1, "alice", "bob", "carol")
        await market(alice, bob, carol)
        seen = Sent()
        c1.add_instrument(seen)
        await alice.groups.send(Message(body="all"), "market")
        assert [message.to for message in seen.sent] == seen.delivered == full("bob@c1", "carol@c1")


async def test_messages_of_one_sender_come_in_their_order():
    async with joined("c1", "c2") as (c1, c2, _):
        (alice,), (bob, carol) = await begin(c1, "alice"), await begin(c2, "bob", "carol")
        await market(alice, bob)
        for number in range(50):
            await alice.groups.send(Message(body=f"{number} to all"), "market")
            await alice.send(Message("bob@c2", body=f"{number} to bob"))
        await until_idle()
        assert bob.bodies == [f"{number} to {whom}" for number in range(50) for whom in ("all", "bob")]
        assert carol.bodies == []


async def test_one_of_a_role_is_chosen_in_turn():
    async with joined("c1", "c2") as (c1, c2, _):
        alice, bob = await begin(c1, "alice", "bob")
        carol, dave = await begin(c2, "carol", "dave")
        await market(alice, alice, bob, carol)

        async def turns(count):
            message = Message(body="one")
            chosen = [await alice.groups.send_to_one(message, "market", "seller") for _ in range(count)]
            return [name.partition("@")[0] for name in chosen]

        assert sorted(await turns(2)) == ["bob", "carol"]
        first, second = await turns(2)
        assert {first, second} == {"bob", "carol"}
        assert await turns(3) == [first, second, first]
        await dave.groups.request_role("market", "seller")
        await asyncio.sleep(1)
        assert await turns(4) == ["dave", second, first, "dave"]
        await until_idle()
        await dave.stop()
        await asyncio.sleep(1)
        assert await turns(3) == [second, first, second]
        await until_idle()
        assert len(bob.messages) + len(carol.messages) + len(dave.messages) == 14
        assert {message.to for message in carol.messages} == {carol.address}
        assert {message.sender for message in carol.messages} == {alice.address}


async def test_who_is_not_a_member_may_not_send():
    async with joined("c1", "c2") as (c1, c2, _):
        (alice, bob), (carol,) = await begin(c1, "alice", "bob"), await begin(c2, "carol")
        await market(alice, carol)
        for agent in (bob,):
            for sending in (agent.groups.send, agent.groups.send_to_one):
                with pytest.raises(
                    NotAMemberError, match=r"bob@c1\.lab\.localhost is not in the group 'market'"
                ):
                    await sending(Message(body="x"), "market")
                with pytest.raises(NoSuchGroupError, match="no group 'fair' in the community 'public'"):
                    await sending(Message(body="x"), "fair")
        await carol.groups.leave("market")
        with pytest.raises(NotAMemberError):
            await carol.groups.send(Message(body="x"), "market")
        assert alice.messages == []


async def test_a_role_that_nobody_else_plays():
    async with Container("c1") as c1:
        (alice,) = await begin(c1, "alice")
        await market(alice, alice)
        assert await alice.groups.send(Message(body="x"), "market") == 0
        assert await alice.groups.send(Message(body="x"), "market", "buyer") == 0
        for role, words in ((None, "is a member"), ("seller", "plays the role 'seller'"), ("buyer", "buyer")):
            with pytest.raises(NobodyError, match=f"no other agent .*{words}.* in the group 'market'"):
                await alice.groups.send_to_one(Message(body="x"), "market", role)
        assert alice.messages == []


async def test_what_no_other_process_could_read_goes_to_nobody():
    async with joined("c1", "c2") as (c1, c2, _):
        (alice, bob), (carol,) = await begin(c1, "alice", "bob"), await begin(c2, "carol")
        await market(alice, bob, carol)
        for wrong in ({"thread": 3}, {"reply_by": datetime(2030, 1, 1)}):  # noqa: DTZ001 -- it has no time zone
            with pytest.raises(InvalidMessageError):
                await alice.groups.send(Message(body="x", **wrong), "market")
        await until_idle()
        assert bob.messages == carol.messages == []


async def test_a_full_mailbox_here_makes_the_sender_wait_and_the_others_have_it():
    async with Container("c1", limits=Limits(mailbox=2, send_timeout=5)) as c1:
        alice, bob = await begin(c1, "alice", "bob")
        deaf = await start(c1, "deaf", Deaf())
        await market(alice, bob, deaf)
        for number in range(2):
            await alice.groups.send(Message(body=f"{number}"), "market", "seller")
        began = asyncio.get_running_loop().time()
        with pytest.raises(MailboxFullError, match="had no room for 5 s"):
            await alice.groups.send(Message(body="2"), "market", "seller")
        assert asyncio.get_running_loop().time() - began == 5
        assert bob.bodies == ["0", "1", "2"]
        assert [letter.receiver for letter in c1.dead_letters] == full("deaf@c1")
    async with Container("c2", limits=Limits(mailbox=1, when_full="fail")) as c2:
        alice, bob = await begin(c2, "alice", "bob")
        deaf = await start(c2, "deaf", Deaf())
        await market(alice, deaf, bob)
        await alice.groups.send(Message(body="0"), "market")
        with pytest.raises(MailboxFullError, match="is full"):
            await alice.groups.send(Message(body="1"), "market")
        await until_idle()
        assert bob.bodies == ["0", "1"]


async def test_a_full_mailbox_elsewhere_makes_senders_to_the_group_wait_until_it_has_room():
    async with joined("c1", "c2", limits=Limits(mailbox=5)) as (c1, c2, _):
        (alice,), (bob,) = await begin(c1, "alice"), await begin(c2, "bob")
        got = Late()
        slow = await start(c2, "slow", got)
        await market(alice, bob, slow)
        sent = 0

        async def send_all():
            nonlocal sent
            for number in range(1500):
                await alice.groups.send(Message(body=str(number)), "market")
                sent += 1

        sending = asyncio.create_task(send_all())
        await asyncio.sleep(10)
        assert sent < 1100  # what fits on the way in memory, and a few
        assert len(bob.messages) < 1100
        got.release.set()
        await sending
        await asyncio.sleep(1)
        assert bob.bodies == got.bodies == [str(number) for number in range(1500)]


async def test_what_a_full_mailbox_elsewhere_cannot_take_is_told_to_the_sender():
    async with joined("c1", "c2", limits=Limits(mailbox=1, send_timeout=5)) as (c1, c2, _):
        (alice,), (bob,) = await begin(c1, "alice"), await begin(c2, "bob")
        deaf = await start(c2, "deaf", Deaf())
        await market(alice, deaf, bob)
        for number in range(2):
            await alice.groups.send(Message(body=str(number), conversation_id="c"), "market")
        await asyncio.sleep(10)
        assert bob.bodies == ["0", "1"]
        (failure,) = alice.messages
        assert (failure.performative, failure.conversation_id) == ("failure", "c")
        assert failure.get_metadata("receiver") == "deaf@c2.lab.localhost"


async def test_a_container_that_has_gone_meanwhile_is_told_to_the_sender():
    async with joined("c1") as (c1, network):
        (alice, bob) = await begin(c1, "alice", "bob")
        async with Container("c2", server=network) as c2:
            (carol,) = await begin(c2, "carol")
            await market(alice, bob, carol)
            domain = c2.domain
        service = c1._facilities.services._groups
        assert await alice.groups.send(Message(body="0"), "market") == 1
        service.shared.put(f"carol@{domain}", next(iter(service.own[bob.address])), is_secured=False)
        assert await alice.groups.send(Message(body="1", reply_with="r"), "market") == 2  # as it seemed
        await until_idle()
        assert bob.bodies == ["0", "1"]
        (failure,) = alice.messages
        assert (failure.performative, failure.in_reply_to) == ("failure", "r")
        assert "no container for" in failure.body


async def test_members_that_have_all_left_meanwhile_are_told_to_the_sender():
    async with joined("c1", "c2") as (c1, c2, network):
        (alice,), (bob,) = await begin(c1, "alice"), await begin(c2, "bob")
        await market(alice, bob)
        network.delay = 1
        await bob.groups.leave("market")
        assert await alice.groups.send(Message(body="0"), "market", "seller") == 1
        await asyncio.sleep(5)
        assert bob.messages == []
        (failure,) = alice.messages
        assert failure.body == "no agent in container c2 plays the role 'seller' in the group 'market'"


async def test_who_is_cancelled_while_waiting_leaves_dead_letters_and_nothing_else():
    async with Container("c1", limits=Limits(mailbox=1)) as c1:
        alice, bob = await begin(c1, "alice", "bob")
        deaf = [await start(c1, name, Deaf()) for name in ("d1", "d2")]
        await market(alice, bob, *deaf)
        await alice.groups.send(Message(body="0"), "market")
        sending = asyncio.create_task(alice.groups.send(Message(body="1"), "market"))
        await until_idle()
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        assert bob.bodies == ["0", "1"]
        assert sorted(letter.receiver for letter in c1.dead_letters) == full("d1@c1", "d2@c1")


async def test_a_closed_container_sends_nothing():
    async with Container("c1") as c1:
        alice, bob = await begin(c1, "alice", "bob")
        await market(alice, bob)
        groups = alice.groups
    with pytest.raises(ContainerClosedError):
        await groups.send(Message(body="x"), "market")
    assert bob.messages == []


async def test_who_is_told_late_that_it_plays_a_role_gets_what_others_send_meanwhile():
    async with joined("c1", "c2", services=Services(directory="central")) as (c1, c2, _):
        (alice,), (bob,) = await begin(c1, "alice"), await begin(c2, "bob")
        await alice.groups.create("market")
        await bob.groups.roles("market")
        backend, confirmed = c2._facilities.services.backend, asyncio.Event()
        put = backend.put

        async def put_slowly(agent, service, *, is_new):
            await put(agent, service, is_new=is_new)
            await confirmed.wait()

        backend.put = put_slowly
        asking = asyncio.create_task(bob.groups.request_role("market", "seller"))
        await asyncio.sleep(1)
        assert await alice.groups.send(Message(body="welcome"), "market", "seller") == 1
        await asyncio.sleep(1)
        assert bob.bodies == ["welcome"]
        confirmed.set()
        await asking
        assert c2.dead_letters.total == 0


async def test_what_is_sent_to_a_group_comes_after_what_the_sender_has_sent_directly():
    async with joined("c1", "c2", limits=Limits(mailbox=2)) as (c1, c2, _):
        (alice,), got = await begin(c1, "alice"), Late()
        slow = await start(c2, "slow", got)
        await market(alice, slow)
        for number in range(5):
            await alice.send(Message("slow@c2", body=f"{number} directly"))
            await alice.groups.send(Message(body=f"{number} to all"), "market")
        await asyncio.sleep(1)
        got.release.set()
        await asyncio.sleep(1)
        assert got.bodies == [f"{number} {how}" for number in range(5) for how in ("directly", "to all")]
