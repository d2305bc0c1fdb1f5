"""What every transport keeps to, whatever carries it: the same checks over memory and by all routes."""

from __future__ import annotations

import contextlib
import os
from functools import partial

import pytest
from msgspec.structs import force_setattr
from tests.integration.transport.raw import link, until, way
from tests.unit.core.agents import Collect, Deaf, Echo, do, reasons, start

from formicary import Container, Limits, Message, Network
from formicary.errors import (
    ContainerClosedError,
    InvalidMessageError,
    LinkError,
    MailboxFullError,
    MessageTooLargeError,
    NameTakenError,
)
from formicary.testing import MemoryNetwork

pytestmark = pytest.mark.server


ROUTES = ["memory", "xmpp", "auto", "direct", "join", "join with TLS", "relay"]


@pytest.fixture(params=ROUTES)
def opened(request, containers, joined, no_way_but_to):
    """Open containers that are connected one way or the other."""
    network, hubs = MemoryNetwork(), []

    @contextlib.asynccontextmanager
    async def on_the_memory_network(*names, **options):
        async with contextlib.AsyncExitStack() as stack:
            made = [Container(name, server=network, **options) for name in names]
            yield [await stack.enter_async_context(container) for container in made]

    @contextlib.asynccontextmanager
    async def through_a_third(*names, **options):
        async with contextlib.AsyncExitStack() as stack:
            if not hubs:
                no_way_but_to("hub.lab.localhost")
                hubs.extend(await stack.enter_async_context(joined("hub")))
                stack.callback(hubs.clear)
            yield await stack.enter_async_context(joined(*names, **options))

    return {
        "memory": on_the_memory_network,
        "xmpp": containers,
        "auto": partial(containers, network=Network()),
        "direct": partial(containers, network=Network(route="direct")),
        "join": joined,
        "join with TLS": partial(joined, network=Network(tls="always")),
        "relay": through_a_third,
    }[request.param]


WAYS = {"xmpp": "xmpp", "auto": "direct", "direct": "direct", "relay": "relay"}


async def asked(container, name, message):
    """Send a message from a new agent, and return what comes back."""

    async def ask(behaviour):
        await behaviour.send(message)
        return await behaviour.receive(timeout=60)

    asking = do(ask)
    await start(container, name, asking)
    await asking.join()
    return asking.result


async def test_all_that_a_message_has_goes_there_and_its_answer_comes_back(opened):
    async with opened("c1", "c2") as (c1, c2):
        got = Collect()
        await start(c2, "b", got)
        await start(c2, "echo", Echo())
        message = Message(
            to=("b@c2", "echo@c2"),
            body=b"\x00\xff",
            performative="request",
            thread="t",
            conversation_id="c",
            reply_with="r",
            metadata={"k": "é"},
        )
        answer = await asked(c1, "a", message)
        names = ("b@c2.lab.localhost", "echo@c2.lab.localhost")
        assert got.messages == [message.replace(to=names, sender="a@c1.lab.localhost")]
        assert (answer.body, answer.thread, answer.in_reply_to) == (b"\x00\xff", "t", "r")
        assert answer.sender == "echo@c2.lab.localhost"


async def test_order_is_kept_under_back_pressure(opened):
    bodies = [str(number) for number in range(3000)]

    async def send(behaviour):
        for body in bodies:
            await behaviour.send(Message(to="b@c2", body=body))

    async with opened("c1", "c2", limits=Limits(mailbox=10)) as (c1, c2):
        got = Collect()
        await start(c2, "b", got)
        await start(c1, "a", do(send))
        await until(lambda: len(got.messages) == len(bodies))
        assert got.bodies == bodies
        assert c1.dead_letters.total == c2.dead_letters.total == 0


@pytest.mark.parametrize("to", ["nobody@c2", "b@c9", "b@elsewhere.example"])
async def test_who_is_not_there_is_a_failure_and_a_dead_letter(opened, to):
    async with opened("c1", "c2") as (c1, c2):
        told = await asked(c1, "a", Message(to=to, body="lost", conversation_id="c", reply_with="r"))
        assert (told.performative, told.conversation_id, told.in_reply_to) == ("failure", "c", "r")
        assert told.sender.startswith("ams@")
        assert reasons(c1) + reasons(c2) == [told.body]


async def test_a_short_reply_to_means_the_senders_container(opened):
    async with opened("c1", "c2") as (c1, c2):
        got = Collect()
        await start(c2, "echo", Echo())
        await start(c1, "bob", got)
        await start(c1, "a", do(lambda own: own.send(Message(to="echo@c2", body="x", reply_to="bob"))))
        await until(lambda: got.messages)
        assert got.bodies == ["x"]


async def test_a_name_that_is_taken_is_refused_until_it_is_free_again(opened):
    async with opened("c1", "c2"):
        with pytest.raises((NameTakenError, LinkError), match=r"c2.*(stop it or )?choose another name"):
            async with opened("c2"):
                pass
    async with opened("c1", "c2"):
        pass


