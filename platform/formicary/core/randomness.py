"""Random numbers of the system, or of a seed in virtual time, as of `formicary.testing`.

Secrets never do: keys, tokens and passwords are the system's (`secrets`), whatever loop runs.
"""

from __future__ import annotations

import asyncio
import os
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random


def source() -> random.Random:
    """Return where to take random numbers from: what the running event loop has of its own, or the system."""
    return _of_the_loop() or _of_the_system()


def bits(count: int) -> int:
    """Return an integer of so many random bits, which takes no generator where the system gives them."""
    own = _of_the_loop()
    if own is not None:
        return own.getrandbits(count)
    return int.from_bytes(os.urandom((count + 7) // 8)) >> (-count % 8)


def name(digits: int) -> str:
    """Return a new, unique name of so many hexadecimal digits."""
    return f"{bits(4 * digits):0{digits}x}"


def _of_the_loop() -> random.Random | None:
    loop = asyncio._get_running_loop()  # noqa: SLF001 -- the public one raises an error where there is none
    return getattr(loop, "random", None)


@cache
def _of_the_system() -> random.Random:
    import random

    return random.SystemRandom()
