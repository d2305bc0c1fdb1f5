from __future__ import annotations

import contextlib

import pytest

from formicary import Container
from formicary.server import ManagedServer


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
                    Container(name, server=server.address, **{"route": "xmpp", **options})
                )
                for name in names
            ]

    return open_all