async def test_messages_go_the_way_that_the_route_says(opened, request):
    route = request.node.callspec.params["opened"]
    async with opened("c1", "c2") as (c1, c2):
        await start(c2, "echo", Echo())
        assert (await asked(c1, "a", Message(to="echo@c2", body="x"))).body == "x"
        if route == "memory":
            assert c1.links == c2.links == ()
        else:
            await way(c1, "c2", WAYS.get(route, "direct"))
            await way(c2, "c1", WAYS.get(route, "direct"))
            assert (await asked(c1, "b", Message(to="echo@c2", body="y"))).body == "y"
            assert link(c1, "c2").failed == link(c2, "c1").failed == 0


async def test_ten_thousand_messages_each_way_arrive_in_order(opened):
    bodies = [str(number) for number in range(10_000)]

    async def send(behaviour, to):
        for body in bodies:
            await behaviour.send(Message(to=to, body=body))

    async with opened("c1", "c2", limits=Limits(mailbox=100)) as (c1, c2):
        here, there = Collect(), Collect()
        await start(c1, "a", here)
        await start(c2, "b", there)
        await start(c1, "from-a", do(lambda own: send(own, "b@c2")))
        await start(c2, "from-b", do(lambda own: send(own, "a@c1")))
        await until(lambda: len(here.messages) == len(there.messages) == len(bodies))
        assert here.bodies == there.bodies == bodies
        assert c1.dead_letters.total == c2.dead_letters.total == 0


async def test_large_messages_arrive_between_small_ones_up_to_a_limit(opened, request):
    route = request.node.callspec.params["opened"]
    sizes = [3, 1 << 20, 4, 15 << 20, 5]
    async with opened("c1", "c2") as (c1, c2):
        got = Collect()
        await start(c2, "b", got)

        async def send(behaviour):
            for size in sizes:
                await behaviour.send(Message(to="b@c2", body=os.urandom(size)))
            if route != "memory":
                with pytest.raises(MessageTooLargeError, match=r"takes 178\d+ bytes .* limit is 16777216"):
                    await behaviour.send(Message(to="b@c2", body=bytes(17 << 20)))

        sending = do(send)
        await start(c1, "a", sending)
        await sending.join()
        await until(lambda: len(got.messages) == len(sizes))
        assert [len(body) for body in got.bodies] == sizes


async def test_what_was_sent_before_closing_arrives(opened):
    bodies = [f"{number}{'x' * 1000}" for number in range(3000)]

    async def send(behaviour):
        for body in bodies:
            await behaviour.send(Message(to="b@c2", body=body))

    async with opened("c2", limits=Limits(mailbox=0)) as (c2,):
        got = Collect()
        await start(c2, "b", got)
        async with opened("c1") as (c1,):
            sending = do(send)
            await start(c1, "a", sending)
            await sending.join()
        await until(lambda: len(got.messages) == len(bodies))
        assert got.bodies == bodies
        assert c1.dead_letters.total == c2.dead_letters.total == 0


async def test_who_sends_to_a_container_that_has_closed_is_told(opened):
    async with opened("c1") as (c1,):
        async with opened("c2") as (c2,):
            await start(c2, "echo", Echo())
            assert (await asked(c1, "a", Message(to="echo@c2", body="x"))).body == "x"
        told = await asked(c1, "b", Message(to="echo@c2", body="late"))
        assert told.performative == "failure"
        assert reasons(c1) == [told.body]
        async with opened("c2") as (c2,):
            await start(c2, "echo", Echo())
            assert (await asked(c1, "c", Message(to="echo@c2", body="again"))).body == "again"


@pytest.mark.parametrize(("parameter", "value"), [("performative", 7), ("thread", b"t")])
async def test_a_value_of_a_wrong_type_is_refused_or_fails_and_is_a_dead_letter(opened, parameter, value):
    bad = Message(to="b@c2")
    force_setattr(bad, parameter, value)  # as only a message could have that was not looked at in full
    async with opened("c1", "c2") as (c1, c2):
        got = Collect()
        await start(c2, "b", got)
        try:
            told = (await asked(c1, "a", bad)).body
        except InvalidMessageError as error:
            told = str(error)
        assert parameter in told
        assert reasons(c1) == [told]
        assert got.messages == []


async def test_a_mailbox_that_stays_full_is_told_to_the_sender_in_the_end(opened):
    async with opened("c1", "c2", limits=Limits(mailbox=1, send_timeout=0.2)) as (c1, c2):
        await start(c2, "deaf", Deaf())

        async def send(behaviour):
            told = []
            for number in range(2):
                try:
                    await behaviour.send(Message(to="deaf@c2", body=str(number)))
                except MailboxFullError as error:
                    told.append(str(error))
            return told or [(await behaviour.receive(timeout=60)).body]

        sending = do(send)
        await start(c1, "a", sending)
        await sending.join()
        assert "had no room for 0.2 s" in sending.result[0]


async def test_nothing_can_be_sent_from_a_container_that_is_closed(opened):
    async with opened("c1", "c2") as (c1, _):
        agent = await start(c1, "a", Deaf())
        container = agent.container
    with pytest.raises(ContainerClosedError):
        await container.dispatcher.send(Message(to="b@c2", sender="a@c1.lab.localhost"))
