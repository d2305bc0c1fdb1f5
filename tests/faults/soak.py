"""Causes random faults for a long time over all routes at once, and checks messages and memory.

    python -m tests.faults.soak [MINUTES] [--seed N] [--route ROUTE]

In each round a few faults happen, drawn from the seed; then nothing disturbs the containers until every
message is accounted for, and memory is measured. The same seed gives the same faults in the same order,
though not the same timing. Ctrl-C ends it with a report.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.faults.flatness import FEWEST, growth
from tests.faults.ledger import Account, settle
from tests.faults.of_all import causes_of
from tests.faults.scene import ROUTES, Route, Scene
from tests.faults.side import Side, until

if TYPE_CHECKING:
    from collections.abc import Iterator

_MINUTES = 60.0
_AGENTS = 10
_PAUSE = 0.1  # s between two messages of an agent
_FAULTS = (3, 12)  # of a round, at least and at most
_PAUSES = (0, 0.05, 0.5, 1.5)  # s between two faults
_LENGTHS = (0.05, 0.3, 1, 2.5)  # s that a fault lasts
_ENDS = 0.3  # the share of rounds of the first half in which a container is killed, or stopped and started
_GRACE = 3.0  # s of faults for which nothing may fail: so long it takes to give another container up
_PATIENCE = 60.0  # s until every message has to be accounted for
_CALM = 2.0  # s before memory is measured
_MEGABYTE = 1 << 20
_NEVER = ("lost", "waiting", "twice", "disorder")  # what is made up shows when nothing is sent any more


class Soak:
    """The rounds over one route.

    Args:
        route: the route.
        seed: of the random faults.
        minutes: the duration.
    """

    def __init__(self, route: Route, seed: int, minutes: float) -> None:
        self.route = route
        self.problems: list[str] = []
        self.total = Account()
        self.rounds = 0
        self.samples: dict[str, list[int]] = {"c1": [], "c2": []}
        self._seconds = 60 * minutes
        self._chance = random.Random(f"{seed}/{route}")
        self._start = time.monotonic()
        self._is_short = False  # whether the faults of this round were over before anybody is given up
        self._ends = False  # whether c2 has ended in this round
        self._since: list[list[int]] = []  # the numbers of both sides' agents where the round began
        self._ended_at: list[int] | None = None  # those of c2's when it ended

    async def run(self) -> None:
        """Run rounds until time is up or something is wrong; results survive cancellation."""
        with tempfile.TemporaryDirectory(prefix="formicary-soak-") as folder:
            limit = int(self._seconds / _PAUSE) + 10_000
            apart = self.route in {"auto", "direct"}
            shape = {"agents": _AGENTS, "pause": _PAUSE, "limit": limit, "apart": apart}
            scene = Scene(self.route, Path(folder), **shape)
            try:
                async with scene:
                    await scene.talk()
                    self._since = [[0] * _AGENTS, [0] * _AGENTS]
                    while not self.problems and time.monotonic() - self._start < self._seconds:
                        await self._round(scene)
                    await self._finish(scene)
            except pytest.skip.Exception as left_out:
                say(f"{self.route}: left out: {left_out}")
            except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 -- a result
                self.problems.append("".join(traceback.format_exception(error)))

    async def _round(self, scene: Scene) -> None:
        self.rounds += 1
        began = time.monotonic()
        names = []
        causes = causes_of(scene)
        for cause, which, length, pause in self._drawn(len(causes)):
            names.append(causes[cause].__name__.strip("_"))
            await causes[cause](scene, which, length)
            await asyncio.sleep(pause)
        self._is_short = time.monotonic() - began < _GRACE
        is_early = (
            time.monotonic() - self._start < self._seconds / 2
        )  # later, c2's memory is of interest, too
        luck, is_kill = self._chance.random(), self._chance.random() < 0.5
        if is_early and luck < _ENDS:
            names.append("kill" if is_kill else "reopen")
            await self._end_c2(scene, is_kill=is_kill)
        await scene.flow()
        await self._settle(scene)
        await asyncio.sleep(_CALM)
        await self._look(scene, names)

    def _drawn(self, causes: int) -> Iterator[tuple[int, int, float, float]]:
        chance = self._chance
        for _ in range(chance.randint(*_FAULTS)):
            cause, which = chance.randrange(causes), chance.randrange(2)
            yield cause, which, chance.choice(_LENGTHS), chance.choice(_PAUSES)

    async def _end_c2(self, scene: Scene, *, is_kill: bool) -> None:
        self._ends = True
        if is_kill:
            await scene.kill_c2()
        else:
            await scene.c2.order("stop")
            await scene.c2.close()
        self._ended_at = list(scene.c2.ledger.next)
        self.samples["c2"].clear()
        await scene.restart_c2()

    async def _settle(self, scene: Scene) -> None:
        """Wait until all messages so far are accounted for, and add them up."""
        ends = [list(side.ledger.next) for side in (scene.c1, scene.c2)]
        await until(lambda: self._account(scene, ends).is_settled, _PATIENCE)
        account = self._account(scene, ends)
        self.total += account
        wrong = {name: getattr(account, name) for name in _NEVER}
        if self._is_short and not self._ends:
            wrong |= {"failed": account.failed, "both": account.both}
        if found := {name: count for name, count in wrong.items() if count}:
            self.problems.append(f"round {self.rounds}: {found} of {account.sent} messages")
            for side in (scene.c1, scene.c2):
                self.problems += map(str, (await side.order("stop"), *await scene.links(side)))
        self._since, self._ended_at, self._ends = ends, None, False

    async def _finish(self, scene: Scene) -> None:
        """Stop sending, and check all messages once more, also for made-up ones."""
        for side in (scene.c1, scene.c2):
            await side.order("stop")
        await self._settle(scene)
        one, two = scene.c1.ledger, scene.c2.ledger
        made_up = (settle(one, two) + settle(two, one)).made_up
        if made_up:
            self.problems.append(f"{made_up} messages that nobody has sent")

    def _account(self, scene: Scene, ends: list[list[int]]) -> Account:
        one, two = scene.c1.ledger, scene.c2.ledger
        there = settle(one, two, self._since[0], ends[0])
        if self._ended_at is None:
            return there + settle(two, one, self._since[1], ends[1])
        before = settle(two, one, self._since[1], self._ended_at).without_lost()
        return there + before + settle(two, one, self._ended_at, ends[1])

    async def _look(self, scene: Scene, names: list[str]) -> None:
        """Measure memory, check the logs, and report progress."""
        sides = (scene.c1, scene.c2)
        for side in sides:
            await side.order("trim")  # what is free is not kept; garbage is, as it may stay for hours
            self.samples[side.setting.name].append(side.own_memory)
            self.problems += side.complaints()
        self.problems += self._growths()
        minutes = (time.monotonic() - self._start) / 60
        memory = ", ".join(f"{side.setting.name} {_megabytes(side)}" for side in sides)
        where = f"{self.route}, round {self.rounds}, {minutes:.1f} min"
        say(f"{where}: {self.fates()}; {memory}; {' '.join(names)}")

    def _growths(self) -> list[str]:
        """Return whose memory has grown; only at the end, when there are enough samples."""
        if time.monotonic() - self._start < self._seconds:
            return []
        return [f"{name}: {found}" for name, taken in self.samples.items() if (found := growth(taken))]

    def fates(self) -> str:
        """Return the account of the messages, as part of a sentence."""
        total = self.total
        return f"{total.sent} sent, {total.received} received, {total.failed} failed, {total.both} both"

    def tell(self) -> None:
        """Print a report."""
        say(f"{self.route}: {self.rounds} rounds, {self.fates()}")
        for name, taken in self.samples.items():
            known = "" if len(taken) >= FEWEST else " (too few samples to judge)"
            shown = f"{taken[0] / _MEGABYTE:.1f} to {taken[-1] / _MEGABYTE:.1f} MB" if taken else "unknown"
            say(f"  memory of {name}: {shown}{known}")
        for problem in self.problems:
            say(f"  {problem}")


def _megabytes(side: Side) -> str:
    return f"{side.own_memory / _MEGABYTE:.1f} MB"


def say(line: str) -> None:
    """Print a line at once."""
    print(line, flush=True)  # noqa: T201 -- a command


async def _run(soaks: list[Soak]) -> None:
    await asyncio.gather(*(soak.run() for soak in soaks))


def main() -> int:
    """Run the command line; return 1 on problems, 130 if interrupted."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults.soak", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("minutes", type=float, nargs="?", default=_MINUTES, help="how long; 60 by itself")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--route", choices=tuple(ROUTES), help="only this one; all at once by itself")
    options = parser.parse_args()
    say(f"seed {options.seed}; again: python -m tests.faults.soak {options.minutes:g} --seed {options.seed}")
    routes: list[Route] = [options.route] if options.route else list(ROUTES)
    soaks = [Soak(route, options.seed, options.minutes) for route in routes]
    code = 0
    try:
        asyncio.run(_run(soaks))
    except KeyboardInterrupt:
        say("interrupted; up to now:")
        code = 130
    for soak in soaks:
        soak.tell()
    return code or int(any(soak.problems for soak in soaks))


if __name__ == "__main__":
    sys.exit(main())
