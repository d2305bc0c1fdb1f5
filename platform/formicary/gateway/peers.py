"""The other platforms: where they are, by what the user says or by what their messages say."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import msgspec

from formicary.errors import UsageError
from formicary.extending import shorten
from formicary.gateway.acl_message import AgentIdentifier
from formicary.gateway.foreign_names import from_local, platform_of
from formicary.gateway.hosts import host_in, is_public

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")

# Read as the same host by all libraries. A name does not end in a number: some take 127.1 for an address.
_PLACE = re.compile(
    r"((?P<name>([a-z0-9_-]+\.)*[a-z][a-z0-9-]*\.?)|[0-9.]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", re.ASCII
)
_REMEMBERED = 10_000  # agents, and platforms
_MOST_ADDRESSES = 5  # of an agent that are tried


class Peer(msgspec.Struct, frozen=True):
    """Another platform that the user has named.

    Args:
        name: its name, in small letters.
        addresses: where it takes messages.
    """

    name: str
    addresses: tuple[str, ...]

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts of its addresses."""
        return tuple(host_in(address) for address in self.addresses)


class Peers:
    """What is known of other platforms, and of their agents.

    Args:
        takes_strangers: whether the addresses of platforms that nobody has named are learned from their
            messages. Only public ones are, or a stranger could make us write to services of this host and its
            network.
    """

    def __init__(self, *, takes_strangers: bool) -> None:
        self.takes_strangers = takes_strangers
        self.named: dict[str, Peer] = {}
        # By the agent's name in small letters, and by the platform's: the latest last.
        self._agents: OrderedDict[str, AgentIdentifier] = OrderedDict()
        self._platforms: OrderedDict[str, tuple[str, ...]] = OrderedDict()

    def name(self, platform: str, addresses: Iterable[str]) -> None:
        """Set where a platform is, whatever its own messages say.

        Raises:
            UsageError: an address is none.
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
        """Return who has been named for a platform: a container's platform speaks for it."""
        return self.named.get(platform) or self.named.get(platform.partition(".")[2])

    def accepts(self, platform: str) -> bool:
        """Return whether messages of a platform are taken."""
        return self.takes_strangers or self.peer_of(platform) is not None

    def learn(self, identifier: AgentIdentifier) -> None:
        """Remember how an agent of a platform is written, and where it says that it is."""
        platform = platform_of(identifier.name)
        learns = self.takes_strangers and self.peer_of(platform) is None
        known = AgentIdentifier(identifier.name, _usable(identifier.addresses) if learns else ())
        _remember(self._agents, identifier.name.lower(), known)
        if known.addresses:
            _remember(self._platforms, platform, known.addresses)

    def find(self, local: str) -> AgentIdentifier:
        """Return who an agent of another platform is, by what stands before the `@` here.

        Returns:
            Its name, and the addresses to try: none where nobody knows any.

        Raises:
            InvalidNameError: that is none.
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
    """Return the addresses that may be learned; what a name stands for is looked up when it is written to."""
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
