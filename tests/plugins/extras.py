"""Leaves out what needs an extra that is not installed; the gate has them, and fails without."""

from __future__ import annotations

import importlib.util
import sys

import pytest
from tests.plugins.missing import leave_out

NEEDED = {
    "accounts": "aioxmpp",
    "spade": "spade",
    "figures": "typst",
    "gateway": "aiohttp",
    "postgresql": "asyncpg",
}
"""Modules by the marks, which are named after the extras that bring them; SPADE is there for tests alone."""


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Look at the test's marks."""
    for extra, module in NEEDED.items():
        if item.get_closest_marker(extra) is None or importlib.util.find_spec(module):
            continue
        if extra == "accounts" and sys.version_info >= (3, 13):
            pytest.skip("aioxmpp, which accounts need, does not support Python 3.13 and later")
        if extra == "spade":
            leave_out("stock SPADE is not installed: pip install --group test")
        leave_out(f"the extra is not installed: pip install 'formicary[{extra}]'")
