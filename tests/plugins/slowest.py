"""Prints the slowest twenty tests at the end, over all runs of pytest that one command has started."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest
    from _pytest.terminal import TerminalReporter

_SHOWN = 20
_KEY = "formicary/slowest"
_seconds: Counter[str] = Counter()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up what a test took: its fixtures, itself, and what ends them."""
    _seconds[report.nodeid] += report.duration


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    """Print them; what an earlier run of the same command has left counts as well."""
    if getattr(config, "cache", None) is None or len(_seconds) < _SHOWN:
        return
    command, earlier = config.cache.get(_KEY, (0, {}))
    known = Counter(earlier if command == os.getppid() else {}) | _seconds
    slowest = known.most_common(_SHOWN)
    config.cache.set(_KEY, (os.getppid(), dict(slowest)))
    terminalreporter.section("slowest tests")
    for test, seconds in slowest:
        terminalreporter.write_line(f"{seconds:7.1f} s  {test}")
