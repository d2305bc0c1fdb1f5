"""Random numbers from the system, or from a seed in the virtual time of `formicary.testing`.

Secrets, such as keys, tokens and passwords, always come from the system (`secrets`).
"""

from __future__ import annotations

import asyncio
import os
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random


def source() -> random.Random:
    """Return the source of random numbers: the running event loop's own, or the system's."""
    return _of_the_loop() or _of_the_system()


def bits(count: int) -> int:
    """Return an integer of this many random bits."""
    own = _of_the_loop()
    if own is not None:
        return own.getrandbits(count)
    return int.from_bytes(os.urandom((count + 7) // 8)) >> (-count % 8)


def name(digits: int) -> str:
    """Return a new, unique name of this many hexadecimal digits."""
    return f"{bits(4 * digits):0{digits}x}"


def _of_the_loop() -> random.Random | None:
    loop = asyncio._get_running_loop()  # noqa: SLF001 -- the public function raises an error if there is none
    return getattr(loop, "random", None)


@cache
def _of_the_system() -> random.Random:
    import random

    return random.SystemRandom()
