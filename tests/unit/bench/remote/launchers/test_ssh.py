"""Hosts of an inventory: at which address the others reach them."""

import socket

import pytest

from formicary_bench.remote import HostError
from formicary_bench.remote.inventory import Host
from formicary_bench.remote.launchers.ssh import SshLauncher

HOST = Host(name="a", address="a.example")


def test_a_host_is_reached_where_it_listens_or_where_its_name_leads(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(0, 0, 0, "", ("192.0.2.7", 0))])
    launcher = SshLauncher([HOST])
    assert launcher.address(HOST) == "192.0.2.7"
    assert launcher.address(Host(name="b", address="b.example", listen="10.0.0.1")) == "10.0.0.1"


def test_a_host_whose_address_is_not_known_here_needs_one_to_listen_at(monkeypatch):
    def refuse(*_, **__):
        raise OSError(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    with pytest.raises(HostError, match=r"a\.example has no IP address here .*`listen`"):
        SshLauncher([HOST]).address(HOST)
