"""Runs faults, several at a time, since they mostly wait."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.faults.catalogue import FAULTS, Fault
from tests.faults.scene import Figures, Route, Scene

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_AT_ONCE = 4 * (os.cpu_count() or 1)  # each has three or four processes, which mostly wait
_HEAVY_AT_ONCE = 1
_LONGEST = 150.0  # s


class Case(NamedTuple):
    """One fault over one route."""

    fault: Fault
    route: Route

    def __str__(self) -> str:
        return f"{self.fault.name}-{self.route}"


CASES = [Case(fault, route) for fault in FAULTS for route in fault.routes]


async def run(cases: Iterable[Case], tell: Callable[[Case, Figures], None]) -> None:
    """Cause faults, several at a time, and report each.

    Args:
        cases: the faults.
        tell: called with each when it is over.
    """
    free = asyncio.Semaphore(_AT_ONCE)
    heavy = asyncio.Semaphore(_HEAVY_AT_ONCE)

    async def take_turn(case: Case) -> None:
        async with heavy if case.fault.is_heavy else free:
            tell(case, await _run_one(case))

    ordered = sorted(cases, key=lambda case: not case.fault.is_long)
    await asyncio.gather(*(take_turn(case) for case in ordered if not case.fault.comes_last))
    for case in ordered:
        if case.fault.comes_last:
            tell(case, await _run_one(case))


async def _run_one(case: Case) -> Figures:
    fault = case.fault
    with tempfile.TemporaryDirectory(prefix="formicary-fault-") as folder:
        scene = Scene(case.route, Path(folder), **fault.shape)
        start = time.monotonic()
        try:
            async with asyncio.timeout(_LONGEST), scene:
                await fault.cause(scene)
                await scene.finish(may_fail=fault.may_fail in {True, case.route})
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:  # noqa: BLE001 -- a result
            scene.figures.problems.append("".join(traceback.format_exception(error)))
        scene.figures.seconds = time.monotonic() - start
        return scene.figures
