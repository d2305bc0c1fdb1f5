"""What tests of drivers share: a registry of their own, and drivers that behave well and badly."""

import asyncio
import sys
from functools import cache
from pathlib import Path

import pytest

from formicary_bench.subjects.drivers.installed import Entry, keeping
from formicary_bench.subjects.drivers.installing import ask
from formicary_bench.subjects.drivers.protocol import Hello
from formicary_bench.vocabulary.configuration import Configuration

HERE = Path(__file__).parent
GOOD = (sys.executable, str(HERE / "good.py"))


def bad(mode):
    """Return the command of a driver that misbehaves in a given way."""
    return sys.executable, str(HERE / "bad.py"), mode


def bad_hello(**changes):
    known = {"protocol": 1, "name": "bad", "version": "1.0", "experiments": ("messaging/pairs",)}
    return Hello(**(known | {"placements": ("same-container",)} | changes))


def point(platform, placement="same-container", route="in-process", pairs=2):
    return Configuration(
        experiment="messaging/pairs",
        platform=platform,
        placement=placement,
        route=route,
        parameters={"pairs": pairs, "payload_bytes": 100, "rounds": (5, 20, 5)},
    )


def keep(command, hello):
    """Install a driver that was neither asked nor tried out."""
    with keeping(Entry(command, hello)):
        pass


hello_of = cache(lambda command: asyncio.run(ask(command)))


@pytest.fixture(autouse=True)
def registry(tmp_path, monkeypatch, request):
    """Hide all installed drivers, except for tests about those of this machine."""
    if request.node.get_closest_marker("drivers") is None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "formicary" / "drivers"


@pytest.fixture
def installed_good():
    """Install the driver that behaves well, without a trial."""
    keep(GOOD, hello_of(GOOD))


@pytest.fixture
def installed_bad():
    """Install a driver that misbehaves."""

    def install(mode, **changes):
        keep(bad(mode), bad_hello(**changes))

    return install
