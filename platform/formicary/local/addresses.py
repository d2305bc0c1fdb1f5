"""At which of its own addresses a host is met: the one that was named, the only one, or that of its name."""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress
from typing import NamedTuple

from formicary.core.errors import UsageError


class Own(NamedTuple):
    """An address of this host.

    Attributes:
        interface: the network interface that has it.
        address: the IP address.
    """

    interface: str
    address: str


def own_address(interface: str = "", name: str = "") -> Own:
    """Return the address at which other hosts are to reach this one.

    Args:
        interface: the network interface that was named; empty if none was.
        name: what this host is called by the others, for where it has several interfaces.

    Raises:
        UsageError: there is no such interface, none at all, or it is not clear which.
    """
    found = _addresses()
    listed = ", ".join(f"{each.interface} ({each.address})" for each in found)
    if interface:
        for each in found:
            if each.interface == interface:
                return each
        raise UsageError(
            f"this host has no active network interface {interface} with an address; it has "
            f"{listed or 'none'}"
        )
    if len({each.interface for each in found}) == 1:
        return found[0]
    if not found:
        raise UsageError("this host has no network interface except loopback, so other hosts cannot reach it")
    named = _resolved(name)
    for each in found:
        if each.address in named:
            return each
    raise UsageError(f"this host has several network interfaces: {listed}; choose one with --interface")


def _addresses() -> list[Own]:
    """Return the addresses of interfaces that are up, one for each: of IPv4 where there is one."""
    import psutil

    stats = psutil.net_if_stats()
    found = []
    for interface, addresses in sorted(psutil.net_if_addrs().items()):
        kinds = {one.family: one.address for one in reversed(addresses)}
        for family in (socket.AF_INET, socket.AF_INET6):
            address = kinds.get(family, "")
            if interface in stats and stats[interface].isup and _is_met_at(address):
                found.append(Own(interface, address))
                break
    return found


def _is_met_at(address: str) -> bool:
    if not address or "%" in address:
        return False
    parsed = ipaddress.ip_address(address)
    return not (parsed.is_loopback or parsed.is_link_local)


def _resolved(name: str) -> set[str]:
    with suppress(OSError, UnicodeError):
        return {str(found[4][0]) for found in socket.getaddrinfo(name or socket.gethostname(), None)}
    return set()
