"""Two gateways, and what agents say to each other across them."""

from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from tests.integration.gateway.conftest import Echo, platforms, until

from formicary import Agent, Container, Gateway, Message
from formicary.errors import ContainerClosedError, FailedError, LinkError, UsageError
from formicary.protocols import ContractNet, Propose, Refuse, responds

pytestmark = pytest.mark.gateway


class Seller(Agent):
    def __init__(self, name, price):
        super().__init__(name)
        self.price = price

    @responds(ContractNet)
    async def sell(self, call):
        if self.price is None:
            raise Refuse("sold out")
        answer = yield Propose(str(self.price))
        if answer.performative == "accept-proposal":
            yield f"{self.name} has sold {call.body}"


async def test_a_contract_net_with_sellers_of_both_platforms():
    async with platforms() as (left, near, right, far):
        await left.start(Seller("own", 20))
        await right.start(Seller("cheap", 10))
        await right.start(Seller("out", None))
        theirs = {name: near.name_of(f"{name}@c1.right.localhost") for name in ("cheap", "out", "nobody")}
        async with left.contract_net(["own", *theirs.values()], "a piano", timeout=60) as net:
            bids = {bid.sender: bid async for bid in net.bids}
            result = await net.award(bids[theirs["cheap"]])
        assert {name: bid.body for name, bid in bids.items()} == {
            "own@c1.left.localhost": "20",
            theirs["cheap"]: "10",
        }
        assert result.body == "cheap has sold a piano"
        assert [refusal.body for refusal in net.refused.values()] == ["sold out"]
        assert "no agent named 'nobody' lives in container c1" in str(net.failed[theirs["nobody"]])
        assert (near.refused, far.refused) == (0, 1)


async def test_every_part_of_a_message_is_carried():
    async with platforms() as (left, _, right, _):
        await left.start(Echo("other"))
        await right.start(echo := Echo())
        message = Message(
            to=["echo%c1.right.localhost", "other"],
            body=b"\x00\xff",
            performative="request",
            thread="a thread",
            reply_to="other",
            language="fipa-sl",
            encoding="base 64",
            ontology="(12)",
            protocol="fipa-request",
            conversation_id='quoted "\\',
            reply_with="20261231T235959000Z",
            in_reply_to="",
            reply_by=datetime.now(UTC).replace(microsecond=1000) + timedelta(minutes=1),
            metadata={"colour": "ä\n", "X-y": ""},
        )
        await left.dispatcher.send(message.replace(sender="asker@c1.left.localhost"))
        await until(lambda: echo.got)
        assert echo.got == [
            message.replace(
                to="echo@c1.right.localhost",
                sender="asker%c1.left.localhost@c1.right.localhost",
                reply_to="other%c1.left.localhost@c1.right.localhost",
            )
        ]


async def test_agents_of_other_containers_reach_the_gateway_by_name():
    async with platforms(knows=False) as (_, _, right, far):
        await right.start(echo := Echo())
        async with (
            Container("c1", platform="third.localhost", listen="127.0.0.1") as main,
            Gateway(main, port=0, peers={"right.localhost": far.address}) as gateway,
            Container("c2", join=main.join_address) as other,
        ):
            far.know("third.localhost", gateway.address)
            to = "echo%c1.right.localhost@c1"
            answer = await other.conversations.ask(Message(to=to, body="hello", performative="request"), 60)
            assert answer.body == "hello"
            assert echo.got[0].sender == "formicary-asker%c2.third.localhost@c1.right.localhost"
            with pytest.raises(FailedError, match="no agent named 'nobody'"):
                await other.conversations.ask(Message(to="nobody%c1.right.localhost@c1"), 60)
            # Back to an agent that is in no container of the platform: its sender learns of that, too.
            lost = Message(to="nobody%c2.third.localhost")
            with pytest.raises(FailedError, match="no agent named 'nobody'"):
                await right.conversations.ask(lost, 60)


async def test_messages_of_one_agent_stay_in_order():
    async with platforms() as (left, near, right, _):
        await right.start(echo := Echo())
        for number in range(50):
            message = Message(to="echo%c1.right.localhost", body=str(number), performative="inform")
            await left.dispatcher.send(message.replace(sender="asker@c1.left.localhost"))
        await until(lambda: len(echo.got) == 50)
        assert [message.body for message in echo.got] == [str(number) for number in range(50)]
        assert near.sent == 50


async def test_what_waits_when_the_gateway_closes_is_brought_first():
    async with Container("c1", platform="right.localhost") as right, Gateway(right, port=0) as far:
        await right.start(echo := Echo())
        async with Container("c1") as left:
            async with Gateway(left, port=0, peers={"right.localhost": far.address}):
                for number in range(20):
                    await left.dispatcher.send(
                        Message(to="echo%c1.right.localhost", sender="x@c1.lab.localhost", body=str(number))
                    )
            assert len(echo.got) == 20
            with pytest.raises(FailedError, match="lives in container"):
                await left.conversations.ask(Message(to="echo%c1.right.localhost"), 60)


async def test_what_cannot_be_opened_says_why(caplog):
    container = Container("c1")
    with pytest.raises(ContainerClosedError, match="not open"):
        await Gateway(container, port=0).__aenter__()
    async with container, Gateway(container, port=0) as gateway:
        with pytest.raises(UsageError, match="has a gateway already"):
            await Gateway(container, port=0).__aenter__()
        async with Container("c2") as other:
            port = int(gateway.address.split(":")[2].split("/")[0])
            with pytest.raises(LinkError, match="choose another port"):
                await Gateway(other, port=port).__aenter__()
    async with container_with_public_gateway() as public:
        assert public.address == "http://192.0.2.1:1/acc"
        assert "for other hosts, and accepts messages from nobody" in caplog.text


@asynccontextmanager
async def container_with_public_gateway():
    """A gateway that says that it listens for others; but no test does."""
    async with Container("c3") as container:
        gateway = Gateway(container, host="0.0.0.0", port=0, address="http://192.0.2.1:1/acc")
        gateway._host = "127.0.0.1"
        async with gateway:
            yield gateway


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"host": "localhost"}, "an IP address of this host"),
        ({"host": "0.0.0.0"}, "set one"),
        ({"port": 70_000}, "a port must be a number"),
        ({"limit": 0}, "more than 0"),
        ({"peers": {"jade": "jade:7778"}}, "not a platform's address"),
    ],
)
def test_invalid_options_are_refused(options, why):
    with pytest.raises(UsageError, match=why):
        Gateway(Container("c1"), **options)


def test_without_its_extra_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr("formicary.gateway.gateway.find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r"pip install 'formicary\[gateway\]'"):
        Gateway(Container("c1"))
