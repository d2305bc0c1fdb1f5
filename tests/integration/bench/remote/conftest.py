"""What tests of hosts share."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from tests.integration.bench.remote.scene import wait_until
from tests.plugins.hosts import laboratory

from formicary_bench.remote.inventory import load
from formicary_bench.remote.session import Session


@pytest.fixture(scope="module")
def shared():
    with laboratory(2) as lab:
        yield lab


@pytest.fixture
def lab(shared):
    """Yield the module's lab, with all cables plugged in."""
    yield shared
    for host in shared.hosts:
        host.mend()


@pytest.fixture
def hosts(lab, tmp_path):
    """Two hosts, each with a folder of its own."""
    return of(lab, tmp_path)


def of(lab, folder):
    return tuple(replace(host, folder=str(folder / host.name)) for host in load(lab.inventory).hosts)


@pytest.fixture
def clean(lab, hosts):
    """Check that the test leaves neither processes nor files on the hosts."""
    with leaving_them_clean(lab, hosts):
        yield


@contextmanager
def leaving_them_clean(lab, hosts):
    before = [set(host.pids()) for host in lab.hosts]
    yield
    wait_until(
        lambda: all(map(set.issuperset, before, (host.pids() for host in lab.hosts))),
        what="processes are left",
    )
    assert not [host.folder for host in hosts if Path(host.folder).exists()]


@pytest.fixture
def session(hosts, clean, news):
    with Session(hosts, progress=news.append) as session:
        yield session


@pytest.fixture
def news():
    return []
