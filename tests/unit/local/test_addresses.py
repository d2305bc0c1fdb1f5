"""The choice of a host's address."""

import socket
from types import SimpleNamespace

import psutil
import pytest

from formicary.errors import UsageError
from formicary.local import addresses
from formicary.local.addresses import own_address

LOOPBACK = {"lo": ["127.0.0.1"]}
ETHERNET = {"eth0": ["10.0.0.4", "fe80::1%eth0"]}
INFINIBAND = {"ib0": ["fd00::4"]}


@pytest.fixture
def has(monkeypatch):
    """Set this host's interfaces, and the addresses of its name."""

    def give(*interfaces, down=(), named=()):
        found = {name: each for one in interfaces for name, each in one.items()}
        kind = {True: socket.AF_INET6, False: socket.AF_INET}
        entries = {
            name: [SimpleNamespace(family=kind[":" in one], address=one) for one in each]
            for name, each in found.items()
        }
        monkeypatch.setattr(psutil, "net_if_addrs", lambda: entries)
        stats = {name: SimpleNamespace(isup=name not in down) for name in found}
        monkeypatch.setattr(psutil, "net_if_stats", lambda: stats)
        monkeypatch.setattr(addresses, "_resolved", lambda _: set(named))

    return give


def test_the_only_interface_is_taken(has):
    has(LOOPBACK, ETHERNET)
    assert own_address() == ("eth0", "10.0.0.4")
    has(LOOPBACK, ETHERNET, INFINIBAND, down=["eth0"])
    assert own_address() == ("ib0", "fd00::4")


def test_of_several_it_is_the_one_that_was_named_or_that_of_the_hosts_name(has):
    has(LOOPBACK, ETHERNET, INFINIBAND, named=["127.0.1.1", "fd00::4"])
    assert own_address() == ("ib0", "fd00::4")
    assert own_address("eth0") == ("eth0", "10.0.0.4")


@pytest.mark.parametrize(
    ("interfaces", "asked", "said"),
    [
        ([LOOPBACK], "", "no network interface except loopback"),
        ([LOOPBACK, ETHERNET, INFINIBAND], "", r"eth0 \(10.0.0.4\), ib0 \(fd00::4\); choose one"),
        ([LOOPBACK, ETHERNET], "ib0", r"no active network interface ib0 .* it has eth0 \(10.0.0.4\)"),
        ([LOOPBACK, ETHERNET], "lo", "no active network interface lo"),
    ],
)
def test_ambiguous_addresses_are_refused(has, interfaces, asked, said):
    has(*interfaces)
    with pytest.raises(UsageError, match=said):
        own_address(asked)
