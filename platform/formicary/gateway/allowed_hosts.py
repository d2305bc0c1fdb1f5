"""The hosts from which a configured peer may send."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

from formicary.gateway.hosts import ip_of

if TYPE_CHECKING:
    from formicary.gateway.peers import Peer

_VALID = 60.0  # s for which a name's addresses are cached
_REMEMBERED = 1000  # names


class AllowedHosts:
    """Caches addresses of hosts."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, frozenset[str]]] = {}  # expiry and addresses

    async def may_send(self, peer: Peer, remote: str | None) -> bool:
        """Return whether a request may contain a platform's message.

        Args:
            peer: the platform.
            remote: the request's IP address. This host may send for any platform, since the source address of
                its programs depends on the destination.
        """
        address = ip_of(remote or "")
        if address is None or address.is_loopback:
            return address is not None
        for host in peer.hosts:
            if str(address) in await self._addresses(host):
                return True
        return False

    async def _addresses(self, host: str) -> frozenset[str]:
        loop = asyncio.get_running_loop()
        until, found = self._known.get(host, (0.0, frozenset()))
        if loop.time() < until:
            return found
        try:
            infos = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except OSError:
            infos = []  # no valid origin for now
        found = frozenset(str(ip_of(str(info[4][0]))) for info in infos)
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        self._known[host] = (loop.time() + _VALID, found)
        return found
