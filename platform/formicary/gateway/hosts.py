"""Recognizes this host and public hosts: strangers can make us send only to public ones."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

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
