"""What one client with an account can do to a managed server: each is bounded, and told to the client."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import re
from itertools import count

import psutil
import pytest
from tests.faults.flooder import Client

from formicary import Agent, Container, CyclicBehaviour, Limits, Message, Network
from formicary.delivery import overflow
from formicary.server import ManagedServer

pytestmark = pytest.mark.server

_DOMAIN = "lab.localhost"
_users = count()


@pytest.fixture(scope="module")
def server():
    with ManagedServer(containers=["c1", "c2"]) as running:
        yield running
        assert "Traceback" not in running.folder.log.read_text()


@contextlib.asynccontextmanager
async def logged_in(server, user=None):
    """A client with a new account, or one more of an account's."""
    name = user or f"eve{next(_users)}"
    if user is None:
        server.create_account(name, "secret")
    client = Client(server.client_port, _DOMAIN)
    client.name = name
    try:
        await client.log_in(name, "secret", resource=f"r{next(_users)}")
        yield client
    finally:
        await client.close()


class Cost:
    """Processor time that the server takes from now on."""

    def __init__(self, server):
        self._process = psutil.Process(server.pid)
        self._start = self._now()

    def _now(self):
        times = self._process.cpu_times()
        return times.user + times.system

    @property
    def seconds(self):
        return self._now() - self._start


async def cost_of(server, client, stanzas, answers):
    """Send stanzas, wait for so many answers, and return the processor time that it took; 20 s at most."""
    cost = Cost(server)
    client.write("".join(stanzas))
    waiting = asyncio.ensure_future(client.until_answered(client.answers + answers))
    while not waiting.done() and cost.seconds < 20:
        await asyncio.wait([waiting], timeout=0.1)
    if not waiting.done():
        waiting.cancel()
    return cost.seconds


async def test_what_is_for_agents_that_do_not_exist_costs_little(server):
    async with Container("c1", server=server.address), logged_in(server) as client:
        stanzas = [f"<presence type='subscribe' to='n{n}@c1.{_DOMAIN}'/>" for n in range(3000)]
        stanzas += [f"<message to='n{n}@c1.{_DOMAIN}'><body>?</body></message>" for n in range(1000)]
        stanzas += [f"<iq type='get' to='n{n}@c1.{_DOMAIN}' id='{n}'><x xmlns='x'/></iq>" for n in range(500)]
        assert await cost_of(server, client, stanzas, len(stanzas)) < 8
        assert "<item" not in await roster(client)


async def roster(client):
    client.seen = b""
    client.write("<iq type='get' id='list'><query xmlns='jabber:iq:roster'/></iq>")
    await client.until(b"id='list'")
    await client.until(b"</iq>")
    return client.seen.decode()


async def test_agents_have_no_presence_and_no_place_on_a_contact_list(server):
    async with Container("c1", server=server.address) as c1, logged_in(server) as client:
        await c1.start(Agent("alice"))
        client.write(f"<presence type='subscribe' to='alice@c1.{_DOMAIN}'/>")
        await client.until(b"type='unsubscribed'")
        for kind in ("subscribed", "unsubscribe", "unsubscribed", "probe", "unavailable"):
            client.write(f"<presence type='{kind}' to='alice@c1.{_DOMAIN}'/>")
        client.write(f"<presence to='alice@c1.{_DOMAIN}'/>")
        assert "alice" not in await roster(client)
        assert client.answers == 1


async def test_accounts_that_do_not_exist_have_no_place_on_a_contact_list(server):
    async with logged_in(server) as client:
        stanzas = [f"<presence type='subscribe' to='n{n}@{_DOMAIN}'/>" for n in range(1000)]
        assert await cost_of(server, client, stanzas, 1000) < 5
        assert "<item" not in await roster(client)


async def test_accounts_still_see_each_others_presence(server):
    async with logged_in(server) as one, logged_in(server) as other:
        one.write(f"<presence type='subscribe' to='{other.name}@{_DOMAIN}'/>")
        await other.until(b"type='subscribe'")
        other.write(f"<presence type='subscribed' to='{one.name}@{_DOMAIN}'/>")
        await one.until(b"type='subscribed'")
        assert other.name in await roster(one)


def contact(number, name="x"):
    return (
        f"<iq type='set' id='c{number}'><query xmlns='jabber:iq:roster'>"
        f"<item jid='n{number}@example.org' name='{name}'/></query></iq>"
    )


def configured(server, text):
    """Start a server anew with more in its configuration."""
    included = server.folder.containers(server.address.platform)
    included.mkdir(mode=0o700, parents=True, exist_ok=True)
    (included / "more.cfg.lua").write_text(text, encoding="utf-8")
    server.restart()


async def test_a_contact_list_holds_so_many_and_a_contact_is_so_long():
    with ManagedServer() as server:
        configured(server, 'VirtualHost "small.localhost"\n    formicary_contacts = 5\n')
        server.create_account("eve", "secret", "small.localhost")
        client = Client(server.client_port, "small.localhost")
        await client.log_in("eve", "secret")
        client.write("".join(map(contact, range(5))) + contact(5))
        await client.until(b"resource-constraint")
        client.write("<presence type='subscribe' to='late@example.org'/>")
        await client.until_answered(2)
        client.write(contact(0, "y" * 5000))
        await client.until(b"policy-violation")
        client.write("<iq type='set' id='gone'><query xmlns='jabber:iq:roster'>")
        client.write("<item jid='n0@example.org' subscription='remove'/></query></iq>")
        await client.until(b"subscription='remove'")
        assert client.answers == 3
        client.write(contact(6))
        await client.until(b"id='c6'")
        assert client.answers == 3
        await client.close()


