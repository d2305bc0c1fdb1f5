"""What a container has to know to meet others through an ordinary XMPP account."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING

from formicary.core.errors import InvalidNameError, UsageError
from formicary.core.names import check_local, check_platform
from formicary.server.address import ServerAddress

if TYPE_CHECKING:
    from pathlib import Path

NEEDED = (("dns",), ("scramp",), ("aioxmpp", "slixmpp"))
"""Modules that accounts need: one of each."""

CLIENT_STANZA_LIMIT = 256 * 1024
"""Bytes of the largest stanza that a Prosody takes from a client if nobody told it otherwise."""


@dataclass(frozen=True, slots=True)
class AccountAddress:
    """An ordinary XMPP account through which the containers of one platform meet (`formicary[accounts]`).

    Container `c1` binds the resource `c1` and is `lab@example.org/c1`. Whoever has the account's password
    speaks for the containers, as whoever has a component's secret does. Agents have no XMPP addresses of
    their own.

    Attributes:
        jid: the account's address, such as `lab@example.org`.
        password: its password; kept out of the repr.
        platform: the domain below which the containers have their names; by itself `lab.account.example.org`,
            so that the platforms of two accounts differ from each other and from that of any component.
        host: name or IP address of the server; found out by DNS (RFC 6120, 3.2; XEP-0368) if None.
        port: TCP port for clients there; 5222 if None.
        ca_file: certificates, in PEM, of the authorities to trust; those that the system trusts if None.
        insecure: whether to go on although it is not certain whom the connection is to; that is logged.
        tls: whether the connection is encrypted; False needs `insecure`.
        stanza_limit: bytes of the largest stanza that the server takes; a larger one makes it close the whole
            connection.

    Raises:
        InvalidNameError: the account's address is none, or the platform's domain.
        UsageError: the other values do not go together.
    """

    jid: str
    password: str = field(repr=False)
    platform: str = ""
    host: str | None = None
    port: int | None = None
    ca_file: Path | None = None
    insecure: bool = False
    tls: bool = True
    stanza_limit: int = CLIENT_STANZA_LIMIT

    def __post_init__(self) -> None:
        local, at, domain = self.jid.partition("@")
        if not at or "/" in domain:
            raise InvalidNameError(
                f"{self.jid!r} is not a valid account address; write it without a resource: 'lab@example.org'"
            )
        check_local(local)
        check_platform(domain)
        if not self.platform:
            object.__setattr__(self, "platform", f"{_label(local)}.account.{domain}")
        check_platform(self.platform)
        if self.port is not None and self.host is None:
            raise UsageError("a port needs a host; pass both, or neither to look the server up in DNS")
        if not self.tls and not self.insecure:
            raise UsageError(
                "an account without TLS can be overheard; pass insecure=True if that is intended"
            )

    def __str__(self) -> str:
        where = "" if self.host is None else f" at {self.host}:{self.port or 5222}"
        return f"the XMPP server of {self.domain}{where}"

    @property
    def domain(self) -> str:
        """The domain of the account's server."""
        return self.jid.partition("@")[2]


XmppServer = ServerAddress | AccountAddress
"""Where containers of one platform meet; its text names it in a sentence."""


def require_extra() -> None:
    """Make sure that accounts can be used.

    Raises:
        UsageError: what they need is not installed.
    """
    if not all(any(map(find_spec, names)) for names in NEEDED):
        raise UsageError("accounts require an extra; install it with: pip install 'formicary[accounts]'")


def _label(local: str) -> str:
    """Return an account's own name as a part of a domain."""
    label = re.sub("[^a-z0-9]+", "-", local).strip("-")[:63].strip("-")
    if not label:
        raise InvalidNameError(
            f"the account's name {local!r} has no domain; pass a platform, such as 'lab.localhost'"
        )
    return label
