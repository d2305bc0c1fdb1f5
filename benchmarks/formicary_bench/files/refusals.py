"""What to do about a place that the system does not let us write to."""

from __future__ import annotations

import errno

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def next_step(error: OSError, otherwise: str) -> str:
    """Return what to do about a refusal to write: also to free space, but only where that is what lacks.

    Args:
        error: the refusal.
        otherwise: what helps whatever the reason is, such as `name another folder with --to`.
    """
    return f"free some space or {otherwise}" if error.errno in _FULL else otherwise
