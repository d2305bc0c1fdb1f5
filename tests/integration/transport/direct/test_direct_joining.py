"""Containers without a server: they join one of them, and meet there."""

from __future__ import annotations

import asyncio
import base64
import logging

import msgspec
import pytest
from tests.integration.transport.raw import link, until, way
from tests.unit.core.agents import Collect, Deaf, Echo, do, reasons, start

from formicary import Container, Limits, Message, Network
from formicary.errors import ContainerClosedError, FormicaryError, LinkError, UsageError
from formicary.transport.addresses import JoinAddress
from formicary.transport.link.header import HEADER, HELLO
from formicary.transport.link.paths import PASS_ON, PASSED_ON, RETURNED, wrap


async def asked(container, to, body="x", name="asker"):
    """Send a message from a new agent, and return what comes back."""

    async def ask(behaviour):
        await behaviour.send(Message(to=to, body=body))
        return await behaviour.receive(timeout=60)

    asking = do(ask)
    agent = await start(container, name, asking)
    await asking.join()
    await agent.stop()
    return asking.result


async def refusal(kind, name="c2", **options):
    """Open a container, which fails; return the sentence."""
    before = asyncio.all_tasks()
    with pytest.raises(kind) as caught:
        async with Container(name, **options):
            pytest.fail("it opened")
    assert asyncio.all_tasks() == before
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


def changed(text, **values):
    """Return a join address with other values."""
    return str(msgspec.structs.replace(JoinAddress.parse(text), **values))


async def test_three_containers_meet_at_one_and_talk_directly_to_each_other(joined):
    async with joined("c1", "c2", "c3") as opened:
        for container in opened:
            await start(container, "echo", Echo())
        for source in opened:
            for target in opened:
                if source is not target:
                    answer = await asked(source, f"echo@{target.name}", f"to {target.name}")
                    assert (answer.body, answer.sender) == (f"to {target.name}", f"echo@{target.domain}")
        for source in opened:
            for target in opened:
                if source is not target:
                    await way(source, target.name, "direct")


async def test_where_two_cannot_reach_each_other_the_one_they_have_joined_passes_on(joined, no_way_but_to):
    no_way_but_to("c1.lab.localhost")
    bodies = [f"{number:01000}" for number in range(5000)]

    async def send(behaviour):
        for body in bodies:
            await behaviour.send(Message(to="b@c3", body=body))

    async with joined("c1", "c2", "c3") as (_, c2, c3):
        got = Collect()
        await start(c3, "b", got)
        await start(c2, "a", do(send))
        await until(lambda: len(got.messages) == len(bodies))
        assert got.bodies == bodies
        assert {message.sender for message in got.messages} == {"a@c2.lab.localhost"}
        assert (link(c2, "c3").way, link(c3, "c2").way) == ("relay", "relay")
        assert c2.dead_letters.total == c3.dead_letters.total == 0


async def test_who_has_joined_speaks_for_nobody_else(joined, caplog):
    """Only the container that was joined passes frames on, and under the name of who has sent them."""
    frame = HEADER.pack(HELLO, 7, 0, 1, 0) + b"no terms"
    async with joined("c1", "c2", "c3") as (c1, c2, c3):
        for other in (c1, c3):
            await start(other, "echo", Echo())
            await asked(c2, f"echo@{other.name}")
            await way(c2, other.name, "direct")
        to_c1, to_c3 = (c2.dispatcher.transport.links[each.domain].direct for each in (c1, c3))
        dropped = [each.dispatcher.transport.dropped for each in (c1, c3)]
        caplog.clear()
        for kind in (PASSED_ON, RETURNED):
            to_c1.send(wrap(kind, c3.domain, frame))
            to_c3.send(wrap(kind, c1.domain, frame))
        to_c1.send(wrap(PASS_ON, c3.domain, frame))
        await until(lambda: c1.dispatcher.transport.dropped == dropped[0] + 2)
        await until(lambda: c3.dispatcher.transport.dropped == dropped[1] + 3)
        assert len(caplog.messages) == 5
        assert all(f"dropped a stanza from {c2.domain}: " in message for message in caplog.messages)


async def test_a_connection_that_can_be_made_later_takes_over(joined, no_way_but_to, monkeypatch):
    bodies = [str(number) for number in range(20_000)]

    async def send(behaviour):
        for body in bodies:
            await behaviour.send(Message(to="b@c3", body=body))

    with monkeypatch.context() as only_here:
        no_way_but_to("c1.lab.localhost", only_here)
        async with joined("c1", "c2", "c3", limits=Limits(mailbox=50)) as (_, c2, c3):
            got = Collect()
            await start(c3, "b", got)
            await start(c2, "a", do(send))
            await until(lambda: len(got.messages) > 100)
            assert link(c2, "c3").way == "relay"
            only_here.undo()
            await way(c2, "c3", "direct")
            await way(c3, "c2", "direct")
            await until(lambda: len(got.messages) == len(bodies))
            assert got.bodies == bodies


