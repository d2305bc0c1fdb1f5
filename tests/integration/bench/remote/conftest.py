"""What tests of hosts share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.integration.bench.remote.scene import wait_until

from formicary_bench.remote.inventory import load
from formicary_bench.remote.session import Session


@pytest.fixture
def hosts(lab, tmp_path):
    """Two hosts, each with a folder of its own."""
    return tuple(replace(host, folder=str(tmp_path / host.name)) for host in load(lab.inventory).hosts)


@pytest.fixture
def clean(lab, hosts):
    """Find nothing on the hosts after the test that was not there before it, neither processes nor files."""
    before = [set(host.pids()) for host in lab.hosts]
    yield
    wait_until(lambda: [set(host.pids()) for host in lab.hosts] == before, what="processes are left")
    assert not [host.folder for host in hosts if Path(host.folder).exists()]


@pytest.fixture
def session(hosts, clean, news):
    with Session(hosts, progress=news.append) as session:
        yield session


@pytest.fixture
def news():
    return []
