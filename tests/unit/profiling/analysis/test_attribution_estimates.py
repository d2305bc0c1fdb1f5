"""The intervals of shares hold the truth as often as they say, whatever the samples depend on."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from formicary.profiling.analysis.attribution import TICK_S, of_samples
from formicary.profiling.model.profile import BLOCKS

RATE = 50  # samples per second
REPETITIONS = 500
SLICE = 0.003  # seconds of CPU until a thread stands in line again


@dataclass(frozen=True)
class Program:
    """A thread that works for two groups in turn, at random.

    Attributes:
        cpu_s: how long it is measured, in seconds of its CPU time.
        share: of the first group.
        piece_s: how long it works for a group on end, on average.
        in_line: how long it stands in line for each slice, in slices, on average; 0 where it is quiet.
        start_s: how long it starts up at first, for the second group.
    """

    cpu_s: float = 3.0
    share: float = 0.3
    piece_s: float = 0.004
    in_line: float = 0.0
    start_s: float = 0.0


PROGRAMS = {
    "short pieces": Program(),
    "pieces as long as the samples are apart": Program(piece_s=0.02),
    "long pieces": Program(cpu_s=20.0, piece_s=0.05),
    "in line for four times its time": Program(in_line=4.0),
    "in line, and longer pieces": Program(cpu_s=6.0, piece_s=0.02, in_line=4.0),
    "a rare group": Program(cpu_s=6.0, share=0.05, in_line=2.0),
}
BOTH = "in line, and longer pieces"
LATER = pytest.param(BOTH, marks=pytest.mark.full("what two of the others do, together"))


def run(program, rng):
    """Return whether each sample is of the first group, and that group's share of the CPU time."""
    samples, cpu, first, now = [], 0.0, 0.0, 0.0
    next_sample = rng.expovariate(RATE)
    while cpu < program.cpu_s:
        is_first = cpu >= program.start_s and rng.random() < program.share
        left = piece = min(rng.expovariate(1 / program.piece_s), program.cpu_s - cpu)
        cpu += piece
        first += piece * is_first
        while left > 0:
            now += min(SLICE, left)
            now += rng.expovariate(1 / (program.in_line * SLICE)) if program.in_line else 0.0
            left -= SLICE
        while next_sample < now:
            samples.append(is_first)
            next_sample += rng.expovariate(RATE)
    return samples, first / program.cpu_s


def estimate(program, samples):
    total = len(samples)
    blocks = [[0, 0] for _ in range(BLOCKS)]
    for place, is_first in enumerate(samples):
        blocks[place * BLOCKS // total][0] += is_first
        blocks[place * BLOCKS // total][1] += 1
    return of_samples(program.cpu_s, sum(samples), total, program.cpu_s * RATE, [(c, n) for c, n in blocks])


@pytest.mark.parametrize("name", [LATER if name == BOTH else name for name in PROGRAMS])
def test_the_interval_holds_the_programs_share_in_19_of_20_cases_and_what_the_window_had_as_often(name):
    program, rng, of_program, of_window = PROGRAMS[name], random.Random(name), 0, 0
    for _ in range(REPETITIONS):
        samples, share = run(program, rng)
        found = estimate(program, samples)
        of_program += abs(found.seconds - program.share * program.cpu_s) <= found.margin
        of_window += abs(found.seconds - share * program.cpu_s) <= found.margin
    assert 0.93 <= of_program / REPETITIONS <= 0.97
    assert of_window / REPETITIONS >= 0.93


def test_a_start_that_differs_from_the_rest_widens_it_little():
    rng, held, margins = random.Random(1), 0, []
    for _ in range(REPETITIONS):
        program = Program(start_s=0.5)
        samples, share = run(program, rng)
        found = estimate(program, samples)
        held += abs(found.seconds - share * program.cpu_s) <= found.margin
        margins.append(found.margin)
    assert held / REPETITIONS >= 0.93
    assert sum(margins) / REPETITIONS < 2 * of_samples(3.0, 38, 150, 150.0).margin


def test_few_samples_and_rare_kinds_are_at_least_as_uncertain_as_binomial_ones():
    assert of_samples(1.0, 1, 3, 3.0, [(0, 1), (1, 1), (0, 1)]) == of_samples(1.0, 1, 3, 3.0)
    never = of_samples(1.0, 100, 100, 100.0, [(5, 5)] * 20)
    assert never.margin > 0.01
    assert never.margin == pytest.approx(of_samples(1.0, 100, 100, 100.0).margin, abs=TICK_S)
