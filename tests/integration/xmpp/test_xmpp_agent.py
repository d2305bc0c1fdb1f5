"""Agents with accounts of their own: messages both ways, presence, contacts, service discovery."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import signal
import sys
from dataclasses import replace

import pytest
from tests.plugins.missing import leave_out
from tests.unit.core.agents import Collect, Deaf, Do, Echo, reasons, start

from formicary import AgentState, Container, Limits, Message, Template, XmppAgent
from formicary.errors import (
    AgentStateError,
    AuthenticationError,
    InvalidMessageError,
    LinkError,
    MessageTooLargeError,
)
from formicary.server import AccountAddress
from formicary.server.admin import AdminShell
from formicary.xmpp import client

pytestmark = [pytest.mark.server, pytest.mark.accounts]


@pytest.fixture(autouse=True, params=["aioxmpp", "slixmpp"])
def library(request, monkeypatch):
    """Have each test run with each of the libraries that there are."""
    if importlib.util.find_spec(request.param) is None:
        if request.param == "slixmpp" or sys.version_info < (3, 13):
            leave_out(f"{request.param} is not installed: pip install 'formicary[accounts]' --group test")
        pytest.skip("aioxmpp does not support Python 3.13 and later")
    module = importlib.import_module(f"formicary.xmpp.by_{request.param}")
    monkeypatch.setattr(client, "make_session", getattr(module, f"{request.param.title()}Session"))
    return request.param


async def until(condition):
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 -- much of it is the libraries' state, which tells nobody
            await asyncio.sleep(0.01)


@contextlib.asynccontextmanager
async def agents(*accounts, **options):
    """Run an agent for each account in a container, each with a behaviour that collects what comes."""
    async with Container("c1", **options) as container:
        made = []
        for number, account in enumerate(accounts):
            agent = XmppAgent(account, f"agent{number}")
            agent.got = Collect()
            agent.add_behaviour(agent.got)
            await container.start(agent)
            made.append(agent)
        yield made


async def say(agent, to, body="hello", **parameters):
    talking = Do(lambda behaviour: behaviour.send(Message(to=to, body=body, **parameters)))
    agent.add_behaviour(talking, Template(performative="never"))
    await talking.join()


@pytest.mark.parametrize(
    ("domain", "options"), [("localhost", {}), ("stock.localhost", {}), ("localhost", {"tls": False})]
)
async def test_two_agents_talk_as_any_two_users_do(account, domain, options):
    async with agents(account(domain, **options), account(domain, **options)) as (alice, bob):
        await say(
            alice, bob.account.jid, "one & <two>", performative="request", conversation_id="c", thread="t"
        )
        await until(lambda: bob.got.messages)
        (message,) = bob.got.messages
        assert (message.body, message.performative, message.conversation_id, message.thread) == (
            "one & <two>",
            "request",
            "c",
            "t",
        )
        assert message.sender.startswith(f"{alice.account.jid}/")
        assert message.to == bob.address == "agent1@c1.lab.localhost"
        reply = message.make_reply(body="three")
        talking = Do(lambda behaviour: behaviour.send(reply))
        bob.add_behaviour(talking, Template(performative="never"))
        await until(lambda: alice.got.messages)
        assert alice.got.bodies == ["three"]
        assert alice.got.messages[0].performative == "inform"


async def test_an_ordinary_user_and_an_agent_talk(account, connected):
    address = account()
    async with agents(account()) as (alice,), connected(address, "phone") as (phone,):
        phone.stream.write(
            f"<presence/><message type='chat' to='{alice.account.jid}'><body>hello</body></message>".encode()
        )
        await until(lambda: alice.got.messages)
        await say(alice, f"{address.jid}/phone", "good day")
        await phone.until(lambda: any("good day" in "".join(stanza.itertext()) for stanza in phone.stanzas))
        phone.stream.write(
            f"<message type='chat' to='{alice.account.jid}'>"
            "<composing xmlns='http://jabber.org/protocol/chatstates'/></message>"
            f"<message type='chat' to='{alice.account.jid}'><body>bye</body></message>".encode()
        )
        await until(lambda: len(alice.got.messages) == 2)
        assert alice.got.bodies == ["hello", "bye"]


async def test_the_order_is_kept_and_nothing_is_lost(account):
    async def send_many(behaviour):
        for number in range(500):
            await behaviour.send(Message(to=bob.account.jid, body=str(number)))

    async with agents(account(), account(), limits=Limits(mailbox=10)) as (alice, bob):
        talking = Do(send_many)
        alice.add_behaviour(talking, Template(performative="never"))
        await talking.join()
        await until(lambda: len(bob.got.messages) == 500)
        assert bob.got.bodies == [str(number) for number in range(500)]
        assert not alice.container.dead_letters.total


async def test_agents_of_its_container_know_it_by_its_name(account):
    async with agents(account()) as (alice,):
        asking = Do(lambda behaviour: behaviour.send(Message(to="agent0", body="from inside")))
        await start(alice.container, "carol", asking)
        await until(lambda: alice.got.messages)
        assert alice.got.messages[0].sender == "carol@c1.lab.localhost"
        echo = await start(alice.container, "echo", Echo())
        await say(alice, "echo", "inside")
        await until(lambda: len(alice.got.messages) == 2)
        assert alice.got.messages[1].sender == echo.address


async def test_others_of_its_container_have_no_account(account):
    async with agents(account()) as (alice,):
        sending = Do(lambda behaviour: behaviour.send(Message(to=alice.account.jid, body="x")))
        await start(alice.container, "carol", sending)
        await sending.join()
        assert ["is connected to no other" in reason for reason in reasons(alice.container)] == [True]


async def test_with_a_server_it_reaches_containers_through_that_and_others_by_its_account(server, account):
    async with (
        agents(account(), server=server.address) as (alice,),
        Container("c2", server=server.address) as c2,
    ):
        echo = await start(c2, "echo", Echo())
        outside = Collect()
        bob = XmppAgent(account(), "bob")
        bob.add_behaviour(outside)
        await c2.start(bob)
        await say(alice, ("echo@c2", bob.account.jid), "both")
        await until(lambda: alice.got.messages and outside.messages)
        assert alice.got.messages[0].sender == echo.address
        assert outside.messages[0].sender.startswith(alice.account.jid)


async def test_presence_is_seen_by_those_whom_it_was_shown(account):
    async with agents(account(), account()) as (alice, bob):
        events = []
        alice.presence.on_available = lambda address: events.append(("available", address))
        alice.presence.on_unavailable = lambda address: events.append(("unavailable", address))
        alice.presence.on_subscribed = lambda address: events.append(("subscribed", address))
        bob.presence.on_subscribe = bob.presence.approve
        alice.presence.subscribe(bob.account.jid)
        await until(lambda: alice.presence.is_available(bob.account.jid))
        await until(lambda: len(events) == 2)
        assert events[0] == ("subscribed", bob.account.jid)
        assert events[1][0] == "available"
        assert events[1][1].startswith(f"{bob.account.jid}/")
        await until(lambda: alice.presence.contacts[bob.account.jid].subscription == "to")
        assert alice.presence.contacts[bob.account.jid].is_available
        await until(lambda: alice.account.jid in bob.presence.contacts)
        assert bob.presence.contacts[alice.account.jid].subscription == "from"
        assert not bob.presence.is_available(alice.account.jid)
        bob.presence.set_unavailable()
        await until(lambda: not alice.presence.is_available(bob.account.jid))
        bob.presence.set_available("dnd", "busy")
        await until(lambda: alice.presence.is_available(bob.account.jid))
        await bob.stop()
        await until(lambda: not alice.presence.is_available(bob.account.jid))
        assert [event for event, _ in events[2:]] == ["unavailable", "available", "unavailable"]
        await alice.presence.remove(bob.account.jid)
        await until(lambda: not alice.presence.contacts)


async def test_everybody_can_be_approved_and_left_again(account):
    async with agents(account(), account()) as (alice, bob):
        left = asyncio.Event()
        bob.presence.approve_all = True
        bob.presence.on_unsubscribe = lambda _: left.set()
        alice.presence.subscribe(bob.account.jid)
        await until(lambda: alice.presence.is_available(bob.account.jid))
        alice.presence.unsubscribe(bob.account.jid)
        async with asyncio.timeout(60):
            await left.wait()


async def test_a_callback_that_raises_is_logged(account, caplog):
    async with agents(account(), account()) as (alice, bob):
        bob.presence.on_subscribe = lambda address: 1 / 0
        alice.presence.subscribe(bob.account.jid)
        await until(lambda: "on_subscribe of agent agent1's presence raised" in caplog.text)


async def test_discovery_says_what_agents_can_do(account):
    async with agents(account(), account()) as (alice, bob):
        bob.discovery.add_feature("urn:example:auction")
        await say(bob, alice.account.jid)
        await until(lambda: alice.got.messages)
        there = alice.got.messages[0].sender
        found = await alice.discovery.ask(there)
        assert ("client", "bot") in found.identities
        assert {"urn:example:auction", "http://jabber.org/protocol/disco#info"} <= found.features
        bob.discovery.remove_feature("urn:example:auction")
        assert "urn:example:auction" not in (await alice.discovery.ask(there)).features
        assert ("server", "im") in (await alice.discovery.ask("localhost")).identities
        with pytest.raises(LinkError, match=f"{bob.account.jid}/nobody does not report its features"):
            await alice.discovery.ask(f"{bob.account.jid}/nobody")


async def test_it_logs_in_before_its_setup_and_out_at_its_end(account, connected):
    class Alice(XmppAgent):
        async def setup(self):
            self.presence.approve_all = True
            self.seen = self.state

    address = account()
    async with Container("c1") as container:
        alice = Alice(address)
        with pytest.raises(AgentStateError, match="logs in when its container starts it"):
            _ = alice.presence
        await container.start(alice)
        assert alice.name == address.jid.partition("@")[0]
        assert alice.seen is AgentState.INITIATED
        await alice.stop()
        assert not alice._client.session.is_running
        assert container.dispatcher.outlets == {}


async def test_a_setup_that_fails_logs_out(account):
    class Bad(XmppAgent):
        async def setup(self):
            raise ValueError("no")

    async with Container("c1") as container:
        bad = Bad(account())
        with pytest.raises(ValueError, match="no"):
            await container.start(bad)
        await until(lambda: not bad._client.session.is_running)


@pytest.mark.parametrize(
    ("changes", "kind", "says"),
    [
        ({"password": "wrong"}, AuthenticationError, "does not accept the password of lab"),
        ({"insecure": False}, LinkError, "cannot be trusted: self-signed certificate"),
        ({"port": 1}, LinkError, "Connection refused; is it running"),
    ],
)
async def test_what_keeps_it_from_logging_in_is_said(account, changes, kind, says):
    async with Container("c1") as container:
        agent = XmppAgent(replace(account(), **changes))
        with pytest.raises(kind, match=says):
            await container.start(agent)
        assert agent.state is AgentState.GONE
        assert container.agents == ()


async def test_what_cannot_go_out_is_refused_or_comes_back(account):
    async with agents(account()) as (alice,):
        with pytest.raises(InvalidMessageError, match="bytes cannot go to"):
            await say(alice, "bob@localhost", b"bytes")
        with pytest.raises(MessageTooLargeError, match="takes 262144"):
            await say(alice, "bob@localhost", "x" * 300_000)
        await say(alice, "nobody@localhost", reply_with="r")
        await until(lambda: alice.got.messages)
        (failure,) = alice.got.messages
        assert (failure.performative, failure.in_reply_to) == ("failure", "r")
        assert "nobody@localhost cannot be reached" in failure.body
        await say(alice, "bob@no.invalid")
        await until(lambda: len(alice.got.messages) == 2)


async def test_who_writes_to_nobody_is_told(account, connected):
    address = account()
    async with Container("c1", limits=Limits(send_timeout=0.1, mailbox=1)) as container:
        alice = XmppAgent(account())
        alice.add_behaviour(Deaf(), Template(performative="inform"))
        await container.start(alice)
        async with connected(address, "phone") as (phone,):
            for number in range(2):
                phone.stream.write(
                    f"<message type='chat' id='m{number}' to='{alice.account.jid}'><body>hello</body>"
                    "</message>".encode()
                )
            await phone.until(lambda: len(phone.stanzas) == 2)
            assert [(stanza.get("type"), stanza.get("id")) for stanza in phone.stanzas] == [
                ("error", "m0"),
                ("error", "m1"),
            ]
        assert "no behaviour of agent" in reasons(container)[0]


@contextlib.asynccontextmanager
async def talkers(server, domain):
    """Run alice and bob at a server that may be killed."""
    options = {"host": "127.0.0.1", "port": server.client_port, "insecure": True}
    names = [server.create_account(name, "secret", domain) for name in ("alice", "bob")]
    async with agents(*(AccountAddress(name, "secret", **options) for name in names)) as made:
        yield made


async def test_it_comes_back_when_the_server_does(own_server):
    async with talkers(own_server, "localhost") as (alice, bob):
        await say(alice, bob.account.jid, "before")
        await until(lambda: bob.got.messages)
        own_server.kill()
        await until(lambda: not any(each._client.session.is_established for each in (alice, bob)))
        sending = Do(lambda behaviour: behaviour.send(Message(to=bob.account.jid, body="after")))
        own_server.restart()
        await until(lambda: bob._client._is_known)
        alice.add_behaviour(sending, Template(performative="never"))
        await until(lambda: len(bob.got.messages) == 2)
        assert bob.got.bodies == ["before", "after"]


def cut(agent):
    """Cut an agent's connection, as a network may."""
    session = agent._client.session
    transport = getattr(session.xmpp, "transport", None) or session._connector._transport
    transport.abort()


