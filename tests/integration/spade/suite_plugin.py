"""A plugin for the pytest that runs SPADE's own tests: they get our package in SPADE's place.

The tests named in LEFT_OUT, one a line, do not run; one that is not there is an error. SPADE's client is not
there to be imported: a class of that name takes its place.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

import pytest

from formicary.spade.importing import install

install()
client = ModuleType("spade.xmpp_client")
client.XMPPClient = type("XMPPClient", (), {})
sys.modules["spade"].xmpp_client = sys.modules["spade.xmpp_client"] = client


def pytest_collection_modifyitems(config, items):
    left_out = set(os.environ["LEFT_OUT"].split())
    found = {item.nodeid.removeprefix("tests/"): item for item in items}
    if unknown := left_out - found.keys():
        raise pytest.UsageError(f"there are no such tests: {sorted(unknown)}")
    config.hook.pytest_deselected(items=[item for name, item in found.items() if name in left_out])
    items[:] = [item for name, item in found.items() if name not in left_out]
