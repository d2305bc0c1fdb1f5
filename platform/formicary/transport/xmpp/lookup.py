"""Finds the server of an account (RFC 6120, 3.2; XEP-0368)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import dns.asyncresolver
import dns.exception
import dns.rdtypes.util

from formicary.core.errors import LinkError

if TYPE_CHECKING:
    from formicary.server.account import AccountAddress

_PORT = 5222
_TIMEOUT = 2.0  # seconds for the DNS
_SERVICES = {"xmpp-client": False, "xmpps-client": True}  # whether connections begin with TLS


async def ways(address: AccountAddress) -> list[tuple[str, int, bool]]:
    """Return hosts and ports to try in turn, and whether to begin with TLS; LinkError if there are none."""
    if address.host is not None:
        return [(address.host, address.port or _PORT, False)]
    services = [service for service, is_tls in _SERVICES.items() if address.tls or not is_tls]
    answers = await asyncio.gather(*(_records(address.domain, service) for service in services))
    begins_with_tls = {
        id(record): _SERVICES[service]
        for service, records in zip(services, answers, strict=True)
        for record in records
    }
    ordered = dns.rdtypes.util.weighted_processing_order([each for records in answers for each in records])
    if not ordered:
        return [(address.domain, _PORT, False)]
    found = [(str(each.target).rstrip("."), each.port, begins_with_tls[id(each)]) for each in ordered]
    if not any(host for host, _, _ in found):  # "." means that there is no such service (RFC 2782)
        raise LinkError(f"{address.domain} has no XMPP server for clients, according to DNS")
    return [way for way in found if way[0]]


async def _records(domain: str, service: str) -> list[Any]:
    """Look up a service in the DNS; return nothing if it is unknown, or without an answer.

    The certificate then shows whether the domain itself is the right server.
    """
    try:
        return [*await dns.asyncresolver.resolve(f"_{service}._tcp.{domain}.", "SRV", lifetime=_TIMEOUT)]
    except (dns.exception.DNSException, OSError):
        return []