def told(agent, name, monkeypatch):
    """Return an event that is set when an agent's session has told something."""
    event = asyncio.Event()
    method = getattr(agent._client, name)

    def tell(*arguments):
        method(*arguments)
        event.set()

    monkeypatch.setattr(agent._client, name, tell)
    return event


@pytest.mark.parametrize("domain", ["localhost", "stock.localhost"])  # the latter's sessions can be resumed
async def test_what_is_sent_between_two_sessions_waits_for_the_next(domain, own_server, monkeypatch):
    async with talkers(own_server, domain) as (alice, bob):
        greet = alice._client.greet

        async def follow_bob():  # a server without offline messages sends back what comes before he does
            await until(lambda: is_bob_back.is_set() and bob._client._is_known)
            await greet()

        is_bob_back = told(bob, "opened", monkeypatch)
        is_closed = told(alice, "closed", monkeypatch)
        monkeypatch.setattr(alice._client, "greet", follow_bob)
        own_server.kill()
        own_server.restart()
        async with asyncio.timeout(60):
            await is_closed.wait()
        sending = Do(lambda behaviour: behaviour.send(Message(to=bob.account.jid, body="between")))
        alice.add_behaviour(sending, Template(performative="never"))
        await until(lambda: bob.got.messages)
        await sending.join()
        assert bob.got.bodies == ["between"]
        assert not alice.container.dead_letters.total


