"""Gives each test a working folder and a home of its own, and takes away what steers it from its environment.

What lies in the checkout, in the user's home or on the machine (runs, a server, installed drivers, an
inventory) is out of the tests' sight, and what they write there is gone afterwards. Fixtures that live longer
than a test have a home of the whole run. Tests marked `drivers` are about what is installed here, so they see
the user's cache.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

_STEERING = ("FORMICARY_", "SLURM", "XDG_", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR")
"""How the names of variables begin by which a caller steers the programs that are tested."""

_CACHE = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")  # the user's
_NUMBERS = count()
_above: list[Path] = []


def pytest_configure(config: pytest.Config) -> None:
    """Take the caller's surroundings away from all that follows."""
    for name in [name for name in os.environ if name.startswith(_STEERING)]:
        del os.environ[name]
    # Downloads are no state: without them each test that installs something would fetch it again.
    os.environ.setdefault("PIP_CACHE_DIR", str(Path(_CACHE, "pip")))
    if config.getoption("dist", "no") == "no" or hasattr(config, "workerinput"):
        _above.append(Path(tempfile.mkdtemp(prefix="formicary-tests-")))
        _enter(_above[-1])


def pytest_unconfigure(config: pytest.Config) -> None:
    """Leave what was made, and remove it."""
    os.chdir(config.rootpath)
    while _above:
        shutil.rmtree(_above.pop(), ignore_errors=True)


@pytest.fixture(autouse=True)
def _own_surroundings(request: pytest.FixtureRequest) -> Iterator[None]:
    """Have a test begin in an empty folder, which is its home as well."""
    place = _above[-1] / str(next(_NUMBERS))
    place.mkdir()
    _enter(place)
    sees_cache = request.node.get_closest_marker("drivers") is not None
    if sees_cache:
        os.environ["XDG_CACHE_HOME"] = _CACHE
    yield
    if sees_cache:
        del os.environ["XDG_CACHE_HOME"]
    _enter(_above[-1])
    shutil.rmtree(place, ignore_errors=True)


def _enter(place: Path) -> None:
    os.chdir(place)
    os.environ["HOME"] = str(place)
