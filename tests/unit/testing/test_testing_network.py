"""Containers joined in memory: order, delay, encoding, and lost connections."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.core.agents import EVERYTHING, Collect, Deaf, Echo, do, reasons, start

from formicary import Container, FormicaryError, Limits, Message
from formicary.errors import InvalidMessageError, LinkError, MailboxFullError, NameTakenError
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock


def now():
    return asyncio.get_running_loop().time()


def sender(to, *bodies, **parameters):
    async def send(behaviour):
        for body in bodies:
            await behaviour.send(Message(to=to, body=body, **parameters))

    return do(send)


async def test_a_message_crosses_with_all_that_it_says():
    network = MemoryNetwork()
    sent = Message("b@c2", **EVERYTHING | {"reply_to": "other@c1"})
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        collect = Collect()
        await start(c2, "b", collect)
        await start(c1, "a", do(lambda behaviour: behaviour.send(sent)))
        await until_idle()
        (got,) = collect.messages
        full = {"to": "b@c2.lab.localhost", "reply_to": "other@c1.lab.localhost"}
        assert got == sent.replace(sender="a@c1.lab.localhost", **full)
        assert got is not sent
        with pytest.raises(TypeError):
            got.metadata["k"] = "w"


async def test_messages_arrive_in_the_order_in_which_they_were_sent_and_after_the_delay():
    network = MemoryNetwork(delay=2)
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        collect = Collect()
        await start(c2, "b", collect)
        await start(c1, "a", sender("b@c2", *map(str, range(50))))
        await asyncio.sleep(1)
        assert collect.bodies == []
        await asyncio.sleep(1)
        await until_idle()
        assert collect.bodies == [str(number) for number in range(50)]


async def test_answers_come_back():
    network = MemoryNetwork(delay=1)

    async def ask(behaviour):
        began = now()
        await behaviour.send(Message(to="echo@c2", body="x"))
        return (await behaviour.receive(timeout=10)).body, now() - began

    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        await start(c2, "echo", Echo())
        behaviour = do(ask)
        await start(c1, "a", behaviour)
        await behaviour.join()
        assert behaviour.result == ("x", 2)


async def test_one_of_several_receivers_is_elsewhere():
    network = MemoryNetwork()
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        here, there = Collect(), Collect()
        await start(c1, "b", here)
        await start(c2, "b", there)
        await start(c1, "a", sender(("b", "b@c2"), "x"))
        await until_idle()
        assert (here.bodies, there.bodies) == (["x"], ["x"])


async def test_who_sends_while_the_connection_is_cut_waits_and_nothing_is_lost():
    network = MemoryNetwork(delay=1)
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        collect, send = Collect(), sender("b@c2", "first", "second", "third")
        await start(c2, "b", collect)
        network.cut()
        await start(c1, "a", send)
        await asyncio.sleep(10)
        assert not send.is_done()
        assert collect.bodies == []
        network.heal()
        await asyncio.sleep(5)
        assert collect.bodies == ["first", "second", "third"]


async def test_what_is_on_its_way_when_the_connection_is_cut_arrives_later():
    network = MemoryNetwork(delay=1)
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        collect = Collect()
        await start(c2, "b", collect)
        await start(c1, "a", sender("b@c2", "x"))
        await until_idle()
        network.cut()
        await asyncio.sleep(10)
        assert collect.bodies == []
        network.heal()
        await until_idle()
        assert collect.bodies == ["x"]


async def test_who_waits_too_long_for_a_cut_connection_is_told_and_the_message_is_a_dead_letter():
    network = MemoryNetwork()
    async with (
        Container("c1", server=network, limits=Limits(send_timeout=3)) as c1,
        Container("c2", server=network),
    ):
        network.cut()
        send = sender("b@c2", "x")
        await start(c1, "a", send)
        with pytest.raises(MailboxFullError, match=r"the line to b@c2\.lab\.localhost had no room for 3 s"):
            await send.join()
        assert now() == 3
        (letter,) = c1.dead_letters
        assert letter.receiver == "b@c2.lab.localhost"
        network.heal()


async def test_an_unknown_agent_elsewhere_comes_back_as_failure():
    network = MemoryNetwork()

    async def ask(behaviour):
        await behaviour.send(Message(to="nobody@c2", body="x", conversation_id="talk", reply_with="r"))
        return await behaviour.receive(timeout=10)

    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        behaviour = do(ask)
        await start(c1, "a", behaviour)
        await behaviour.join()
        failure = behaviour.result
        assert (failure.performative, failure.sender) == ("failure", "ams@c2.lab.localhost")
        assert (failure.conversation_id, failure.in_reply_to) == ("talk", "r")
        assert reasons(c2) == ["no agent named 'nobody' lives in container c2"]


async def test_an_unknown_container_comes_back_as_failure():
    network = MemoryNetwork()

    async def ask(behaviour):
        await behaviour.send(Message(to="b@c9", body="x"))
        return await behaviour.receive(timeout=10)

    async with Container("c1", server=network) as c1:
        behaviour = do(ask)
        await start(c1, "a", behaviour)
        await behaviour.join()
        assert behaviour.result.sender == "ams@c1.lab.localhost"
        assert "b@c9.lab.localhost" in behaviour.result.body


async def test_a_container_that_leaves_makes_dead_letters_of_what_was_on_its_way_to_it():
    network = MemoryNetwork(delay=5)
    async with Container("c1", server=network) as c1:
        async with Container("c2", server=network):
            await start(c1, "a", sender("b@c2", "x"))
            await until_idle()
        assert reasons(c1) == ["container c2.lab.localhost has left the memory network"]


async def test_what_a_container_has_sent_goes_out_before_it_leaves():
    network = MemoryNetwork(delay=5)
    async with Container("c1", server=network) as c1:
        collect = Collect()
        await start(c1, "b", collect)
        async with Container("c2", server=network) as c2:
            await start(c2, "a", sender("b@c1", "x"))
            await until_idle()
        assert collect.bodies == ["x"]


async def test_a_slow_receiver_slows_its_senders_down_and_nothing_is_lost():
    network = MemoryNetwork()
    count = 1200

    async def slow(behaviour):
        await asyncio.sleep(5)
        return [(await behaviour.receive()).body for _ in range(count)]

    async with (
        Container("c1", server=network) as c1,
        Container("c2", server=network, limits=Limits(mailbox=10)) as c2,
    ):
        send, receive = sender("b@c2", *map(str, range(count))), do(slow)
        await start(c2, "b", receive)
        await start(c1, "a", send)
        await until_idle()
        assert not send.is_done()
        await receive.join()
        assert receive.result == [str(number) for number in range(count)]
        assert reasons(c1) == reasons(c2) == []


async def test_a_full_mailbox_holds_up_only_who_sends_to_it():
    network = MemoryNetwork()
    async with (
        Container("c1", server=network) as c1,
        Container("c2", server=network, limits=Limits(mailbox=10)) as c2,
    ):
        collect, told = Collect(), []
        await start(c2, "b", do(lambda behaviour: asyncio.sleep(20)))
        await start(c2, "other", collect)
        send = sender("b@c2", *map(str, range(1200)))
        await start(c1, "a", send)
        await until_idle()
        assert not send.is_done()
        c2.peers.on_control = lambda *what: told.append(what)
        assert c1.dispatcher.transport.send_control(c2.domain, "channel", b"x", behind=True)
        await start(c1, "c", sender("other@c2", "x"))
        await until_idle()
        assert collect.bodies == ["x"]
        assert told == [(c1.domain, "channel", b"x")]


async def test_while_too_much_waits_in_a_container_nothing_more_comes_in():
    network = MemoryNetwork()
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        collect = Collect()
        await start(c2, "b", collect)
        c2.dispatcher.overflow.pause(True)
        await start(c1, "a", sender("b@c2", "x"))
        await until_idle()
        assert collect.bodies == []
        c2.dispatcher.overflow.pause(False)
        await until_idle()
        assert collect.bodies == ["x"]


async def test_a_refused_message_is_logged_and_later_ones_arrive(caplog):
    network = MemoryNetwork()
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        collect = Collect()
        await start(c2, "b", collect)
        assert c1.dispatcher.transport.send_control(c2.domain, "members", b"nonsense")
        await start(c1, "a", sender("b@c2", "x"))
        await until_idle()
        assert collect.bodies == ["x"]
        assert "container c2 dropped a message from c1.lab.localhost" in caplog.text
        caplog.clear()


async def test_a_value_that_cannot_cross_is_refused_where_it_is_sent():
    network = MemoryNetwork()
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        await start(c2, "b", Deaf())
        send = sender("b@c2", "x", protocol=7)
        await start(c1, "a", send)
        with pytest.raises(InvalidMessageError, match="protocol must be text, not int"):
            await send.join()


async def test_a_name_that_is_taken_on_the_network_is_refused():
    network = MemoryNetwork()
    async with Container("c1", server=network):
        with pytest.raises(NameTakenError, match=r"c1\.lab\.localhost is already on the memory network"):
            async with Container("c1", server=network):
                pass
    async with Container("c1", server=network):
        pass  # the name is free again


async def test_nobody_connects_while_the_network_is_cut():
    network = MemoryNetwork()
    network.cut()
    with pytest.raises(LinkError, match="cut; heal"):
        async with Container("c1", server=network):
            pass
    assert issubclass(LinkError, FormicaryError)


async def test_a_container_that_crashes_is_gone_at_once_with_what_is_on_its_way():
    network = MemoryNetwork(delay=1)
    async with Container("c1", server=network) as c1:
        c2 = Container("c2", server=network)
        await c2.open()
        here, there = Collect(), Collect()
        await start(c1, "a", here, sender("b@c2", "lost"))
        await start(c2, "b", there, sender("a@c1", "lost, too"))
        await asyncio.sleep(0.5)
        await network.crash(c2)
        await asyncio.sleep(2)
        assert there.bodies == []
        (failure,) = here.messages
        assert failure.body == "container c2.lab.localhost has left the memory network"
        assert not c2.is_open


async def test_delays_that_are_drawn_let_messages_of_two_containers_overtake_each_other():
    delays = iter([3, 1])
    network = MemoryNetwork(delay=lambda: next(delays, 0))
    async with (
        Container("c1", server=network) as c1,
        Container("c2", server=network) as c2,
        Container("c3", server=network) as c3,
    ):
        await asyncio.sleep(5)
        delays = iter([3, 1])
        collect = Collect()
        await start(c1, "a", collect)
        await start(c2, "b", sender("a@c1", "first"))
        await until_idle()
        await start(c3, "b", sender("a@c1", "second"))
        await asyncio.sleep(5)
        assert collect.bodies == ["second", "first"]
