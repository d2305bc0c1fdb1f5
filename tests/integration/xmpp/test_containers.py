"""Whole containers that share an account."""

from __future__ import annotations

import contextlib

import pytest
from tests.unit.core.agents import Do, Echo, start

from formicary import Container, Message, Network
from formicary.errors import InvalidMessageError, NameTakenError

pytestmark = [pytest.mark.server, pytest.mark.accounts]


@contextlib.asynccontextmanager
async def containers(address, *names, **options):
    async with contextlib.AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                Container(name, platform=address.platform, server=address, **options)
            )
            for name in names
        ]


async def ask(container, address, body):
    async def run(behaviour):
        await behaviour.send(Message(to=address, body=body, performative="request"))
        return await behaviour.receive(timeout=60)

    asking = Do(run)
    agent = await start(container, "asker", asking)
    await asking.join()
    await agent.stop()
    return asking.result


@pytest.mark.parametrize("route", ["auto", "xmpp"])
@pytest.mark.parametrize("domain", ["localhost", "stock.localhost"])
async def test_agents_of_two_containers_talk(account, route, domain):
    async with containers(account(domain), "c1", "c2", network=Network(route=route)) as (c1, c2):
        await start(c2, "echo", Echo())
        for size in (1, 100, 400_000):
            answer = await ask(c1, "echo@c2", "x" * size)
            assert (len(answer.body), answer.sender) == (size, f"echo@{c2.domain}")
        assert {status.way for status in c1.links} == {"xmpp" if route == "xmpp" else "direct"}


async def test_a_container_that_is_not_there_is_told(account):
    async with containers(account("stock.localhost"), "c1") as (c1,):
        answer = await ask(c1, "echo@c2", "hello")
        assert answer.performative == "failure"
        assert answer.metadata["receiver"] == f"echo@c2.{c1.platform}"


async def test_a_second_container_of_a_name_is_refused(account):
    address = account("new.localhost")
    async with containers(address, "c1"):
        with pytest.raises(NameTakenError, match="'c1' is connected to the account"):
            async with containers(address, "c1"):
                pass


async def test_agents_without_an_address_cannot_write_to_others(account):
    async with containers(account(), "c1") as (c1,):
        with pytest.raises(InvalidMessageError, match="XmppAgent"):
            await ask(c1, "bob@example.org", "hello")
