"""Where random numbers come from: the system, or a seed in virtual time, as of `formicary.testing`.

Secrets never do: keys, tokens and passwords are the system's (`secrets`), whatever loop runs.
"""

from __future__ import annotations

import asyncio
import random

_SYSTEM = random.SystemRandom()


def source() -> random.Random:
    """Return where to take random numbers from: what the running event loop has of its own, or the system."""
    loop = asyncio._get_running_loop()  # noqa: SLF001 -- the public one raises an error where there is none
    return getattr(loop, "random", None) or _SYSTEM


def name(digits: int) -> str:
    """Return a new name of so many hexadecimal digits, to tell something from all that came before."""
    return f"{source().getrandbits(4 * digits):0{digits}x}"
