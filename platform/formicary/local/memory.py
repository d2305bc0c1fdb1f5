"""How many containers in their own processes a machine has cores and memory for."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from formicary.core.errors import UsageError
from formicary.core.systems import usable_cores

EACH: Final = 32 << 20
"""Bytes of unshared memory of a process with an empty container, rounded up."""

_LIMITS: Final = (  # files with limit and use of the control group: version 2, version 1
    ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory.current"),
    ("sys/fs/cgroup/memory/memory.limit_in_bytes", "sys/fs/cgroup/memory/memory.usage_in_bytes"),
)


def free_memory(root: Path = Path("/")) -> int:
    """Return how many bytes of memory are free for this process and its children."""
    import psutil

    free = int(psutil.virtual_memory().available)
    for limit, usage in _LIMITS:
        try:
            free = min(free, int((root / limit).read_text()) - int((root / usage).read_text()))
        except (OSError, ValueError):  # there is no limit
            continue
    return max(0, free)


def check_count(count: int | None, free: int | None = None) -> int:
    """Return how many containers to start.

    Args:
        count: the number asked for; None for one per core.
        free: bytes of free memory; None to measure.

    Raises:
        UsageError: `count` is not a valid number, or more than fit into memory.
    """
    given = usable_cores() if count is None else count
    if type(given) is not int or given < 1:
        raise UsageError(
            f"a local platform must have at least one container, not {given!r}; omit containers= "
            "for one per core"
        )
    free = free_memory() if free is None else free
    if given * EACH > free:
        fit = free // EACH
        raise UsageError(
            f"{given} containers need about {_shown(given * EACH)} of memory, and {_shown(free)} is "
            "free: " + (f"ask for at most {fit}" if fit else "free some")
        )
    return given


def _shown(size: int) -> str:
    mebibytes = size / (1 << 20)
    return f"{mebibytes / 1024:.1f} GiB" if mebibytes >= 1024 else f"{mebibytes:.0f} MiB"  # noqa: PLR2004 -- a unit
