"""Whole platforms, played from seeds: no guarantee is broken, and planted mistakes are found."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from tests.plugins.paths import ROOT
from tests.simulation.bugs import QUICK, take_again_after_a_change_of_path
from tests.simulation.schedule import ROUTES, Shape
from tests.simulation.shorten import shorten
from tests.simulation.simulate import Played, simulate

SEEDS = range(8)
STEPS = 1000
JUDGED = pytest.mark.full("a mistake of the judge")
SHORTENED = pytest.mark.full("a few of its acts are below")
FOUND = (  # seeds and steps that have shown mistakes
    (4, 6000),
    (130, 2500),
    # What has perhaps failed comes late to one whose source had stood still.
    pytest.param(130, 6000, marks=JUDGED),
    (135, 6000),
    (345, 2500),
    (416, 2500),
    # Who has moved on is not told of what has died with two containers.
    pytest.param(952, 6000, marks=JUDGED),
    (996, 2500),
    (1127, 6000),
    (1154, 6000),
    (1168, 2500),
    (2038, 6000),
    (3016, 6000),
    (5034, 4000),
    pytest.param(30006, 6000, marks=JUDGED),  # who is in doubt is told nothing
    (30040, 6000),
    (50200, 6000),
    pytest.param(51459, 6000, marks=SHORTENED),
    pytest.param(70933, 6000, marks=SHORTENED),
    pytest.param(71265, 6000, marks=SHORTENED),
)
SHORT = (  # seeds and acts that have
    (70933, (2, 3, 9, 10, 11, 13, 14, 20, 21)),
    (71265, (2, 15, 18, 21, 25, 26, 31, 37)),
    (90239, (1, 2, 3, 4)),  # of the judge: a container that is to close takes agents until it goes on
    (50835, (0, 3, 5, 6, 9, 10, 13, 14, 16, 18, 20, 24, 25)),
    (50949, (1, 3, 4, 7, 8, 11, 13, 21, 22, 23, 24, 27)),
    (51200, (4, 11, 26, 27, 30, 37, 42, 52, 59, 60)),
    (51459, (19, 20, 21, 23, 32, 35, 37, 38)),
    (51555, (0, 1, 2, 6, 7, 8, 10, 12, 18)),
    (53295, (3, 4, 5, 6, 7, 8, 12, 19)),
    (57356, (0, 1, 4, 5, 8, 9, 10, 11, 26)),
    (60728, (3, 5, 6, 7, 8, 11, 15, 23, 27, 28)),
    (60936, (10, 11, 12, 13, 14, 20, 23, 25, 27, 29, 30, 32, 53, 54)),
    (61005, (19, 20, 23, 26, 29)),
    (61848, (1, 2, 3, 4, 5, 6, 7, 36, 39)),
    (62296, (2, 3, 7, 18)),
    (63643, (1, 3, 4, 5, 6, 7, 8, 9, 12, 14, 15, 19, 20, 21, 22, 24, 25, 26, 28, 29, 30)),
    (64226, (2, 3, 7, 8, 10, 12, 13)),
)
ENOUGH = 30  # seeds within which a mistake is found


def test_the_seeds_go_over_all_routes():
    assert {Shape.draw(seed).route for seed in SEEDS} == set(ROUTES)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_guarantee_is_broken(seed):
    assert simulate(seed, steps=STEPS).broken == ()


@pytest.mark.parametrize(("seed", "steps"), FOUND)
def test_what_has_failed_once(seed, steps):
    assert simulate(seed, steps=steps).broken == ()


@pytest.mark.parametrize(("seed", "acts"), SHORT)
def test_what_a_few_acts_have_shown_once(seed, acts):
    assert simulate(seed, only=acts).broken == ()


def command(*arguments, **environment):
    """Run the command; return its status and output."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.simulation", *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_a_seed_gives_the_same_trace_in_other_processes_whatever_their_hashes():
    arguments = ("--seed", "2", "--steps", "500", "--trace")
    one, other = (command(*arguments, PYTHONHASHSEED=seed) for seed in ("1", "2"))
    assert one == other
    assert one[0] == 0
    assert len(one[1].splitlines()) > 100


def first_found(bug):
    """Return the result of the first seed that finds a mistake; None if none does."""
    for seed in range(ENOUGH):
        with bug():
            played = simulate(seed, steps=1500)
        if played.broken:
            return played
    return None


SLOW = pytest.param(take_again_after_a_change_of_path, marks=pytest.mark.full("three seconds of CPU"))


@pytest.mark.parametrize(
    "bug",
    [SLOW if bug is take_again_after_a_change_of_path else bug for bug in QUICK],
    ids=lambda bug: bug.__name__,
)
def test_a_mistake_is_found(bug):
    assert first_found(bug) is not None


def test_a_schedule_that_fails_is_shortened_to_what_matters():
    def play(seed, steps=0, only=tuple(range(100))):
        broken = ("both came",) if {17, 60} <= set(only) else ()
        return Played(seed, steps, tuple(only), broken, "", None)

    assert shorten(1, play=play).acts == (17, 60)
    assert shorten(1, tries=4, play=play).acts == (*range(25), *range(50, 100))
    assert shorten(1, play=lambda seed, steps: play(seed, steps, (17,))).acts == (17,)
