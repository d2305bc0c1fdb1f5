"""Management through an XMPP server, and by those who are no agents of the platform."""

from __future__ import annotations

import json
import re
from xml.sax.saxutils import escape, unescape

import pytest
from tests.integration.management.conftest import CREW
from tests.integration.transport.raw import RawClient, until
from tests.unit.core.agents import Deaf, start

from formicary import AgentState, Container, Network
from formicary.server import ManagedServer

pytestmark = pytest.mark.server


@pytest.fixture(scope="module")
def server():
    """A server that the module's tests share."""
    with ManagedServer() as running:
        yield running


async def test_containers_at_a_server_manage_each_others_agents(server):
    async with (
        Container("c1", server=server.address, network=Network(route="xmpp")) as c1,
        Container("c2", server=server.address, network=Network(route="xmpp"), creatable=[CREW]) as c2,
    ):
        await until(lambda: len(c1.members) == len(c2.members) == 2)
        assert await c1.management.create(f"{CREW}:Cell", "bob", container="c2") == f"bob@{c2.domain}"
        for container in (c1, c2):
            assert [agent.name for agent in await container.management.list_agents()] == [f"bob@{c2.domain}"]
            described = await container.management.list_containers()
            assert [(each.name, each.is_main) for each in described] == [("c1", True), ("c2", False)]
            assert {link.way for each in described for link in each.links} == {"xmpp"}
        await c1.management.kill("bob@c2")
        assert c2.agents == ()


async def test_a_client_with_an_account_may_search_and_nothing_else(server):
    account = server.create_account("eve", "secret", "localhost")
    async with Container("c1", server=server.address) as c1, RawClient(server, account, "secret") as eve:
        bob = await start(c1, "bob", Deaf())
        said, content = await asked(eve, c1, {"action": "search", "container": "c1"})
        assert (said, [agent["name"] for agent in content["agents"]]) == ("inform", [bob.address])
        for refused in ({"action": "kill", "agent": "bob"}, {"action": "list-containers"}):
            said, content = await asked(eve, c1, refused)
            assert (said, content["error"]) == ("refuse", "unauthorised")
        assert bob.state is AgentState.ACTIVE


async def asked(client, container, content):
    """Ask a container's management agent; return the performative of the answer, and its content."""
    client.send(
        f"<message to='ams@{container.domain}'><body>{escape(json.dumps(content))}</body>"
        "<x xmlns='jabber:x:data' type='form'><title>spade:x:metadata</title>"
        "<field var='performative' type='text-single'><value>request</value></field></x></message>"
    )
    answer = await client.until("<message.*?</message>")
    performative = re.search(r"var=.performative.[^>]*><value>([a-z-]+)<", answer)[1]
    body = re.search("<body>(.*)</body>", answer, re.DOTALL)[1]
    return performative, json.loads(unescape(body, {"&quot;": '"', "&apos;": "'"}))