async def test_who_asks_to_see_another_s_presence_between_two_sessions_is_told(own_server, monkeypatch):
    async with talkers(own_server, "localhost") as (alice, bob):
        closed, refused = alice._client.closed, []

        def subscribe():
            closed()
            with pytest.raises(LinkError, match="is not connected now, and will reconnect by itself"):
                alice.presence.subscribe(bob.account.jid)
            refused.append(bob)

        monkeypatch.setattr(alice._client, "closed", subscribe)
        own_server.kill()
        await until(lambda: refused)


async def test_a_session_that_is_resumed_loses_nothing(own_server, monkeypatch):
    async with talkers(own_server, "stock.localhost") as (alice, bob):
        is_new, is_interrupted = told(alice, "opened", monkeypatch), told(alice, "interrupted", monkeypatch)
        os.kill(own_server.pid, signal.SIGSTOP)
        await say(alice, bob.account.jid, "one")
        await until(lambda: alice._client._unconfirmed)
        cut(alice)
        async with asyncio.timeout(60):
            await is_interrupted.wait()
        await say(alice, bob.account.jid, "two")
        os.kill(own_server.pid, signal.SIGCONT)
        await until(lambda: len(bob.got.messages) == 2)
        await until(lambda: not alice._client._on_the_way)
        assert bob.got.bodies == ["one", "two"]
        assert not is_new.is_set()


