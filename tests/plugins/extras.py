"""Leaves out what needs an extra, or SPADE, that is not installed; the gate has them, and fails without."""

from __future__ import annotations

import importlib.util

import pytest
from tests.plugins import spade_environment
from tests.plugins.missing import leave_out

NEEDED = {
    "accounts": "scramp",
    "figures": "typst",
    "gateway": "aiohttp",
    "postgresql": "asyncpg",
}
"""Modules by the marks, which are named after the extras that bring them."""


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Look at the test's marks."""
    for extra, module in NEEDED.items():
        if item.get_closest_marker(extra) is None or importlib.util.find_spec(module):
            continue
        leave_out(f"the extra is not installed: pip install 'formicary[{extra}]'")
    if item.get_closest_marker("spade") is not None and (reason := spade_environment.why_not()):
        if not spade_environment.supports_this_python():
            pytest.skip("SPADE does not support this Python")
        leave_out(reason)
