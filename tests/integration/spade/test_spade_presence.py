"""Presence of programs for SPADE, at a private server where their agents have accounts."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
from tests.integration.spade.waiting import until

from formicary import Container as Host
from formicary.server import ManagedServer
from formicary.spade.account import Accounts
from formicary.spade.agent import Agent, AuthenticationFailure
from formicary.spade.behaviour import CyclicBehaviour, OneShotBehaviour
from formicary.spade.container import Container
from formicary.spade.message import Message
from formicary.spade.presence import PresenceShow, PresenceType

pytestmark = [pytest.mark.server, pytest.mark.accounts]


@pytest.fixture(scope="module")
def server():
    with ManagedServer() as running:
        for name in ("ann", "bob", "eve", "out"):
            running.create_account(name, "secret", "localhost")
        yield running


@contextlib.asynccontextmanager
async def opened(server):
    """Have the program's container be open, at the server."""
    only = Container()
    only.reset()
    before, only.opener = only.opener, lambda: Host("c1", server=server.address)
    only.accounts = Accounts(server.folder.path)
    try:
        async with only.opened():
            yield only
    finally:
        only.opener, only.accounts = before, None


class Watching(Agent):
    """Notes what its presence says."""

    async def setup(self):
        self.said = []
        presence = self.presence
        presence.on_subscribe = lambda jid: self.said.append(("subscribe", jid))
        presence.on_subscribed = lambda jid: self.said.append(("subscribed", jid))
        presence.on_unsubscribe = lambda jid: self.said.append(("unsubscribe", jid))
        presence.on_available = lambda jid, info, last: self.said.append(("on", jid.split("/")[0], info.show))
        presence.on_unavailable = lambda jid, info, last: self.said.append(("off", jid.split("/")[0]))


async def test_who_is_asked_approves_and_asks_back_by_itself(server):
    async with opened(server):
        ann, bob = Watching("ann@localhost", "secret"), Watching("bob@localhost", "secret")
        await asyncio.gather(ann.start(), bob.start())
        bob.presence.set_presence(show=PresenceShow.DND, status="at work", priority=3)
        ann.presence.subscribe("bob@localhost")
        assert ann.presence.get_contact("bob@localhost").ask == "subscribe"
        await until(lambda: ("on", "bob@localhost", PresenceShow.DND) in ann.said)
        await until(lambda: ann.presence.get_contact("bob@localhost").subscription == "both")
        await until(lambda: bob.presence.get_contact("ann@localhost").subscription == "both")
        for one, contact in (ann, "bob@localhost"), (bob, "ann@localhost"):
            assert list(one.presence.get_contacts()) == [contact]
            assert {("subscribe", contact), ("subscribed", contact)} <= set(one.said)
        await until(ann.presence.get_contact("bob@localhost").is_available)
        seen = ann.presence.get_contact_presence("bob@localhost")
        assert (seen.type, seen.status, seen.priority) == (PresenceType.AVAILABLE, "at work", 3)
        bob.presence.set_presence(show=PresenceShow.AWAY)
        await until(lambda: ("on", "bob@localhost", PresenceShow.AWAY) in ann.said)
        await bob.stop()
        await until(lambda: ("off", "bob@localhost") in ann.said)
        assert not ann.presence.get_contact("bob@localhost").is_available()
        assert not bob.presence.is_available()
        ann.presence.unsubscribe("bob@localhost")
        await until(lambda: ann.presence.get_contact("bob@localhost").subscription == "from")
        assert ann.presence.get_contacts() == {}


async def test_what_an_agent_with_an_account_says_to_addresses_outside_leaves_the_platform(server):
    async with opened(server) as program:
        from formicary import CyclicBehaviour as Ours
        from formicary import XmppAgent
        from formicary.server import AccountAddress

        class Echo(Ours):
            async def run(self):
                message = await self.receive()
                await self.reply(message, body=f"{message.body}!")

        class Say(OneShotBehaviour):
            async def run(self):
                await self.send(Message(to="out@localhost", body="hello"))
                self.answer = await self.receive(timeout=60)

        outside = AccountAddress(
            "out@localhost", "secret", host="127.0.0.1", port=server.client_port, insecure=True
        )
        async with Host("elsewhere", platform="other.localhost") as host:
            echo = XmppAgent(outside)
            echo.add_behaviour(Echo())
            await host.start(echo)
            program._meets_until = 0  # it knows all others
            ann, say = Agent("ann@localhost", "secret"), Say()
            ann.add_behaviour(say)
            await ann.start()
            await say.join(60)
        assert say.answer.body == "hello!"
        assert say.answer.sender.bare == "out@localhost"


async def test_without_an_account_presence_says_how_to_get_one_and_the_agent_runs(server, caplog):
    async with opened(server):

        class Wait(CyclicBehaviour):
            async def run(self):
                await self.receive(timeout=1)

        for agent, reason in (
            (
                Agent("nobody@localhost", "secret"),
                "the server has no account nobody@localhost; create it before",
            ),
            (
                Agent("ann@localhost"),
                "ann@localhost is an account, and the program passes no password for it",
            ),
        ):
            agent.add_behaviour(Wait())
            await agent.start()
            assert agent.is_alive()
            agent.presence.subscribe("bob@localhost")
            assert reason in caplog.text


async def test_a_wrong_password_is_spades_error(server):
    async with opened(server):
        agent = Agent("ann@localhost", "wrong")
        with pytest.raises(AuthenticationFailure, match="does not accept the password of ann@localhost"):
            await agent.start()
        assert not agent.is_alive()
