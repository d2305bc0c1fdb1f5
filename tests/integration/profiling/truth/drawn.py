"""A program that works for two groups, each time for one that is drawn anew.

Arguments: the first group's share, seconds of CPU, and a file for the seconds of each group, by the
thread's clock.
"""

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

import work_agents
import work_platform

PIECE = 0.004  # seconds of CPU at once, on average


def main(share: float, seconds: float, file: Path) -> None:
    used = {"agents": 0.0, "platform": 0.0}
    while (left := seconds - sum(used.values())) > 0:
        name, module = ("agents", work_agents) if random.random() < share else ("platform", work_platform)
        before = time.thread_time()
        module.python(before + min(left, random.expovariate(1 / PIECE)))
        used[name] += time.thread_time() - before
    file.write_text(json.dumps(used))


main(float(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3]))
