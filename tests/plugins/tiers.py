"""Splits the tests into two tiers: the gate runs the first on each change, `--full` runs both.

    @pytest.mark.full("the same with each driver")    only in the second tier, and why
    @pytest.mark.grid                                 in the first tier, each value of each parameter once
    @pytest.mark.grid(2)                              in the first tier, each pair of values

The second tier runs all combinations of parameters. `full` also stands in the marks of a `pytest.param`.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the second tier."""
    parser.addoption("--full", action="store_true", help="run both tiers of the tests (hours)")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks."""
    config.addinivalue_line("markers", "full(reason): only in the second tier, with --full")
    config.addinivalue_line("markers", "grid(strength=1): all combinations only in the second tier")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the second tier."""
    if config.getoption("full"):
        return
    grids: defaultdict[str, list[pytest.Function]] = defaultdict(list)
    for item in items:
        if isinstance(item, pytest.Function) and item.get_closest_marker("grid"):
            grids[item.nodeid.partition("[")[0]].append(item)
    later = {item for item in items if item.get_closest_marker("full")}
    for grid in grids.values():
        later |= {*grid} - {*_thin([item for item in grid if item not in later])}
    if later:
        config.hook.pytest_deselected(items=[item for item in items if item in later])
        items[:] = [item for item in items if item not in later]


def _thin(grid: Sequence[pytest.Function]) -> Iterable[pytest.Function]:
    """Choose a few items that cover each value, pair, ... of the parameters, as the mark says."""
    if not grid:
        return
    mark = grid[0].get_closest_marker("grid")
    strength = mark.args[0] if mark and mark.args else 1
    # The parts of a test's id: one for each `parametrize`.
    covers = {item: {*combinations(enumerate(item.callspec._idlist), strength)} for item in grid}
    missing = set().union(*covers.values())
    while missing:
        best = max(grid, key=lambda item: len(covers[item] & missing))
        yield best
        missing -= covers[best]
