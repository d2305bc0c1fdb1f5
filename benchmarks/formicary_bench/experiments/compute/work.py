"""What is computed, and a process that computes: `python -m formicary_bench.experiments.compute.work`.

It says `ready`, waits for a line, makes its share of the computations, and writes the CPU time of each.
"""

from __future__ import annotations

import sys
from time import thread_time

CPU_GROUP = "agents"


PASSES = 64
"""How often a computation goes over all numbers: in some 50 ms, many times what it costs to hand it over."""

_NUMBERS = tuple(range(10_000))


def compute(passes: int = PASSES) -> float:
    """Compute in plain Python, which holds Python's lock meanwhile.

    Returns:
        The seconds of CPU time that this thread took for it.
    """
    began = thread_time()
    total = 1
    for _ in range(passes):
        for number in _NUMBERS:
            total = (total * 31 + number) & 0xFFFFFFFF
    return thread_time() - began


def main(share: int) -> None:
    """Make so many computations when told to; end where nobody tells any more, or wants to know."""
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
