"""Which hosts are this one, and which are public: strangers can only have us write to those."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

_UNICAST = ipaddress.IPv6Network(
    "2000::/3"
)  # neither multicast nor site-local, and not one of IPv4 in another form

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address


def host_in(url: str) -> str:
    """Return the host in an address, in small letters; empty where there is none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def ip_of(host: str) -> Ip | None:
    """Return an IP address, of IPv4 also where it is written as one of IPv6; None if it is a name."""
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def is_local(host: str) -> bool:
    """Tell whether a host is this one, by a name that no name server can give to another."""
    ip = ip_of(host)
    return host == "localhost" if ip is None else ip.is_loopback


def is_public(host: str) -> bool:
    """Tell whether an IP address is public: not of this host, a private network, or a group."""
    ip = ip_of(host)
    if isinstance(ip, ipaddress.IPv6Address):
        return ip.is_global and ip in _UNICAST and ip.sixtofour is None
    return ip is not None and ip.is_global and not ip.is_multicast
