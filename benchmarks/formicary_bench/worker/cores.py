"""On which cores of the machine a worker runs, and all that it starts."""

from __future__ import annotations

import os

from formicary.errors import FormicaryError
from formicary_bench.vocabulary.cores import PLATFORM_CORES


def use_cores(count: int) -> None:
    """Keep this process on so many cores; what it starts from now on is kept there, too.

    To be called while there is no other thread: only the one that calls it is kept there.

    Args:
        count: how many; 0 for all.

    Raises:
        FormicaryError: there are not as many, or this system cannot do that.
    """
    if not count:
        return
    if not hasattr(os, "sched_setaffinity"):
        raise FormicaryError(PLATFORM_CORES)
    there = sorted(os.sched_getaffinity(0))
    if count > len(there):
        raise FormicaryError(f"{count} cores were asked for, and this process may use {len(there)}")
    os.sched_setaffinity(0, there[:count])
