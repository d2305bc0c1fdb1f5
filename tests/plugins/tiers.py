"""Two tiers of tests: what the gate runs on each change, and what takes longer and runs with `--full`.

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
    """Make the marks known."""
    config.addinivalue_line("markers", "full(reason): only in the second tier, with --full")
    config.addinivalue_line("markers", "grid(strength=1): all combinations only in the second tier")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is for the second tier."""
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
    """Choose a few in which each combination of as many values as the mark says occurs."""
    if not grid:
        return
    mark = grid[0].get_closest_marker("grid")
    strength = mark.args[0] if mark and mark.args else 1
    # What pytest names a test after, a part for each parameter or for those that are given together.
    covers = {item: {*combinations(enumerate(item.callspec._idlist), strength)} for item in grid}
    missing = set().union(*covers.values())
    while missing:
        best = max(grid, key=lambda item: len(covers[item] & missing))
        yield best
        missing -= covers[best]
