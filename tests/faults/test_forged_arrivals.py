"""Hand-over messages from outsiders are ignored: no agent starts."""

from __future__ import annotations

import base64

import msgspec
import pytest
from tests.integration.mobility.travellers import HERE, Plain
from tests.integration.transport.raw import RawClient, until
from tests.unit.core.agents import Echo, start

from formicary import Container
from formicary.fipa.language import CLONING
from formicary.mobility import plain_data
from formicary.mobility.departing import Parcel, encode_parcel
from formicary.mobility.handover.exchange import Envelope, Prepare, Proceed, Step
from formicary.mobility.on_demand import CHANNEL
from formicary.mobility.snapshot import Snapshot
from formicary.server import ManagedServer
from formicary.transport.link.header import DATA, HEADER, HELLO, SessionParameters, write_parameters
from formicary.transport.link.orders import control_order

FRAME = "urn:formicary:frame:2"
PROBE = f"{Plain.__module__}:{Plain.__name__}"
_encode = msgspec.msgpack.Encoder().encode


def snapshot():
    """Return an agent that the containers here would accept."""
    return _encode(Snapshot(1, PROBE, 1, "active", plain_data.NIL))


def arrival(address, receiver, witness):
    """Return a source's messages to the destination of an agent, from start to end."""
    parcel = encode_parcel(Parcel(msgspec.Raw(snapshot())))
    events = [Prepare(address, 1 << 20, witness, parcel), Proceed(address, 1 << 20, Step.START)]
    return _encode(Envelope(7, receiver, events))


def refusals(caplog):
    return [each.getMessage() for each in caplog.records if "dropped a stanza" in each.getMessage()]


async def goes_on(c1, c2):
    """Check that containers, and agents that move, still work."""
    alice = await start(c1, "alice", Echo())
    assert [agent.name for agent in c1.agents] == ["alice"]
    await alice.stop()
    await c1.start(bob := Plain("bob"))
    await bob.move("c2")
    assert [agent.name for agent in c2.agents] == ["bob"]
    assert c1.dead_letters.total == c2.dead_letters.total == 0


def stanza(frame, origin):
    text = base64.b64encode(frame).decode()
    return f"<message to='c1.lab.localhost'{origin} id='x'><frame xmlns='{FRAME}'>{text}</frame></message>"


@pytest.mark.server
@pytest.mark.parametrize("claims", ["itself", "a container"])
async def test_a_client_with_an_account_hands_over_no_agent(claims, caplog):
    with ManagedServer(containers=["c1", "c2"]) as server:
        account = server.create_account("eve", "secret", "localhost")
        options = {"server": server.address, "accepts": [HERE]}
        async with (
            Container("c1", **options) as c1,
            Container("c2", **options) as c2,
            RawClient(server, account, "secret") as eve,
        ):
            await until(lambda: len(c1.members) == 2)
            own = c1.members[c1.domain]
            told = arrival(f"eve@{c1.domain}", own, own)
            hello = HEADER.pack(HELLO, 7, 0, 99, 0) + write_parameters(SessionParameters())
            data = HEADER.pack(DATA, 7, 1, 1, 0) + control_order(CHANNEL, told)
            origin = f" from='{c2.domain}'" if claims == "a container" else ""
            for frame in (hello, data):
                eve.send(stanza(frame, origin))
            await until(lambda: len(refusals(caplog)) == 2)
            for refusal in refusals(caplog):
                assert "dropped a stanza from eve@localhost" in refusal  # as the server vouches for
                assert "is not a container of this platform, so it may not send frames" in refusal
            order = base64.b64encode(snapshot()).decode()
            eve.send(f"<message to='ams@{c1.domain}' id='y'><body>{order}</body></message>")
            await goes_on(c1, c2)


async def test_a_guest_of_a_direct_link_hands_over_no_agent(caplog):
    async with (
        Container("c1", listen="127.0.0.1", accepts=[HERE]) as c1,
        Container("c2", join=c1.join_address, accepts=[HERE]) as c2,
        Container("eve", join=c1.join_address, guest=True) as eve,
    ):
        await until(lambda: len(c1.members) == 2)
        own = (await eve.management.describe("c1")).incarnation  # which is no secret
        assert own == c1.members[c1.domain]
        for address in (f"eve@{c1.domain}", f"eve@{eve.domain}", f"eve@{c2.domain}"):
            told = arrival(address, own, own)
            assert eve.dispatcher.transport.send_control(c1.domain, CHANNEL, told)
        await until(lambda: len(refusals(caplog)) == 3)
        for refusal in refusals(caplog):
            assert refusal == (
                "container c1 dropped a stanza from eve.lab.localhost: eve.lab.localhost is not "
                "known as a container of this platform, so it may not move agents"
            )
        agent = eve.platform_services.agent
        order = _encode([f"eve@{eve.domain}", "eve", msgspec.Raw(snapshot())])
        message = agent.make_request(f"ams@{c1.domain}", order, CLONING).replace(language="msgpack")
        answer = await agent.ask(message)
        assert answer.performative == "refuse"
        assert "ams@eve.lab.localhost is not one of the platform's containers" in answer.body
        await goes_on(c1, c2)
