"""Writes the cost of each test to a file, from which `python -m tests.costs` makes its report.

A test costs seconds of wall time and seconds of CPU: its own, and those of the processes that it started and
waited for. A shared fixture counts for the first test that uses it; what lasts for the whole run, such as a
browser, counts as collecting.
"""

from __future__ import annotations

import json
import resource
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

_COLLECTING = "collecting"
_costs: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
_last = 0.0
_is_last_test = False


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option `--costs`."""
    parser.addoption("--costs", metavar="FILE", help="write what each test took to this file, as JSON")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Start counting at the test, leaving out what happened since the one before."""
    global _last, _is_last_test
    _last, _is_last_test = _cpu_seconds(), nextitem is None
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the CPU time of each phase to its report."""
    global _last
    report = yield
    now = _cpu_seconds()
    ends_all = _is_last_test and report.when == "teardown"
    report.cpu_seconds, _last = 0.0 if ends_all else now - _last, now
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up the phases of a test: set-up, call and teardown."""
    took = _costs[report.nodeid]
    took[0] += report.duration
    took[1] += report.cpu_seconds


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the cost of collecting from a worker to its controller, which writes all costs to the file."""
    if hasattr(session.config, "workeroutput"):
        spent = sum(cpu for _, cpu in _costs.values())
        session.config.workeroutput[_COLLECTING] = _cpu_seconds() - spent
    elif path := session.config.getoption("costs"):
        Path(path).write_text(json.dumps(_costs), encoding="utf-8")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """Add the cost of collecting in a worker of xdist."""
    _costs[_COLLECTING][1] += getattr(node, "workeroutput", {}).get(_COLLECTING, 0.0)


def _cpu_seconds() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)
