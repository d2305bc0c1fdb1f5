"""Ways to use the CPU until the thread's clock says a time. Each group's module is a copy of this one."""

from __future__ import annotations

import hashlib
import time
import zlib

BIG = bytes(range(256)) * 1024
NUMBER = 3**2000


def python(until: float) -> None:
    while time.thread_time() < until:
        for _ in range(200):
            pass


def held(until: float) -> None:
    while time.thread_time() < until:
        pow(7, NUMBER, 2**61 - 1)


def released(until: float) -> None:
    while time.thread_time() < until:
        hashlib.sha256(BIG).digest()
        zlib.crc32(BIG)


def sleepy(until: float) -> None:
    time.sleep(0.002)
    python(until)
