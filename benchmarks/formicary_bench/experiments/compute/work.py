"""The computation, and a process that makes it: `python -m formicary_bench.experiments.compute.work`.

The process prints `ready`, waits for a line, makes its computations, and prints the CPU time of each.
"""

from __future__ import annotations

import sys
from time import thread_time

CPU_GROUP = "agents"


PASSES = 64
"""Passes of a computation over all numbers: some 50 ms, far more than it costs to hand it over."""

_NUMBERS = tuple(range(10_000))


def compute(passes: int = PASSES) -> float:
    """Compute in plain Python, holding its global lock.

    Returns:
        The CPU time of this thread, in seconds.
    """
    began = thread_time()
    total = 1
    for _ in range(passes):
        for number in _NUMBERS:
            total = (total * 31 + number) & 0xFFFFFFFF
    return thread_time() - began


def main(share: int) -> None:
    """Make the computations when told to; exit when the other end is gone."""
    compute()
    try:
        _say("ready")
        if sys.stdin.readline():
            for _ in range(share):
                _say(str(compute()))
    except BrokenPipeError:
        sys.exit(1)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
