"""The soak test's judgement of memory, and its random faults."""

from __future__ import annotations

import platform
import random

import psutil
import pytest
from tests.faults.flatness import FEWEST, growth
from tests.faults.soak import Soak
from tests.faults.worker import trim

MEGABYTE = 1 << 20


def noisy(*megabytes):
    chance = random.Random(1)
    return [int((each + chance.uniform(-0.5, 0.5)) * MEGABYTE) for each in megabytes]


@pytest.mark.parametrize(
    ("samples", "grows"),
    [
        (noisy(*[50] * 60), False),
        (noisy(*range(40, 60), *[60] * 60), False),  # warm-up
        (noisy(*(60 - 40 / (1 + each) for each in range(60))), False),  # it levels off
        (noisy(*(50 + each / 6 for each in range(60))), True),
        (noisy(*([50] * 30 + [50 + each / 2 for each in range(30)])), True),
        (noisy(*range(FEWEST - 1)), False),  # too few to say
    ],
)
def test_memory_that_does_not_level_off_is_found(samples, grows):
    assert (growth(samples) is not None) is grows


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc's malloc can be told to")
def test_holes_in_the_heap_do_not_count():
    process = psutil.Process()
    held = [bytearray(b"x" * 100_000) for _ in range(300)]
    del held[:-1]  # what is left keeps the heap from shrinking by itself
    before = process.memory_full_info().uss
    trim()
    assert before - process.memory_full_info().uss > 20 * MEGABYTE


def test_a_seed_draws_the_same_faults_each_time():
    drawn = [list(Soak("xmpp", seed, 1)._drawn(4)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
