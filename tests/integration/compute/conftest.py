"""Python starts a process of its own with the first worker, and keeps it until the program ends."""

from __future__ import annotations

from multiprocessing import resource_tracker

import pytest


@pytest.fixture(scope="session", autouse=True)
def _tracker():
    resource_tracker.ensure_running()
    yield
    resource_tracker._resource_tracker._stop()
