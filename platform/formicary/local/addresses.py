"""Choice of a host's address: of the given interface, of the only one, or of its host name."""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress
from typing import NamedTuple

from formicary.core.errors import UsageError


class Own(NamedTuple):
    """An address of this host.

    Attributes:
        interface: its network interface.
        address: the IP address.
    """

    interface: str
    address: str


def own_address(interface: str = "", name: str = "") -> Own:
    """Return the address at which other hosts can reach this one.

    Args:
        interface: the network interface to use; empty to choose.
        name: this host's name among the others; chooses among several interfaces.

    Raises:
        UsageError: there is no such interface, none at all, or the choice is ambiguous.
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
    """Return one address of each interface that is up, IPv4 if it has one."""
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