class Echo(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        await self.send(message.make_reply(body=message.body))


async def test_all_that_a_client_sends_at_once_arrives_and_in_order(server):
    async with logged_in(server) as one, logged_in(server) as other:
        to = re.search(rb"<jid>(.*?)</jid>", other.seen)[1].decode()
        one.write("".join(f"<message to='{to}'><body>number {n}.</body></message>" for n in range(5000)))
        seen = b""
        while b"number 4999." not in seen:
            assert await other.read()
            seen += other.seen
        numbers = dict.fromkeys(re.findall(rb"number (\d+)\.", seen))
        assert list(map(int, numbers)) == list(range(5000))


class Deaf(CyclicBehaviour):
    async def run(self):
        await asyncio.Event().wait()


async def test_an_agent_that_takes_nothing_gets_so_many_and_others_still_get_theirs(server, monkeypatch):
    monkeypatch.setattr(overflow, "_FROM_OUTSIDE", 50)
    monkeypatch.setattr(overflow, "_LIMIT", 200)
    async with (
        Container("c1", server=server.address, limits=Limits(mailbox=1, send_timeout=60)) as c1,
        Container("c2", server=server.address, network=Network(route="xmpp")) as c2,
        logged_in(server) as client,
    ):
        for name in ("deaf0", "deaf1", "deaf2"):
            deaf = Agent(name)
            deaf.add_behaviour(Deaf())
            await c1.start(deaf)
        echo = Agent("echo")
        echo.add_behaviour(Echo())
        await c1.start(echo)
        for name, refused in (("deaf0", 249), ("deaf1", 249), ("deaf2", 298)):
            expected = client.answers + refused
            client.write(f"<message to='{name}@c1.{_DOMAIN}' id='m'><body>x</body></message>" * 300)
            await client.until_answered(expected)
            assert b"<error type='wait'><resource-constraint" in client.seen
        assert c1.dead_letters.total == 796
        assert not c1.dispatcher.overflow.is_full
        client.write(f"<message to='echo@c1.{_DOMAIN}'><body>from outside</body></message>")
        await client.until(b"from outside")
        asking = Ask(10, "echo@c1")
        agent = Agent("asker")
        agent.add_behaviour(asking)
        await c2.start(agent)
        await asking.join()


class Ask(CyclicBehaviour):
    def __init__(self, limit, to="echo@c2"):
        super().__init__()
        self.to = to
        self.limit = limit
        self.count = 0

    async def run(self):
        await self.send(Message(to=self.to, body="x"))
        await self.receive()
        self.count += 1
        if self.count == self.limit:
            self.kill()


@pytest.mark.parametrize(
    "stanza",
    [
        f"<message to='n@c1.{_DOMAIN}'><body>?</body></message>",
        f"<iq type='get' to='{_DOMAIN}' id='d'><query xmlns='http://jabber.org/protocol/disco#items'/></iq>",
        "<iq type='get' id='r'><query xmlns='jabber:iq:roster'/></iq>",
        f"<message to='n@c1.{_DOMAIN}'><body>{'x' * 100_000}</body></message>",
    ],
    ids=["messages", "disco", "roster", "large"],
)
async def test_containers_go_on_while_a_client_sends_without_end(server, stanza):
    async with (
        Container("c1", server=server.address, network=Network(route="xmpp")) as c1,
        Container("c2", server=server.address, network=Network(route="xmpp")) as c2,
        logged_in(server) as client,
    ):
        echo = Agent("echo")
        echo.add_behaviour(Echo())
        await c2.start(echo)

        async def flood():
            while True:
                client.write(stanza * (1 + 20_000 // len(stanza)))
                await client.writer.drain()
                await asyncio.sleep(0.01)

        tasks = [asyncio.create_task(flood()), asyncio.create_task(client.until_answered(1 << 30))]
        try:
            asking = Ask(30)
            agent = Agent("asker")
            agent.add_behaviour(asking)
            await c1.start(agent)
            await asking.join()
            assert asking.count == 30
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


async def log_in_often(server, name, stack):
    for _ in range(9):
        await stack.enter_async_context(logged_in(server, name))


async def test_clients_are_bounded_in_number_and_strangers_make_room_for_who_comes_next():
    with ManagedServer(containers=["c1"]) as server:
        configured(server, 'Host "*"\n    formicary_client_connections = 8\n')
        strangers = [await asyncio.open_connection("127.0.0.1", server.client_port) for _ in range(5)]
        assert b"resource-constraint" in await strangers[0][0].read()  # the oldest of the five; four may stay
        async with contextlib.AsyncExitStack() as stack:
            first = await stack.enter_async_context(logged_in(server))
            for _ in range(3):
                await stack.enter_async_context(logged_in(server, first.name))
            for _, writer in strangers:
                writer.close()
            with pytest.raises(ConnectionError):
                await log_in_often(server, first.name, stack)
            async with Container("c1", server=server.address):
                pass
            assert "which is the limit: more are refused" in server.folder.log.read_text()


async def test_guessing_passwords_does_not_stop_containers(server):
    wrong = base64.b64encode(b"\0eve\0wrong").decode()
    client = Client(server.client_port, _DOMAIN)
    await client.connect()
    client.write(f"<auth xmlns='urn:ietf:params:xml:ns:xmpp-sasl' mechanism='PLAIN'>{wrong}</auth>" * 200)
    async with (
        Container("c1", server=server.address, network=Network(route="xmpp")) as c1,
        Container("c2", server=server.address, network=Network(route="xmpp")) as c2,
    ):
        echo = Agent("echo")
        echo.add_behaviour(Echo())
        await c2.start(echo)
        asking = Ask(100)
        agent = Agent("asker")
        agent.add_behaviour(asking)
        await c1.start(agent)
        await asking.join()
    await client.close()
