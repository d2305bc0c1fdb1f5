"""Containers that send by direct connections only: messages wait for one, and go by whichever comes to be."""

from __future__ import annotations

import pytest
from tests.integration.transport.raw import until, way
from tests.unit.core.agents import Collect, do, reasons, start

from formicary import Message, Network
from formicary.errors import LinkError
from formicary.transport.direct import DirectEndpoint
from formicary.transport.direct.connections import Connections
from formicary.transport.link import failure_detector
from formicary.transport.link.header import HEADER, HELLO, SIZE

BODIES = [str(number) for number in range(200)]


@pytest.fixture
def held_answers(monkeypatch):
    """Have the one in the middle keep all by which c3 could learn of c2, until this is called; or lose it."""
    is_over = False
    pass_on = Connections._pass_on
    held = []

    def hold(self, sender, domain, inner):
        kind, _, _, _, answered = HEADER.unpack(inner[:SIZE])
        if kind == HELLO and answered and sender.domain == "c2.lab.localhost" and not is_over:
            held.append((self, sender, domain, inner))
        else:
            pass_on(self, sender, domain, inner)

    def end(*, are_lost=False):
        nonlocal is_over
        is_over = True
        for arguments in () if are_lost else held:
            pass_on(*arguments)

    monkeypatch.setattr(Connections, "_pass_on", hold)
    return end


@pytest.fixture
def dials(monkeypatch):
    """How often one has dialled another in vain, by both names."""
    failed = {}
    dial = DirectEndpoint.dial

    async def count(self, peer, offer):
        try:
            return await dial(self, peer, offer)
        except LinkError:
            both = (self._domain.partition(".")[0], peer.partition(".")[0])
            failed[both] = failed.get(both, 0) + 1
            raise

    monkeypatch.setattr(DirectEndpoint, "dial", count)
    return failed


def send(to):
    async def send_all(behaviour):
        for body in BODIES:
            await behaviour.send(Message(to=to, body=body))

    return do(send_all)


@pytest.mark.parametrize("are_lost", [False, True])
async def test_messages_wait_where_the_other_does_not_know_yet_who_dials_it(
    joined, held_answers, dials, are_lost
):
    async with joined("c1", "c2", "c3", network=Network(route="direct", tls="always")) as (_, c2, c3):
        got = Collect()
        await start(c3, "b", got)
        await start(c2, "a", send("b@c3"))
        await until(lambda: dials.get(("c2", "c3"), 0) >= 3)
        assert reasons(c2) == []
        held_answers(are_lost=are_lost)
        await until(lambda: len(got.messages) == len(BODIES))
        assert got.bodies == BODIES
        assert reasons(c2) == []


@pytest.mark.parametrize(("sender", "receiver"), [("c2", "c3"), ("c3", "c2")])
async def test_where_only_the_other_end_can_connect_messages_wait_until_it_has(
    joined, monkeypatch, sender, receiver
):
    dial = DirectEndpoint.dial

    async def dial_one_way(self, peer, offer):
        if peer == f"{receiver}.lab.localhost":
            raise LinkError(f"{peer} does not listen anywhere that this host can reach")
        return await dial(self, peer, offer)

    monkeypatch.setattr(DirectEndpoint, "dial", dial_one_way)
    async with joined("c1", "c2", "c3", network=Network(route="direct")) as (_, *both):
        source, target = sorted(both, key=lambda one: one.name != sender)
        got = Collect()
        await start(target, "b", got)
        await start(source, "a", send(f"b@{receiver}"))
        await until(lambda: len(got.messages) == len(BODIES))
        assert got.bodies == BODIES
        assert reasons(source) == []
        assert source.dispatcher.transport.links[target.domain].direct.is_dialler is False


async def test_where_neither_can_connect_the_senders_are_told_in_the_end_and_why(
    joined, no_way_but_to, monkeypatch
):
    monkeypatch.setattr(failure_detector, "GIVE_UP", 0.5)
    no_way_but_to("c1.lab.localhost")
    async with joined("c1", "c2", "c3", network=Network(route="direct")) as (_, c2, c3):
        await start(c3, "b", Collect())
        await start(c2, "a", send("b@c3"))
        await until(lambda: len(reasons(c2)) == len(BODIES))
        (said,) = set(reasons(c2))
        assert said == (
            "container c3 cannot be reached: nothing was heard of it for 0.5 s; the message was not "
            "delivered; there is no direct connection to c3: "
            "cannot connect to c3.lab.localhost: No route to host; is it running?"
        )
        monkeypatch.undo()
        await start(c2, "again", send("b@c3"))
        await way(c2, "c3", "direct")


async def test_one_that_ends_before_there_is_a_connection_is_away(joined, held_answers, dials):
    async with joined("c1", "c2", network=Network(route="direct", tls="always")) as (_, c2):
        async with joined("c3", network=Network(route="direct", tls="always")) as (c3,):
            await start(c3, "b", Collect())
            await start(c2, "a", send("b@c3"))
            await until(lambda: dials.get(("c2", "c3"), 0) >= 2)
            assert reasons(c2) == []
        await until(lambda: len(reasons(c2)) == len(BODIES))
        (said,) = set(reasons(c2))
        assert said.startswith(
            "container c3 cannot be reached: it was disconnected for 3 s; the message was not delivered; "
            "there is no direct connection to c3: cannot connect to c3.lab.localhost at "
        )
