from __future__ import annotations

import asyncio
import contextlib
import itertools

import pytest

from formicary.server import ManagedServer
from formicary.server.account import AccountAddress
from formicary.transport.xmpp import stream
from formicary.transport.xmpp.addressing import make_stream

STOCK = """\
VirtualHost "{host}"
    modules_enabled = {{ "tls", "offline", "carbons", "mam", "smacks", "csi_simple", "pep" }}
    modules_disabled = {{}}
    archive_expires_after = "never"
    default_archive_policy = true
    conflict_resolve = "{resolve}"
"""
HOSTS = {"stock.localhost": "kick_old", "new.localhost": "kick_new", "random.localhost": "random"}

_numbers = itertools.count()


@pytest.fixture(autouse=True)
def _patient(monkeypatch):
    """Have servers that are busy waited for."""
    monkeypatch.setattr(stream, "_CONNECT_TIMEOUT", 60.0)


@pytest.fixture(scope="module")
def server():
    """A server whose accounts have all that a stock one has: what is said to nobody is stored and copied."""
    with stock_server() as running:
        yield running


@pytest.fixture
def own_server():
    """Another one, which a test may kill."""
    with stock_server() as running:
        yield running


@contextlib.contextmanager
def stock_server():
    """Run a server that also has the domains of `HOSTS`."""
    with ManagedServer() as running:
        included = running.folder.containers(running.address.platform)
        included.mkdir(mode=0o700, parents=True, exist_ok=True)
        for host, resolve in HOSTS.items():
            text = STOCK.format(host=host, resolve=resolve)
            (included / f"{host}.cfg.lua").write_text(text, encoding="utf-8")
        running.restart()
        yield running


@pytest.fixture
def account(server):
    """Make an account and return its address: `account()`, `account("new.localhost", tls=False)`."""

    def make(domain="localhost", **options):
        jid = server.create_account(f"lab{next(_numbers)}", "secret", domain)
        options = {"host": "127.0.0.1", "port": server.client_port, "insecure": True} | options
        return AccountAddress(jid, "secret", **options)

    return make


class Records:
    """A container's end of a stream, and what has come out of it."""

    def __init__(self, address, name):
        self.name = name
        self.frames = []
        self.stanzas = []
        self.room = []
        self.lost = asyncio.get_running_loop().create_future()
        self._came = asyncio.Event()
        self.stream = make_stream(
            address,
            f"{name}.{address.platform}",
            on_stanza=lambda element: self._add(self.stanzas, element),
            on_frame=lambda origin, text: self._add(self.frames, (origin, text)),
            on_read_end=lambda: None,
            on_room=self.room.append,
            on_lost=self.lost.set_result,
        )

    def _add(self, where, what):
        where.append(what)
        self._came.set()

    async def until(self, condition):
        async with asyncio.timeout(60):
            while not condition():
                self._came.clear()
                await self._came.wait()


@contextlib.asynccontextmanager
async def connected(address, *names):
    """Connect a stream for each name; they are closed in order."""
    async with contextlib.AsyncExitStack() as stack:
        made = []
        for name in names:
            records = Records(address, name)
            stack.push_async_callback(records.stream.close)
            await records.stream.connect()
            made.append(records)
        yield made


@pytest.fixture(name="connected")
def _connected():
    return connected
