r"""SPADE's addresses, and the names that their agents have in our containers.

`alice@localhost` is the agent `alice` of a container. An address in another domain, or with a resource, is a
name in which XEP-0106 escapes what a name cannot have: `alice@example.org` is `alice\40example.org`.
"""

from __future__ import annotations

import re
from typing import Final

from formicary.extending import is_container_of

HOME: Final = "localhost"
"""The domain of addresses that have short names."""

_REMEMBERED = 65_536
_ESCAPED = {character: f"\\{ord(character):02x}" for character in " \"&'/:<>@\\"}
_ESCAPES = str.maketrans(_ESCAPED)
_CHARACTERS = {code: character for character, code in _ESCAPED.items()}
_CODE = re.compile("|".join(map(re.escape, _CHARACTERS)))
known: dict[object, JID] = {}
"""Addresses by the text that they were made of; looked into before one is made, as a call takes longer."""


class JID(str):
    """An address, as text that knows its parts. What SPADE's programs ask of slixmpp's is here.

    Args:
        address: `node@domain/resource`, where node and resource may be left out. Upper case is made lower
            case, but in the resource.
    """

    __slots__ = ("bare", "domain", "node", "resource")

    bare: JID
    node: str
    domain: str
    resource: str

    def __new__(cls, address: str = "") -> JID:  # noqa: PYI034 -- nobody makes subclasses of it
        """Parse an address, or return it from the cache."""
        if type(address) is cls:
            return address
        made = known.get(address)
        if made is not None:
            return made
        text, slash, resource = str(address).partition("/")
        bare = text.lower()
        jid = super().__new__(cls, f"{bare}/{resource}" if slash else bare)
        node, at, domain = bare.partition("@")
        jid.node, jid.domain = (node, domain) if at else ("", bare)
        jid.resource = resource
        jid.bare = JID(bare) if slash else jid
        if len(known) >= _REMEMBERED:
            known.clear()
        known[str(address)] = jid
        return jid

    @property
    def full(self) -> str:
        """All of it."""
        return str(self)

    @property
    def local(self) -> str:
        """The part before the `@`; also `node`, `user` and `username`."""
        return self.node

    user = username = localpart = local

    @property
    def host(self) -> str:
        """The part behind the `@`; also `domain` and `server`."""
        return self.domain

    server = host


NOBODY: Final = JID()
"""No address."""


def name_of(jid: JID) -> str:
    """Return the name that the agent of an address has in its container."""
    if jid.domain == HOME and jid.node and not jid.resource:
        return jid.node.translate(_ESCAPES)
    return jid.translate(_ESCAPES)


def jid_of(address: str, platform: str) -> JID:
    """Return the address by which SPADE's programs know an agent.

    Args:
        address: its full name, or an address outside the platform.
        platform: the domain of the platform.
    """
    name, _, domain = address.partition("@")
    if not is_container_of(domain, platform):
        return JID(address)
    text = _CODE.sub(lambda found: _CHARACTERS[found[0]], name) if "\\" in name else name
    return JID(text if "@" in text else f"{text}@{HOME}")
