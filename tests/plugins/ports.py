"""Ports for programs that are told where to listen."""

from __future__ import annotations

import os
import random
import socket

# Below what systems give to whoever asks for any port, and what containers and servers choose: what is free
# here stays free until a slow program has started, however many tests listen beside it. Each worker has its
# own part.
_FIRST = 12_000
_EACH = 500
_PARTS = 16

_given: set[int] = set()  # what is free may be another's whose program has not started yet


def unused_port() -> int:
    """Return a TCP port of the loopback interface that nobody uses, and that nobody else is given."""
    part = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % _PARTS
    for _ in range(_EACH):
        port = _FIRST + _EACH * part + random.SystemRandom().randrange(_EACH)
        if port in _given:
            continue
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        _given.add(port)
        return port
    raise RuntimeError(f"no port from {_FIRST + _EACH * part} to {_FIRST + _EACH * (part + 1) - 1} is free")
