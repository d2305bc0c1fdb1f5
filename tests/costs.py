"""Reports what the tests of a gate have cost, from the files that pytest's `--costs` has left.

    python -m tests.costs .reports

It prints the slowest twenty tests, and the seconds of CPU of each room beside its budget; the slowest hundred
go into `slowest.txt` in the folder. A room that takes over 1.5 times its budget (`budgets.toml`) fails the
report, but no test.
"""

from __future__ import annotations

import json
import sys
import tomllib
from collections import Counter
from pathlib import Path, PurePath
from typing import NamedTuple

BUDGETS = Path(__file__).with_name("budgets.toml")
_TOLERATED = 1.5  # times the budget: machines differ, and so do days
_PRINTED, _WRITTEN = 20, 100
_KINDS = {"unit", "property", "integration"}


class Cost(NamedTuple):
    """What a test took: seconds of the clock, and of CPU."""

    seconds: float
    cpu: float


def say(*lines: str) -> None:
    """Print lines in one piece and at once: others print side by side."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def room_of(test: str) -> str:
    """Return the room that a test covers, such as `transport` or `bench/runner`."""
    first, *others = PurePath(test.partition("::")[0]).parent.parts or ("docs",)
    if first != "tests" or not others:
        return first  # the examples of the documentation
    kind, *room = others
    if kind not in _KINDS:
        return kind
    return "/".join(room[: 2 if room[:1] == ["bench"] else 1]) or "project"


def read(folder: Path) -> dict[str, Cost]:
    """Return what each test took, from all files in a folder."""
    costs: dict[str, Cost] = {}
    for path in sorted(folder.glob("*.json")):
        for test, took in json.loads(path.read_text(encoding="utf-8")).items():
            earlier = costs.get(test, Cost(0, 0))  # each part has collected its tests
            costs[test] = Cost(*map(sum, zip(earlier, took, strict=True)))
    return costs


def slowest(costs: dict[str, Cost], count: int) -> list[str]:
    """Describe the tests that took longest, a line each."""
    ranked = sorted(costs.items(), key=lambda cost: cost[1].seconds, reverse=True)
    return [f"{took.seconds:7.1f} s {took.cpu:7.1f} s of CPU  {test}" for test, took in ranked[:count]]


def compare(costs: dict[str, Cost], given: dict[str, float]) -> list[tuple[str, float, float, bool]]:
    """Return each room's cost and budget, in seconds of CPU, and whether the cost is too high."""
    took: Counter[str] = Counter()
    for test, cost in costs.items():
        took[room_of(test)] += cost.cpu
    return [
        (room, seconds, given.get(room, 0.0), seconds > _TOLERATED * given.get(room, 0.0))
        for room, seconds in took.most_common()
    ]


def budgets() -> dict[str, float]:
    """Return the seconds of CPU that each room may take."""
    return tomllib.loads(BUDGETS.read_text(encoding="utf-8"))


def report(folder: Path, *, within_budgets: bool = True) -> None:
    """Print the report of a gate that has left its files in a folder.

    Args:
        folder: the folder.
        within_budgets: whether the budgets apply, which are those of the first tier.
    """
    costs = read(folder)
    collecting = costs.pop("collecting", None)
    (folder / "slowest.txt").write_text("\n".join(slowest(costs, _WRITTEN)) + "\n", encoding="utf-8")
    say("\nslowest tests:", *slowest(costs, _PRINTED))
    say(f"(the slowest {_WRITTEN} are in {folder / 'slowest.txt'})", "")
    say("seconds of CPU by room, and their budgets:")
    rooms = compare(costs, budgets())
    for room, seconds, budget, too_much in rooms:
        say(f"{room:24}{seconds:8.1f}{budget:8.0f}{'  OVER BUDGET' if too_much and within_budgets else ''}")
    if collecting:
        say(f"{'(collecting)':24}{collecting.cpu:8.1f}")
    over = [room for room, _, _, too_much in rooms if too_much]
    if over and within_budgets:
        say(f"budget report FAILED: over 1.5 times the budget of tests/budgets.toml: {', '.join(over)}")


if __name__ == "__main__":
    report(Path(sys.argv[1]))
