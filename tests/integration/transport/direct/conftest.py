"""What all tests of direct connections share."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def _one_uvloop_before():
    """Open the pipe for signals that uvloop's first loop leaves to the process: no test is to blame."""
    import uvloop

    uvloop.new_event_loop().close()
