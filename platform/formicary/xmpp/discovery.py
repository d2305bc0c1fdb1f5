"""Service discovery (XEP-0030): features of an agent and of others."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from formicary.errors import LinkError
from formicary.extending import check_seconds
from formicary.transport.xmpp.stanzas import clean, quoted
from formicary.xmpp import stanzas

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from formicary.xmpp.client import AccountClient

_INFO = "http://jabber.org/protocol/disco#info"
_QUERY, _IDENTITY, _FEATURE = (f"{{{_INFO}}}{name}" for name in ("query", "identity", "feature"))


@dataclass(frozen=True, slots=True)
class Information:
    """What an XMPP entity announces about itself.

    Attributes:
        identities: categories and types: `("client", "bot")`.
        features: names of protocols.
    """

    identities: frozenset[tuple[str, str]]
    features: frozenset[str]


class Discovery:
    """Service discovery for one agent, which is announced as a bot."""

    def __init__(self, client: AccountClient, name: str) -> None:
        self._client = client
        self._identity = f"<identity category='client' type='bot' name={quoted(clean(name))}/>"
        self._features = {_INFO}
        client.requests[_QUERY] = self._asked

    def add_feature(self, feature: str) -> None:
        """Add a feature for the agent to announce.

        Args:
            feature: the name of a protocol, such as `"urn:example:auction"`.
        """
        self._features.add(feature)

    def remove_feature(self, feature: str) -> None:
        """Remove a feature."""
        self._features.discard(feature)

    def _asked(self, kind: str, query: Element, sender: str) -> str | None:  # noqa: ARG002 -- everybody may
        if kind != "get" or query.get("node"):
            return None
        features = "".join(f"<feature var={quoted(clean(each))}/>" for each in sorted(self._features))
        return f"<query xmlns='{_INFO}'>{self._identity}{features}</query>"

    async def ask(self, address: str, timeout: float = 10.0) -> Information:
        """Query an entity's identities and features.

        Args:
            address: a server or a user; with a resource for an agent or a client.
            timeout: seconds to wait for the answer.

        Raises:
            UsageError: the timeout is invalid.
            LinkError: it did not answer, or refused.
        """
        check_seconds(timeout)
        request = stanzas.request("get", f"<query xmlns='{_INFO}'/>", address)
        try:
            async with asyncio.timeout(timeout):
                await self._client.room(address)
                query = await self._client.session.ask(request)
        except TimeoutError:
            raise LinkError(f"{address} did not report its features within {timeout:g} s") from None
        except LinkError as error:
            raise LinkError(f"{address} does not report its features: {error}") from None
        parts = [] if query is None else [*query]
        return Information(
            frozenset(
                (part.get("category", ""), part.get("type", "")) for part in parts if part.tag == _IDENTITY
            ),
            frozenset(part.get("var", "") for part in parts if part.tag == _FEATURE),
        )
