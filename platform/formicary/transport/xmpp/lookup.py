"""Where the server of an account is (RFC 6120, 3.2; XEP-0368)."""

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
_TIMEOUT = 2.0  # seconds that the DNS gets
_SERVICES = {"xmpp-client": False, "xmpps-client": True}  # and whether they begin with TLS


async def ways(address: AccountAddress) -> list[tuple[str, int, bool]]:
    """Return hosts and ports to try in turn, and which begin with TLS; LinkError if the domain has none."""
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
    if not any(host for host, _, _ in found):  # "." says that there is no such service (RFC 2782)
        raise LinkError(f"{address.domain} has no XMPP server for clients, according to DNS")
    return [way for way in found if way[0]]


async def _records(domain: str, service: str) -> list[Any]:
    """Ask the DNS for a service; return nothing where it knows nothing or does not answer.

    The certificate will say whether what is there instead is right.
    """
    try:
        return [*await dns.asyncresolver.resolve(f"_{service}._tcp.{domain}.", "SRV", lifetime=_TIMEOUT)]
    except (dns.exception.DNSException, OSError):
        return []
