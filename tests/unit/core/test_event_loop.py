"""Which event loop programs run in."""

from __future__ import annotations

import sys

import uvloop

from formicary.core.event_loop import loop_factory


def test_it_is_uvloops_where_that_is_installed(monkeypatch):
    assert loop_factory() is uvloop.new_event_loop
    monkeypatch.setitem(sys.modules, "uvloop", None)
    assert loop_factory() is None
