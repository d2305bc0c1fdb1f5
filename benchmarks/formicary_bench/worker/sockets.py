"""What this process's TCP connections have carried, as the kernel counts it: to the server, and elsewhere."""

from __future__ import annotations

import os
import socket
import stat
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary_bench.worker.messages import Server

_OPEN = Path("/proc/self/fd")
# `struct tcp_info` of Linux: tcpi_bytes_acked and tcpi_bytes_received, since 4.1.
_COUNTED = struct.Struct("=QQ")
_OFFSET = 120


class Carried(NamedTuple):
    """Bytes that TCP has carried, without its headers; all zero where that is not known.

    Attributes:
        to_server: what the XMPP server has acknowledged.
        from_server: what it has sent.
        to_others: what all others have acknowledged.
        from_others: what they have sent.
    """

    to_server: int = 0
    from_server: int = 0
    to_others: int = 0
    from_others: int = 0


def carried(server: Server | None) -> Carried:
    """Return what the connections that this process has open have carried until now.

    Args:
        server: which of them are those to the server.
    """
    if not sys.platform.startswith("linux"):
        return Carried()
    ports = {server.port, server.client_port} if server else set()
    total = Carried()
    for port, sent, received in _connections():
        of_it = (sent, received, 0, 0) if port in ports else (0, 0, sent, received)
        total = Carried(*map(sum, zip(total, of_it, strict=True)))
    return total


def _connections() -> Iterator[tuple[int, int, int]]:
    """Give the peer's port, and the bytes sent and received, of each TCP connection of this process."""
    for entry in _OPEN.iterdir():
        with suppress(OSError):  # one is that of the list itself
            if not stat.S_ISSOCK(entry.stat().st_mode):
                continue
            with socket.socket(fileno=os.dup(int(entry.name))) as found:
                if found.family not in {socket.AF_INET, socket.AF_INET6} or found.type != socket.SOCK_STREAM:
                    continue
                port = found.getpeername()[1]
                info = found.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _OFFSET + _COUNTED.size)
            if len(info) == _OFFSET + _COUNTED.size:
                yield port, *_COUNTED.unpack_from(info, _OFFSET)
