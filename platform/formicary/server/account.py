"""The address of an ordinary XMPP account through which containers meet."""

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
"""Modules that accounts require: one of each."""

CLIENT_STANZA_LIMIT = 256 * 1024
"""Bytes of the largest stanza that Prosody accepts from a client by default."""


@dataclass(frozen=True, slots=True)
class AccountAddress:
    """An ordinary XMPP account through which the containers of one platform meet (`formicary[accounts]`).

    Container `c1` binds the resource `c1` and is `lab@example.org/c1`. The account's password lets its holder
    act for the containers, like a component's secret. Agents have no XMPP addresses of their own.

    Attributes:
        jid: the account's address, such as `lab@example.org`.
        password: its password; kept out of the repr.
        platform: the parent domain of the containers; by default `lab.account.example.org`, so that the
            platforms of two accounts differ from each other and from any component's.
        host: name or IP address of the server; looked up in DNS (RFC 6120, 3.2; XEP-0368) if None.
        port: its TCP port for clients; 5222 if None.
        ca_file: certificates, in PEM, of the authorities to trust; the system's if None.
        insecure: whether to connect even if the server's identity cannot be verified; logged.
        tls: whether the connection is encrypted; False needs `insecure`.
        stanza_limit: bytes of the largest stanza that the server accepts; a larger one makes it close the
            connection.

    Raises:
        InvalidNameError: the account's address or the platform's domain is invalid.
        UsageError: the other values contradict each other.
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
"""Where containers of one platform meet; `str()` names it in a sentence."""


def require_extra() -> None:
    """Check that the dependencies of accounts are installed.

    Raises:
        UsageError: they are not.
    """
    if not all(any(map(find_spec, names)) for names in NEEDED):
        raise UsageError("accounts require an extra; install it with: pip install 'formicary[accounts]'")


def _label(local: str) -> str:
    """Return an account's own name as a domain label."""
    label = re.sub("[^a-z0-9]+", "-", local).strip("-")[:63].strip("-")
    if not label:
        raise InvalidNameError(
            f"the account's name {local!r} has no domain; pass a platform, such as 'lab.localhost'"
        )
    return label
