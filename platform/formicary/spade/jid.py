r"""SPADE addresses, and the names of their agents in our containers.

`alice@localhost` is the agent `alice` of a container. An address in another domain, or with a resource,
becomes a name escaped by XEP-0106: `alice@example.org` is `alice\40example.org`.
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
"""Addresses by the text they were made from: a cache looked up first, as a call takes longer."""


class JID(str):
    """An address, as a string with the parts of slixmpp's JID that SPADE programs use.

    Args:
        address: `node@domain/resource`; node and resource are optional. All but the resource is converted to
            lower case.
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
        """The whole address."""
        return str(self)

    @property
    def local(self) -> str:
        """The part before the `@`; also `node`, `user` and `username`."""
        return self.node

    user = username = localpart = local

    @property
    def host(self) -> str:
        """The part after the `@`; also `domain` and `server`."""
        return self.domain

    server = host


NOBODY: Final = JID()
"""The empty address."""


def name_of(jid: JID) -> str:
    """Return the name of an address's agent in its container."""
    if jid.domain == HOME and jid.node and not jid.resource:
        return jid.node.translate(_ESCAPES)
    return jid.translate(_ESCAPES)


def jid_of(address: str, platform: str) -> JID:
    """Return an agent's SPADE address.

    Args:
        address: its full name, or an address outside the platform.
        platform: the domain of the platform.
    """
    name, _, domain = address.partition("@")
    if not is_container_of(domain, platform):
        return JID(address)
    text = _CODE.sub(lambda found: _CHARACTERS[found[0]], name) if "\\" in name else name
    return JID(text if "@" in text else f"{text}@{HOME}")