@pytest.mark.parametrize("library", ["slixmpp"], indirect=True)  # aioxmpp looks after that itself
async def test_a_server_that_answers_no_more_is_noticed(own_server, monkeypatch):
    monkeypatch.setattr("formicary.xmpp.by_slixmpp._KEEPALIVE", 0.5)
    async with talkers(own_server, "stock.localhost") as (alice, bob):
        is_interrupted = told(alice, "interrupted", monkeypatch)
        os.kill(own_server.pid, signal.SIGSTOP)
        try:
            async with asyncio.timeout(60):
                await is_interrupted.wait()
        finally:
            os.kill(own_server.pid, signal.SIGCONT)
        await say(alice, bob.account.jid, "after")
        await until(lambda: bob.got.messages)
        assert bob.got.bodies == ["after"]


async def test_what_nobody_confirms_before_a_session_ends_fails(own_server, monkeypatch):
    async with talkers(own_server, "stock.localhost") as (alice, bob):
        are_back = [told(agent, "opened", monkeypatch) for agent in (alice, bob)]
        os.kill(own_server.pid, signal.SIGSTOP)
        await say(alice, bob.account.jid, "lost", reply_with="r")
        await until(lambda: alice._client._unconfirmed)
        own_server.kill()
        own_server.restart()
        await until(lambda: alice.got.messages)
        (failure,) = alice.got.messages
        assert (failure.performative, failure.in_reply_to) == ("failure", "r")
        assert "may not have got the message before the connection ended" in failure.body
        async with asyncio.timeout(60):
            await asyncio.gather(*(is_back.wait() for is_back in are_back))


