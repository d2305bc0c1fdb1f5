"""Each fault is caused for real; each message still arrives once and in order, or is reported as failed.

All selected faults run before the first is checked, several at a time, since they mostly wait.
`python -m tests.faults.table` writes their effects to `docs/faults.md`.
"""

from __future__ import annotations

import asyncio

import pytest
from tests.faults.catalogue import FAULTS
from tests.faults.run import CASES, run
from tests.plugins.leaks import leaving_nothing_behind

pytestmark = [pytest.mark.server, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def figures(request):
    """The effects of the selected faults, by name; all processes have ended."""
    selected = {
        item.callspec.params["case"]
        for item in request.session.items
        if getattr(item, "module", None) is request.module  # examples in the docs have none
    }
    told = {}
    with leaving_nothing_behind():
        asyncio.run(run([case for case in CASES if str(case) in selected], told.__setitem__))
    return {str(case): figures for case, figures in told.items()}


def of_first_tier(case):
    """Return whether a case is in the first tier: each fault over one route, the next one over the next."""
    routes = case.fault.routes
    return case.fault.in_gate and case.route == routes[FAULTS.index(case.fault) % len(routes)]


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(str(case), marks=[] if of_first_tier(case) else pytest.mark.full("over all routes"))
        for case in CASES
    ],
)
def test_fault(case, figures):
    assert not figures[case].problems, "\n".join(figures[case].problems)
