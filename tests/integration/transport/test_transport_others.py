"""Plain XMPP with others: a slixmpp client and stock SPADE agents, both ways."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from pathlib import Path

import pytest
from tests.integration.transport.raw import until
from tests.plugins import spade_environment
from tests.unit.core.agents import Collect, do, start

from formicary import Agent, CyclicBehaviour, Message, Template
from formicary.protocols import ContractNet, Propose, Request, responds

pytestmark = [pytest.mark.server, pytest.mark.spade]

HERE = Path(__file__).parent
_numbers = itertools.count()


class Peer:
    """Another program with an account at the server, and the lines that it prints."""

    def __init__(self, process, account):
        self.process = process
        self.account = account

    async def line(self):
        async with asyncio.timeout(60):
            line = await self.process.stdout.readline()
        assert line, "the other program ended"
        return json.loads(line)


@pytest.fixture
def peer(server):
    """Start another program: `async with peer("spade_peer", "bob") as bob`."""

    @contextlib.asynccontextmanager
    async def run(script, name, *partner):
        account = server.create_account(f"{name}{next(_numbers)}", "secret", "localhost")
        process = await asyncio.create_subprocess_exec(
            spade_environment.PYTHON,
            HERE / f"{script}.py",
            account,
            "secret",
            str(server.client_port),
            *partner,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(60):
                assert await process.stdout.readline() == b"ready\n"
            yield Peer(process, account)
        finally:
            process.stdin.close()
            try:
                async with asyncio.timeout(60):
                    await process.stdout.read()  # it may be waiting to print
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()

    return run


class Respond(CyclicBehaviour):
    """Answers what is no answer."""

    def __init__(self):
        super().__init__()
        self.messages = []

    async def run(self):
        message = await self.receive()
        self.messages.append(message)
        if message.body != "yes":
            await self.reply(message, body=f"{message.body}?")


async def test_a_spade_agent_asks_and_gets_its_answer(containers, peer):
    async with containers("c1") as (c1,):
        responding = Respond()
        responding.template = Template(performative="request", ontology="o")
        await start(c1, "alice", responding)
        async with peer("spade_peer", "spade", "alice@c1.lab.localhost") as spade:
            answer = await spade.line()
        (asked,) = responding.messages
        assert asked == Message(
            to="alice@c1.lab.localhost",
            sender=asked.sender,
            body="ask é\n<&>",
            performative="request",
            ontology="o",
            conversation_id="c",
            reply_with="r",
            thread="t1",
            metadata={"colour": "blue & <green>"},
        )
        assert asked.sender.startswith(f"{spade.account}/")
        assert answer == {
            "sender": "alice@c1.lab.localhost",
            "to": asked.sender,
            "body": "ask é\n<&>?",
            "thread": "t1",
            "metadata": {
                "performative": "inform",
                "ontology": "o",
                "conversation-id": "c",
                "in-reply-to": "r",
            },
        }


async def test_an_agent_asks_a_spade_agent_and_gets_its_answer(containers, peer):
    async with containers("c1") as (c1,), peer("spade_peer", "spade") as spade:

        async def ask(behaviour):
            message = Message(
                to=spade.account,
                body="question",
                performative="request",
                protocol="fipa-request",
                conversation_id="c7",
                thread="t7",
                reply_to="alice",
                metadata={"key": "value"},
            )
            await behaviour.send(message)
            return await behaviour.receive(timeout=60)

        asking = do(ask)
        await start(c1, "alice", asking)
        await asking.join()
        assert await spade.line() == {
            "sender": "alice@c1.lab.localhost",
            "to": spade.account,
            "body": "question",
            "thread": "t7",
            "metadata": {
                "performative": "request",
                "protocol": "fipa-request",
                "conversation-id": "c7",
                "reply-to": "alice@c1.lab.localhost",
                "key": "value",
            },
        }
        answer = asking.result
        assert (answer.body, answer.performative, answer.thread) == ("question!", "inform", "t7")
        assert (answer.protocol, answer.conversation_id, answer.get_metadata("key")) == (
            "fipa-request",
            "c7",
            "value",
        )
        assert answer.sender.startswith(f"{spade.account}/")


async def test_many_messages_to_a_spade_agent_and_back_keep_their_order(containers, peer):
    async with containers("c1") as (c1,), peer("spade_peer", "spade") as spade:

        async def ask(behaviour):
            for number in range(100):
                await behaviour.send(Message(to=spade.account, body=str(number), performative="request"))
            return [(await behaviour.receive(timeout=60)).body for _ in range(100)]

        asking = do(ask)
        await start(c1, "alice", asking)
        await asking.join()
        assert asking.result == [f"{number}!" for number in range(100)]


async def test_a_slixmpp_client_writes_and_gets_its_answer(containers, peer):
    async with containers("c1") as (c1,):
        responding = Respond()
        await start(c1, "alice", responding)
        async with peer("slixmpp_peer", "slix", "alice@c1.lab.localhost") as client:
            answer = await client.line()
            await until(lambda: len(responding.messages) == 2)
        assert answer["body"] == "hello ü <&>\n?"
        assert (answer["thread"], answer["type"]) == ("t1", "chat")
        message = responding.messages[0]
        assert (message.body, message.thread, message.metadata) == ("hello ü <&>\n", "t1", None)
        assert responding.messages[1].body == "yes"


async def test_an_agent_writes_to_a_slixmpp_client_and_gets_its_answer(containers, peer):
    async with containers("c1") as (c1,), peer("slixmpp_peer", "slix") as client:
        got = Collect()
        sent = Message(to=client.account, body="are you there?", thread="t9", performative="query-if")
        await start(c1, "alice", got, do(lambda own: own.send(sent)))
        await until(lambda: got.messages)
        assert (got.messages[0].body, got.messages[0].thread) == ("yes", "t9")
        assert (await client.line())["body"] == "are you there?"


async def test_a_client_that_writes_to_nobody_is_told_by_an_error(containers, peer):
    async with containers("c1"), peer("slixmpp_peer", "slix", "nobody@c1.lab.localhost") as client:
        told = await client.line()
        assert told["type"] == "error"
        assert told["error"] == "no agent named 'nobody' lives in container c1"


async def test_a_client_that_is_not_there_is_a_failure(containers, peer, server):
    async with containers("c1") as (c1,):
        async with peer("slixmpp_peer", "slix") as client:
            pass
        got = Collect()
        await start(c1, "alice", got, do(lambda own: own.send(Message(to=client.account, body="late"))))
        await until(lambda: got.messages)
        assert got.messages[0].performative == "failure"
        assert got.messages[0].body.startswith(f"{client.account} cannot be reached: ")


SPADE_LATER, SLIXMPP_LATER = (
    pytest.param(name, marks=pytest.mark.full("the other begins or takes part"))
    for name in ("spade_trader", "slixmpp_trader")
)


class Trader(Agent):
    """Takes part in requests and contract nets."""

    @responds(Request)
    async def act(self, message):
        return f"{message.body} done here"

    @responds(ContractNet)
    async def sell(self, call):
        answer = yield Propose("20")
        if answer.performative == "accept-proposal":
            yield "delivered from here"


@pytest.mark.parametrize("script", [SPADE_LATER, "slixmpp_trader"])
async def test_others_begin_a_request_and_a_contract_net_with_an_agent(containers, peer, script):
    async with containers("c1") as (c1,):
        await c1.start(Trader("alice"))
        async with peer(script, "trader", "alice@c1.lab.localhost") as other:
            said = [await other.line() for _ in range(3)]
    assert sorted(said) == [
        ["inform", "delivered from here"],
        ["inform", "request done here"],
        ["propose", "20"],
    ]


@pytest.mark.parametrize("script", ["spade_trader", SLIXMPP_LATER])
async def test_others_take_part_in_a_request_and_a_contract_net(containers, peer, script):
    async with containers("c1") as (c1,), peer(script, "trader") as other:
        await c1.start(Trader("alice"))
        assert (await c1.request(other.account, "paint", timeout=60)).body == "done"
        assert await other.line() == ["request", "paint"]
        async with c1.contract_net(["alice", other.account], "a piano", timeout=60) as net:
            bids = {bid.body: bid async for bid in net.bids}
            assert bids["10"].sender.startswith(f"{other.account}/")
            assert (await net.award(bids["10"])).body == "delivered"
        async with c1.contract_net(["alice", other.account], "a harp", timeout=60) as net:
            bids = {bid.body: bid async for bid in net.bids}
            assert (await net.award(bids["20"])).body == "delivered from here"
        assert [(await other.line())[0] for _ in range(4)] == [
            "cfp",
            "accept-proposal",
            "cfp",
            "reject-proposal",
        ]
