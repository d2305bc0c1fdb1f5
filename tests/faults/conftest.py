from __future__ import annotations

import pytest

from formicary.server import ManagedServer
from formicary.transport import router
from formicary.transport.xmpp import connection


@pytest.fixture
def server(monkeypatch):
    """A server of the test's own, for it will be ended; containers come back to it, and give up, quickly."""
    monkeypatch.setattr(connection, "_BACKOFF", (0.01, 0.1))
    monkeypatch.setattr(router, "_DRAIN", 0.5)
    monkeypatch.setattr(router, "_CLOSE_TIMEOUT", 0.5)
    with ManagedServer(containers=["c1", "c2"]) as running:
        yield running
