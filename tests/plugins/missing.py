"""Tests that need what a machine may not have are left out there; on the gate, where CI is set, they fail."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def leave_out(reason: str) -> NoReturn:
    """Skip the test, or fail it on the gate.

    Args:
        reason: what is missing, and what to do about it.
    """
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture
def as_root() -> None:
    """Leave the test out where it does not run as root."""
    if os.geteuid() != 0:
        leave_out("only root may do what this test does; run it with sudo")
