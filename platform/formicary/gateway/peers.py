"""Addresses of other platforms, configured or learned from their messages, and their hosts.

Strangers can make us send to public hosts alone.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from collections import OrderedDict
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import msgspec

from formicary.errors import UsageError
from formicary.extending import shorten
from formicary.gateway.acl_message import AgentIdentifier
from formicary.gateway.foreign_names import from_local, platform_of

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")

# All libraries read these as the same host. Names must not end in a number: some read 127.1 as an address.
_PLACE = re.compile(
    r"((?P<name>([a-z0-9_-]+\.)*[a-z][a-z0-9-]*\.?)|[0-9.]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", re.ASCII
)
_REMEMBERED = 10_000  # agents, and platforms
_MOST_ADDRESSES = 5  # tried per agent
_VALID = 60.0  # s for which a name's addresses are cached
_REMEMBERED_HOSTS = 1000  # names

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
        if len(self._known) >= _REMEMBERED_HOSTS:
            self._known.clear()
        self._known[host] = (loop.time() + _VALID, found)
        return found


class Peer(msgspec.Struct, frozen=True):
    """A platform configured by the user.

    Args:
        name: its name, in lower case.
        addresses: URLs that accept its messages.
    """

    name: str
    addresses: tuple[str, ...]

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts of its addresses."""
        return tuple(host_in(address) for address in self.addresses)


class Peers:
    """The known platforms and their agents.

    Args:
        takes_strangers: whether to learn addresses of unconfigured platforms from their messages. Only public
            ones are learned, or a stranger could make us send to services of this host and its network.
    """

    def __init__(self, *, takes_strangers: bool) -> None:
        self.takes_strangers = takes_strangers
        self.named: dict[str, Peer] = {}
        # By agent's name and by platform's, in lower case, latest last.
        self._agents: OrderedDict[str, AgentIdentifier] = OrderedDict()
        self._platforms: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def name(self, platform: str, addresses: Iterable[str]) -> None:
        """Set a platform's addresses, overriding its own messages.

        Raises:
            UsageError: an address is invalid.
        """
        found = tuple(addresses)
        for address in found:
            if not _is_address(address):
                raise UsageError(
                    f"{shorten(address)} is not a platform's address, such as http://127.0.0.1:7778/acc"
                )
        if not platform or not found or "@" in platform:
            raise UsageError(
                "a peer is a platform and its address, such as jade-platform and http://127.0.0.1:7778/acc"
            )
        peer = Peer(platform_of(f"@{platform}"), found)
        self.named[peer.name] = peer

    def peer_of(self, platform: str) -> Peer | None:
        """Return the configured peer for a platform, or for one that it is a container of."""
        return self.named.get(platform) or self.named.get(platform.partition(".")[2])

    def accepts(self, platform: str) -> bool:
        """Return whether messages of a platform are accepted."""
        return self.takes_strangers or self.peer_of(platform) is not None

    def learn(self, identifier: AgentIdentifier) -> None:
        """Record the spelling of an agent's name, and the addresses it announces."""
        platform = platform_of(identifier.name)
        learns = self.takes_strangers and self.peer_of(platform) is None
        known = AgentIdentifier(identifier.name, _usable(identifier.addresses) if learns else ())
        _remember(self._agents, identifier.name.lower(), known)
        if known.addresses:
            _remember(self._platforms, platform, known.addresses)

    def find(self, local: str) -> AgentIdentifier:
        """Return the identifier of another platform's agent, by the local part of its address here.

        Returns:
            Its name, and the addresses to try, if any are known.

        Raises:
            InvalidNameError: the local part is invalid.
        """
        name = from_local(local)
        platform = platform_of(name)
        known = self._agents.get(name, AgentIdentifier(name))
        if (peer := self.peer_of(platform)) is not None:
            return AgentIdentifier(known.name, peer.addresses)
        return AgentIdentifier(known.name, known.addresses or self._platforms.get(platform, ()))


def _remember(table: OrderedDict[str, T], key: str, value: T) -> None:
    table[key] = value
    table.move_to_end(key)
    if len(table) > _REMEMBERED:
        table.popitem(last=False)


def _usable(addresses: Iterable[str]) -> tuple[str, ...]:
    """Return the addresses that may be learned; names are resolved on sending."""
    found = (address for address in addresses if _is_address(address))
    return tuple(address for address in found if _may_be_public(address))[:_MOST_ADDRESSES]


def _may_be_public(address: str) -> bool:
    place = _PLACE.fullmatch(urlsplit(address).netloc.lower())
    return place is not None and (place["name"] is not None or is_public(host_in(address)))


def _is_address(address: str) -> bool:
    try:
        parts = urlsplit(address)
        return (
            parts.scheme in {"http", "https"}
            and bool(parts.hostname)
            and parts.port != 0
            and parts.username is None
            and address.isascii()
            and address.isprintable()
            and " " not in address
        )
    except ValueError:
        return False
