"""A small fuzzer: makes small changes to valid inputs, again and again.

Accepted inputs join the corpus, so that changes add up. A seed decides everything, so inputs are the same
each time. `FORMICARY_FUZZ_SECONDS` fuzzes each target for so long, with another seed.
"""

from __future__ import annotations

import os
import random
import struct
import time
from typing import TYPE_CHECKING

from tests.property.searches import IS_FIRST_TIER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

SECONDS = float(os.environ.get("FORMICARY_FUZZ_SECONDS", "0"))
"""How long each target is to be fuzzed; 0: a given number of inputs."""

_SEED = 20
_RUNS = 1000 if IS_FIRST_TIER else 4000
_CORPUS = 400  # inputs
_LONGEST = 1 << 16  # bytes of an input; what is longer is cut
_NUMBERS = (0, 1, 2, 3, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 1 << 31, (1 << 32) - 1, 1 << 53, (1 << 64) - 1)


class Fuzzer:
    """Generates inputs.

    Args:
        corpus: valid inputs.
        seed: decides everything.
    """

    def __init__(self, corpus: Iterable[bytes], seed: int = _SEED) -> None:
        self.random = random.Random(seed)
        self.corpus = list(corpus)
        self._changes = [
            self._flip,
            self._overwrite,
            self._number,
            self._insert,
            self._remove,
            self._repeat,
            self._splice,
            self._deepen,
        ]

    def input(self) -> bytes:
        """Return an element of the corpus, changed in one or more steps."""
        data = self.random.choice(self.corpus)
        for _ in range(self.random.choice((0, 1, 1, 1, 2, 3, 8))):
            data = self.random.choice(self._changes)(data)
        return data[:_LONGEST]

    def keep(self, data: bytes) -> None:
        """Add an input to the corpus, replacing another one if it is full."""
        if len(self.corpus) < _CORPUS:
            self.corpus.append(data)
        else:
            self.corpus[self.random.randrange(_CORPUS)] = data

    def _place(self, data: bytes) -> int:
        """Return a place in an input, preferably near its beginning."""
        return self.random.randrange(min(len(data), self.random.choice((4, 32, _LONGEST))) + 1)

    def _flip(self, data: bytes) -> bytes:
        place = self._place(data)
        return (
            data[:place]
            + bytes(byte ^ 1 << self.random.randrange(8) for byte in data[place:][:1])
            + data[place + 1 :]
        )

    def _overwrite(self, data: bytes) -> bytes:
        place = self._place(data)
        new = self.random.randbytes(self.random.randint(1, 8))
        return data[:place] + new + data[place + len(new) :]

    def _number(self, data: bytes) -> bytes:
        size, code = self.random.choice(((1, "B"), (2, "!H"), (4, "!I"), (8, "!Q")))
        number = self.random.choice(_NUMBERS) + self.random.choice((-1, 0, 0, 1))
        place = self._place(data)
        return data[:place] + struct.pack(code, number % (1 << 8 * size)) + data[place + size :]

    def _insert(self, data: bytes) -> bytes:
        place = self._place(data)
        return data[:place] + self.random.randbytes(self.random.randint(1, 40)) + data[place:]

    def _remove(self, data: bytes) -> bytes:
        place = self._place(data)
        return data[:place] + data[place + self.random.randint(1, max(1, len(data))) :]

    def _repeat(self, data: bytes) -> bytes:
        place = self._place(data)
        part = data[place : place + self.random.randint(1, 64)]
        return data[:place] + part * self.random.choice((2, 3, 300)) + data[place:]

    def _splice(self, data: bytes) -> bytes:
        other = self.random.choice(self.corpus)
        return data[: self._place(data)] + other[self._place(other) :]

    def _deepen(self, data: bytes) -> bytes:
        place = self._place(data)
        return data[:place] + self.random.choice((b"\x91", b"\x81\xa1a", b"<a>")) * 20_000 + data[place:]


def fuzz(corpus: Iterable[bytes], take: Callable[[bytes], bool]) -> None:
    """Fuzz a target.

    Args:
        corpus: valid inputs.
        take: handles an input; returns whether it was accepted. Its exceptions fail the test.
    """
    seed = random.SystemRandom().getrandbits(32) if SECONDS else _SEED
    fuzzer = Fuzzer(corpus, seed)
    for data in fuzzer.corpus:
        assert take(data), f"what is valid was refused: {data.hex()}"
    for number in _turns():
        data = fuzzer.input()
        try:
            is_good = take(data)
        except BaseException as error:
            shown = f"{data[:2000].hex()}{'...' if len(data) > 2000 else ''}"
            error.add_note(f"input {number} of seed {seed}, {len(data)} bytes: {shown}")
            raise
        if is_good:
            fuzzer.keep(data)


def _turns() -> Iterator[int]:
    end = time.monotonic() + SECONDS
    number = 0
    while number < _RUNS or time.monotonic() < end:
        yield number
        number += 1
