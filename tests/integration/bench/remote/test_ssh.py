"""Connections to hosts."""

from __future__ import annotations

import asyncio

import pytest

from formicary_bench.remote import HostError, ssh
from formicary_bench.remote.ssh import Web


def test_a_connection_is_made_once_and_again_when_it_is_over(hosts, clean):
    async def perform():
        web = Web(hosts)
        try:
            there = await web.connect(hosts[0].name)
            assert there is await web.connect(hosts[0].name)
            await there.close()
            again = await web.connect(hosts[0].name)
            return (await again.ssh.run("echo here")).stdout
        finally:
            await web.close()

    assert asyncio.run(perform()) == "here\n"


def test_a_library_that_is_missing_is_named(monkeypatch):
    monkeypatch.setattr(ssh, "find_spec", lambda _: None)
    with pytest.raises(HostError, match=r'asyncssh is not installed; install it with: pip install "form'):
        Web(())
