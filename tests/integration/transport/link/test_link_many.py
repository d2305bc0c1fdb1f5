"""More other containers, one after the other, than a container can have links to."""

from __future__ import annotations

import pytest
from tests.integration.transport.raw import until
from tests.unit.core.agents import Collect, Echo, do, reasons, start

from formicary import Container, Message
from formicary.errors import LinkError
from formicary.transport import link_table


@pytest.fixture(autouse=True)
def _three(monkeypatch):
    """Have three be as many links as a container can have."""
    monkeypatch.setattr(link_table, "_LIMIT", 3)


async def send(container, to, name="sender"):
    """Send a message from a new agent."""
    sending = do(lambda behaviour: behaviour.send(Message(to=to, body="x")))
    agent = await start(container, name, sending)
    await sending.join()
    await agent.stop()


def unreached(container):
    return sum("cannot be reached" in reason for reason in reasons(container))


def peers(container):
    return sorted(status.peer.partition(".")[0] for status in container.links)


async def test_links_to_containers_that_are_not_there_make_room_for_others():
    async with Container("c1", listen="127.0.0.1") as c1:
        for number in range(2, 10):
            await send(c1, f"bob@c{number}")
            await until(lambda expected=number - 1: unreached(c1) == expected)
        assert len(c1.links) <= 3
        async with Container("c9", join=c1.join_address) as c9:
            await start(c9, "bob", collect := Collect())
            await send(c1, "bob@c9")
            await until(lambda: len(collect.messages) == 1)


async def test_who_was_forgotten_is_reached_again_when_it_is_there_by_agents_that_reached_it_before():
    async with Container("c1", listen="127.0.0.1") as c1:
        await start(c1, "ears", collect := Collect())
        for round_ in range(1, 4):
            async with Container("c2", join=c1.join_address) as c2:
                await start(c2, "echo", Echo())

                async def ask(behaviour):
                    await behaviour.send(Message(to="echo@c2", body="x", reply_to="ears"))

                await start(c1, f"asker-{round_}", do(ask))
                await until(lambda expected=round_: len(collect.messages) == expected)
            for number in range(3, 7):
                await send(c1, f"bob@c{number}")
                await until(lambda expected=4 * (round_ - 1) + number - 2: unreached(c1) == expected)
        assert "echo@c2.lab.localhost" not in c1.dispatcher.routes


async def test_a_container_whose_link_is_forgotten_gets_a_new_key_with_its_next_one():
    async with Container("c1", listen="127.0.0.1") as c1:
        direct = c1.dispatcher.transport._connections.endpoint
        key = direct.offer("c2.lab.localhost").key
        assert direct.offer("c2.lab.localhost").key == key
        for number in range(2, 6):
            await send(c1, f"bob@c{number}")
            await until(lambda expected=number - 1: unreached(c1) == expected)
        assert "c2" not in peers(c1)
        assert direct.offer("c2.lab.localhost").key != key


async def test_links_that_are_used_stay_and_the_container_that_was_joined_does():
    async with (
        Container("c1", listen="127.0.0.1") as c1,
        Container("c2", join=c1.join_address) as c2,
        Container("c3", join=c1.join_address) as c3,
    ):
        await until(lambda: len(c1.members) == len(c2.members) == len(c3.members) == 3)
        for number in range(4, 8):
            await send(c2, f"bob@c{number}")
            await until(lambda expected=number - 3: unreached(c2) == expected)
        assert {"c1", "c3"} <= set(peers(c2))


async def test_where_all_are_used_there_are_no_more():
    async with Container("c1", listen="127.0.0.1") as c1, Container("c2", join=c1.join_address):
        await until(lambda: len(c1.members) == 2)
        c1.dispatcher.transport.links.limit = 1
        with pytest.raises(LinkError, match="has links to 1 others, which is the limit"):
            c1.dispatcher.transport.link_to("c9.lab.localhost")
        assert peers(c1) == ["c2"]