async def test_what_waits_for_a_connection_is_not_lost_when_the_agent_ends(own_server, monkeypatch):
    async with talkers(own_server, "stock.localhost") as (alice, bob):
        is_interrupted = told(alice, "interrupted", monkeypatch)
        own_server.kill()
        async with asyncio.timeout(60):
            await is_interrupted.wait()
        await say(alice, bob.account.jid, "waits")
        await alice.stop()
        assert "did not get the message before the connection ended" in reasons(alice.container)[0]


@pytest.mark.parametrize("library", ["aioxmpp"], indirect=True)
async def test_an_agent_ends_whose_client_does_not_hear_that_it_is_to(own_server):
    connecting = asyncio.Event()

    async def loses_a_cancellation():  # as wait_for() of Python 3.11 where the answer comes just then
        connecting.set()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)

    async with talkers(own_server, "localhost") as (alice, _):
        alice._client.session.xmpp.before_stream_established.connect(loses_a_cancellation)
        own_server.kill()
        own_server.restart()
        async with asyncio.timeout(60):
            await connecting.wait()
            await alice.stop()


@pytest.mark.parametrize("library", ["aioxmpp"], indirect=True)
async def test_an_agent_that_is_not_started_after_all_leaves_nothing_behind(monkeypatch, account):
    connecting = asyncio.Event()

    def never(_stream):
        connecting.set()
        return asyncio.Future()

    monkeypatch.setattr("formicary.xmpp.by_aioxmpp._Stream.features_future", never)
    async with Container("c1") as container:
        starting = asyncio.create_task(container.start(XmppAgent(account(), "alice")))
        async with asyncio.timeout(60):
            await connecting.wait()
        starting.cancel()
        await asyncio.wait([starting])
        assert not [each for each in asyncio.all_tasks() if "OrderedStateMachine" in repr(each.get_coro())]


async def test_losing_the_account_is_an_error_of_the_agent(server, account):
    async with agents(account()) as (alice,):
        with AdminShell(server.folder.socket) as admin:
            admin.do(f'user:delete("{alice.account.jid}")')
        with pytest.raises(LinkError):
            async with asyncio.timeout(60):
                await alice.join()
        with pytest.raises(LinkError):
            await say(alice, "bob@localhost")
