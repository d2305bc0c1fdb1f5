"""Who gets the turn of a cell that was asked, by each policy, where chance is unfair."""

from collections import Counter

import pytest

from formicary_bench.experiments.grid.cells import BareCell
from formicary_bench.experiments.grid.fair_cells import FairGrid
from formicary_bench.experiments.grid.fairness import AS_IT_COMES, LEAST_SERVED, POLICIES, ROUND_ROBIN, Fair

CELLS = 20


def grid_of(policy, skew=3):
    grid = FairGrid(Fair(dimension=4, swaps=10, skew=skew, policy=policy), 7)
    board = type("Board", (), {"queue": []})()
    grid.cells = [BareCell(str(number), board) for number in range(CELLS)]
    return grid


def served(policy, turns=400):
    """Return the turns of each cell, where low numbers are asked most often."""
    grid, had = grid_of(policy), Counter()
    for _ in range(turns):
        heir = grid.heir(grid.cells[int(grid.draw() * CELLS)])
        heir.swaps += 1
        had[heir.number] += 1
    return sorted(had.values()) if len(had) == CELLS else [0, *sorted(had.values())]


def test_without_a_policy_some_have_many_times_the_turns_of_others():
    least, *_, most = served(AS_IT_COMES)
    assert most > 5 * least


def test_by_round_robin_all_have_as_many_turns():
    assert served(ROUND_ROBIN) == [400 // CELLS] * CELLS


def test_by_least_served_they_differ_by_few_turns():
    least, *_, most = served(LEAST_SERVED)
    assert most - least <= 4


@pytest.mark.parametrize("policy", POLICIES)
def test_a_busy_cell_gets_no_turn(policy):
    grid = grid_of(policy)
    for cell in grid.cells[::2]:
        cell.is_busy = True
    idle = grid.cells[1]
    assert not any(grid.heir(idle).is_busy for _ in range(100))


def test_with_a_skew_of_one_chance_is_even():
    grid = grid_of(AS_IT_COMES, skew=1)
    assert 400 < sum(grid.draw() < 0.5 for _ in range(1000)) < 600
    skewed = grid_of(AS_IT_COMES)
    assert sum(skewed.draw() < 0.5 for _ in range(1000)) > 700
