"""A plain process that computes: `python -m formicary_bench.experiments.compute.process SHARE`.

It says `ready`, waits for a line, makes its share of the computations, and writes the CPU time of each.
"""

from __future__ import annotations

import sys

from formicary_bench.experiments.compute.work import compute

CPU_GROUP = "agents"


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
