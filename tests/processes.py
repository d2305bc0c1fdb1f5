"""What tests ask about processes, which may end at any moment."""

from __future__ import annotations

import psutil


def has_ended(pid: int) -> bool:
    """Return whether a process has ended, whether or not somebody has waited for it."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
