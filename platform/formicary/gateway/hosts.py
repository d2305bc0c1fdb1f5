"""Recognizes this host and public hosts, to which alone strangers can make us send, and peers' hosts."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from formicary.gateway.peers import Peer

_VALID = 60.0  # s for which a name's addresses are cached
_REMEMBERED = 1000  # names

# Excludes multicast, site-local addresses, and IPv4 in disguise.
_UNICAST = ipaddress.IPv6Network("2000::/3")

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address


def host_in(url: str) -> str:
    """Return the host of a URL in lower case; empty if it has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def ip_of(host: str) -> Ip | None:
    """Return an IP address, with IPv4 unwrapped from IPv6; None if it is a name."""
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def is_local(host: str) -> bool:
    """Return whether a host is this one, by an address or name independent of name servers."""
    ip = ip_of(host)
    return host == "localhost" if ip is None else ip.is_loopback


def is_public(host: str) -> bool:
    """Return whether an IP address is public: not this host, not in a private network, not multicast."""
    ip = ip_of(host)
    if isinstance(ip, ipaddress.IPv6Address):
        return ip.is_global and ip in _UNICAST and ip.sixtofour is None
    return ip is not None and ip.is_global and not ip.is_multicast


class AllowedHosts:
    """Checks the origin of configured peers' messages; caches addresses of hosts."""

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