async def test_a_connection_that_breaks_comes_back_and_nothing_is_lost(joined):
    bodies = [str(number) for number in range(20_000)]

    async def send(behaviour):
        for body in bodies:
            await behaviour.send(Message(to="b@c1", body=body))

    async with joined("c1", "c2", limits=Limits(mailbox=50)) as (c1, c2):
        got = Collect()
        await start(c1, "b", got)
        await start(c2, "a", do(send))
        for part in range(1, 6):
            await until(lambda goal=part * 3000: len(got.messages) > goal)
            await way(c1, "c2", "direct")
            await way(c2, "c1", "direct")
            end = (c1, c2)[part % 2].dispatcher.transport.links[(c2, c1)[part % 2].domain]
            end.direct._transport.abort()
        await until(lambda: len(got.messages) == len(bodies))
        assert got.bodies == bodies
        assert link(c2, "c1").incarnation == link(c1, "c2").peer_incarnation
        assert c1.dead_letters.total == c2.dead_letters.total == 0


# Who may join


async def test_a_wrong_token_a_wrong_certificate_and_a_wrong_name_are_refused(joined):
    async with joined("c1") as (c1,):
        good = c1.join_address
        unix = JoinAddress.parse(good).unix
        assert await refusal(LinkError, join=changed(good, key=bytes(32))) == (
            "what answers there did not prove to be c1.lab.localhost; get its address again"
        )
        says = await refusal(LinkError, join=changed(good, unix=None), network=Network(tls=False))
        assert "use the same tls= for both" in says
        says = await refusal(LinkError, join=changed(good, fingerprint=b"x" * 32, unix=None))
        assert (
            "a different certificate than that of c1.lab.localhost was presented; get its address again"
            in says
        )
        other = changed(good, domain="c9.lab.localhost")
        says = await refusal(LinkError, join=other)
        assert "is its address up to date?" in says
        assert unix
        async with joined("c2") as (c2,):
            await start(c1, "echo", Echo())
            assert (await asked(c2, "echo@c1")).body == "x"


async def test_a_name_that_is_taken_is_refused_in_one_sentence(joined):
    async with joined("c1", "c2") as (c1, c2):
        address = c1.join_address
        assert await refusal(LinkError, "c2", join=address) == (
            "c1.lab.localhost refused this container: a container named 'c2' already exists; stop "
            "it, or choose another name"
        )
        says = await refusal(LinkError, "c1", join=address)
        assert says.startswith(
            "container c1.lab.localhost cannot join c1.lab.localhost; give it a different name"
        )
        await start(c2, "echo", Echo())
        assert (await asked(c1, "echo@c2")).body == "x"


async def test_another_platform_is_refused(joined):
    async with joined("c1") as (c1,):
        says = await refusal(FormicaryError, "c2", join=c1.join_address, platform="other.localhost")
        assert "platform" in says
        assert "lab.localhost" in says


@pytest.mark.parametrize(
    "text", ["", "c1", "formicary://", "formicary://c1.lab.localhost/", "formicary://c1.lab.localhost/AAAA"]
)
async def test_what_is_no_join_address_is_said_in_one_sentence(text):
    with pytest.raises(UsageError, match=r"is not a join address; pass the other"):
        Container("c2", join=text)


async def test_an_address_where_nobody_listens_any_more_is_said_in_one_sentence(joined):
    async with joined("c1") as (c1,):
        address = c1.join_address
    says = await refusal(LinkError, join=address)
    assert says.startswith("cannot connect to c1.lab.localhost at 127.0.0.1, port ")
    assert says.endswith("Connection refused; is it running?")


async def test_the_address_is_a_secret_that_is_said_nowhere_by_itself(joined, caplog):
    caplog.set_level(logging.DEBUG)
    async with joined("c1", "c2") as (c1, c2):
        secret = base64.urlsafe_b64encode(JoinAddress.parse(c1.join_address).key)[2:-4].decode()
        await start(c1, "echo", Echo())
        await asked(c2, "echo@c1")
        for text in (
            caplog.text,
            repr(c1),
            repr(c2),
            repr(c2.links),
            repr(JoinAddress.parse(c1.join_address)),
        ):
            assert secret not in text
        with pytest.raises(ContainerClosedError, match=r"cannot be joined; open it with listen="):
            _ = c2.join_address


