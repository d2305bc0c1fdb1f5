"""A program whose split of CPU time is known: it works in four modules, each until its share is used up.

Arguments: a scenario, seconds of CPU for each thread, and a file, into which it writes the seconds of each
group, as it has read them off the clocks of its threads.
"""

from __future__ import annotations

import collections
import json
import random
import sys
import threading
import time
from pathlib import Path

import work_agents
import work_communication
import work_directory
import work_platform

SLICE = 0.004  # seconds of CPU before it goes on with another group
GROUPS = {
    "agents": work_agents,
    "communication": work_communication,
    "directory": work_directory,
    "platform": work_platform,
}
# For each thread: how its work is done, and the groups' shares.
SCENARIOS = {
    "one-thread": [("python", (50, 30, 15, 5))],
    "several-threads": [
        ("python", (70, 10, 10, 10)),
        ("python", (10, 60, 20, 10)),
        ("python", (0, 25, 25, 50)),
    ],
    "gil-held": [("held", (40, 30, 20, 10)), ("python", (25, 25, 25, 25))],
    "gil-released": [
        ("released", (60, 20, 15, 5)),
        ("released", (10, 10, 40, 40)),
        ("python", (30, 30, 30, 10)),
    ],
    "with-idling": [("sleepy", (45, 25, 20, 10))],
}
used: collections.Counter[str] = collections.Counter()


def go(kind: str, shares: tuple[int, ...], seconds: float, rng: random.Random) -> None:
    left = {name: seconds * share / 100 for name, share in zip(GROUPS, shares, strict=True) if share}
    while left:
        name = rng.choices(list(left), list(left.values()))[0]
        before = time.thread_time()
        getattr(GROUPS[name], kind)(before + min(SLICE, left[name]))
        took = time.thread_time() - before
        used[name] += took
        left[name] -= took
        if left[name] <= 0:
            del left[name]


def main() -> None:
    threads = [
        threading.Thread(target=go, args=(kind, shares, float(sys.argv[2]), random.Random(number)))
        for number, (kind, shares) in enumerate(SCENARIOS[sys.argv[1]])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    Path(sys.argv[3]).write_text(json.dumps(used))


main()
