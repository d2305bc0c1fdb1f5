from __future__ import annotations

import contextlib

import pytest

from formicary import Container, Network
from formicary.errors import LinkError
from formicary.server import ManagedServer
from formicary.transport.direct import DirectEndpoint, endpoint


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """Allow a busy machine a minute to open a connection."""
    monkeypatch.setattr(endpoint, "_OPENING_TIMEOUT", 60.0)


@pytest.fixture(scope="module")
def server():
    """A server that the module's tests share; containers' names come free again after each test."""
    with ManagedServer() as running:
        yield running


@pytest.fixture
def containers(server):
    """Open containers on the server: `async with containers("c1", "c2") as (c1, c2)`.

    They talk through the server only; with `route="auto"` they would find that they can do without.
    """

    @contextlib.asynccontextmanager
    async def open_all(*names, **options):
        async with contextlib.AsyncExitStack() as stack:
            yield [
                await stack.enter_async_context(
                    Container(name, server=server.address, **{"network": Network(route="xmpp"), **options})
                )
                for name in names
            ]

    return open_all


@pytest.fixture
def joined():
    """Open containers that meet at the first of them, without a server; for `async with`, as `containers`."""
    meeting = []

    @contextlib.asynccontextmanager
    async def open_all(*names, **options):
        async with contextlib.AsyncExitStack() as stack:
            opened = []
            for name in names:
                where = {"join": meeting[0]} if meeting else {"listen": "127.0.0.1"}
                opened.append(await stack.enter_async_context(Container(name, **where, **options)))
                if not meeting:
                    meeting.append(opened[0].join_address)
                    stack.callback(meeting.clear)
            yield opened

    return open_all


@pytest.fixture
def no_way_but_to(monkeypatch):
    """Have no container reach any other directly but one: `no_way_but_to("hub.lab.localhost")`."""
    dial = DirectEndpoint.dial

    def forbid(allowed, monkeypatch=monkeypatch):
        async def dial_allowed(self, peer, offer):
            if peer != allowed:
                raise LinkError(f"cannot connect to {peer}: No route to host; is it running?")
            return await dial(self, peer, offer)

        monkeypatch.setattr(DirectEndpoint, "dial", dial_allowed)

    return forbid