@pytest.mark.parametrize("tls", [True, False, "always"])
@pytest.mark.parametrize("unix", [True, False])
async def test_tls_is_where_it_is_asked_for(tls, unix):
    async with Container("c1", listen="127.0.0.1", network=Network(tls=tls)) as c1:
        address = c1.join_address if unix else changed(c1.join_address, unix=None)
        async with Container("c2", join=address, network=Network(tls=tls)) as c2:
            await start(c1, "echo", Echo())
            assert (await asked(c2, "echo@c1")).body == "x"
            description = c2.dispatcher.transport.links[c1.domain].direct.description
            assert ("TLS 1.3" in description) is (tls == "always" or (tls and not unix))
            assert ("Unix socket" in description) is unix


@pytest.mark.parametrize("listen", ["nowhere.invalid", "0.0.0.0", "127.0.0.1:99999", ""])
async def test_where_it_cannot_listen_is_said_in_one_sentence(listen):
    if listen:
        assert "; use" in await refusal(FormicaryError, "c1", listen=listen)


async def test_a_port_of_ones_own_choice_that_is_taken_is_said_in_one_sentence(joined):
    async with joined("c1") as (c1,):
        ((ip, port),) = JoinAddress.parse(c1.join_address).tcp
        says = await refusal(LinkError, "c2", listen=f"{ip}:{port}")
        assert says.startswith(f"cannot listen at {ip}, port {port}: Address already in use; use")


# When one of them stops


async def test_when_the_joined_one_stops_its_senders_are_told_and_the_others_go_on(joined):
    async with joined("c1") as (c1,):
        await start(c1, "deaf", Deaf())
        async with Container("c2", join=c1.join_address) as c2, Container("c3", join=c1.join_address) as c3:
            await start(c3, "echo", Echo())
            assert (await asked(c2, "echo@c3")).body == "x"
            await way(c2, "c3", "direct")
            await way(c3, "c2", "direct")
            stopping = asyncio.create_task(c1.__aexit__(None, None, None))
            told = await asked(c2, "deaf@c1")
            assert told.performative == "failure"
            await stopping
            told = await asked(c2, "deaf@c1")
            assert told.body.startswith("container c1 cannot be reached: ")
            assert (await asked(c2, "echo@c3", "still")).body == "still"


async def test_the_joined_one_comes_back_at_its_port_and_others_join_it_again(joined):
    async with Container("c1", listen="127.0.0.1") as c1:
        ((ip, port),) = JoinAddress.parse(c1.join_address).tcp
        old = c1.join_address
        async with Container("c2", join=old) as c2:
            await start(c1, "echo", Echo())
            assert (await asked(c2, "echo@c1")).body == "x"
    async with Container("c1", listen=f"{ip}:{port}") as c1:
        await start(c1, "echo", Echo())
        assert "c1.lab.localhost" in await refusal(LinkError, "c2", join=old)  # it has another key now
        async with Container("c2", join=c1.join_address) as c2:
            assert (await asked(c2, "echo@c1")).body == "x"
            assert reasons(c1) == reasons(c2) == []


async def test_one_that_has_joined_comes_back_under_its_name(joined):
    async with joined("c1", "c3") as (c1, c3):
        await start(c1, "echo", Echo())
        for turn in range(3):
            async with joined("c2") as (c2,):
                await start(c2, "echo", Echo())
                for container in (c1, c3):
                    assert (await asked(container, "echo@c2", str(turn))).body == str(turn)
                assert (await asked(c2, "echo@c1", str(turn))).body == str(turn)
        assert reasons(c1) == reasons(c3) == []
        told = await asked(c3, "echo@c2")
        assert told.performative == "failure"


async def test_nobody_of_that_name_has_joined(joined):
    async with joined("c1", "c2") as opened:
        for asking in opened:
            assert (await asked(asking, "x@c9")).body == (
                "container c9 cannot be reached: no container named 'c9' is connected to container c1; "
                "the message was not delivered"
            )
        _, c2 = opened
        told = await asked(c2, "x@elsewhere.example")
        assert told.body.startswith("x@elsewhere.example is outside the platform")


async def test_containers_that_join_need_no_server_and_cannot_have_one(joined):
    async with joined("c1") as (c1,):
        says = await refusal(LinkError, "c2", join=c1.join_address, network=Network(route="xmpp"))
        assert says == "container c2 has no server, which route='xmpp' needs; omit the route"
