"""Has the garbage collector leave alone what collecting the tests makes: it is there to the end anyway.

There are nine thousand tests and what they import; looking at all of it again and again took a fifth of the
processor time of unit tests.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the collector, which then never looks at what there is."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()
