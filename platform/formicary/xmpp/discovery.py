"""What an agent says that it can do, and what others say (XEP-0030, service discovery)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import aioxmpp

from formicary.core.errors import LinkError
from formicary.core.times import check_seconds

if TYPE_CHECKING:
    from formicary.xmpp.client import AccountClient


@dataclass(frozen=True, slots=True)
class Information:
    """What an XMPP entity says about itself.

    Attributes:
        identities: what it is, as categories and types: `("client", "bot")`.
        features: what it can do, as the names of protocols.
    """

    identities: frozenset[tuple[str, str]]
    features: frozenset[str]


class Discovery:
    """Service discovery for one agent, which says that it is a bot.

    Args:
        client: the agent's connection.
        name: the agent's name, for people.
    """

    def __init__(self, client: AccountClient, name: str) -> None:
        self._client = client
        self._own = client.xmpp.summon(aioxmpp.DiscoServer)
        self._others = client.xmpp.summon(aioxmpp.DiscoClient)
        self._own.set_identity_names("client", "bot", names={None: name})  # as which it is registered

    def add_feature(self, feature: str) -> None:
        """Say from now on that the agent can do something.

        Args:
            feature: the name of a protocol, such as `"urn:example:auction"`.
        """
        self._own.register_feature(feature)

    def remove_feature(self, feature: str) -> None:
        """Say it no longer."""
        self._own.unregister_feature(feature)

    async def ask(self, address: str, timeout: float = 10.0) -> Information:
        """Ask an entity what it is and what it can do.

        Args:
            address: a server, or somebody's address; with its resource, if an agent or a client is meant.
            timeout: seconds to wait for the answer.

        Raises:
            UsageError: that is no time.
            LinkError: it did not answer, or refused to.
        """
        jid = aioxmpp.JID.fromstr(address)
        check_seconds(timeout)
        try:
            found = await self._others.query_info(jid, require_fresh=True, no_cache=True, timeout=timeout)
        except TimeoutError:
            raise LinkError(f"{address} did not say within {timeout:g} s what it can do") from None
        except (aioxmpp.errors.XMPPError, OSError) as error:
            raise LinkError(f"{address} does not say what it can do: {error}") from None
        return Information(
            frozenset((identity.category, identity.type_) for identity in found.identities),
            frozenset(found.features),
        )
