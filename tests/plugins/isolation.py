"""Gives each test a working folder and a home of its own, and a clean environment.

Tests do not see the runs, servers, drivers and inventories that are in the checkout or in the user's home,
and leave nothing there. Fixtures that outlive a test share a home for the whole run. Tests marked `drivers`
use the drivers that are installed, so they keep the user's cache.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from formicary.core import message

if TYPE_CHECKING:
    from collections.abc import Iterator

_STEERING = ("FORMICARY_", "SLURM", "XDG_", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR")
"""Prefixes of environment variables that change what the tested programs do."""

_CACHE = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")  # the user's
_NUMBERS = count()
_above: list[Path] = []


def pytest_configure(config: pytest.Config) -> None:
    """Remove such variables, and move to a temporary home."""
    for name in [name for name in os.environ if name.startswith(_STEERING)]:
        del os.environ[name]
    # Keep pip's cache: otherwise each test that installs something would download it again.
    os.environ.setdefault("PIP_CACHE_DIR", str(Path(_CACHE, "pip")))
    if config.getoption("dist", "no") == "no" or hasattr(config, "workerinput"):
        message._FULLY_CHECKED = math.inf  # check all in full, whatever was tested before
        _above.append(Path(tempfile.mkdtemp(prefix="formicary-tests-")))
        _enter(_above[-1])


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the temporary home."""
    os.chdir(config.rootpath)
    while _above:
        shutil.rmtree(_above.pop(), ignore_errors=True)


@pytest.fixture(autouse=True)
def _own_surroundings(request: pytest.FixtureRequest) -> Iterator[None]:
    """Start each test in an empty folder, which is also its home."""
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
