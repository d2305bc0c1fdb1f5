"""Real grids with policies: turns are handed on, and no number is lost."""

from formicary_bench.experiments.grid.fairness import AS_IT_COMES, POLICIES, ROUND_ROBIN


def test_a_policy_makes_an_unfair_grid_fair(bench):
    small = ("--dimension", "6", "--swaps", "40", "--skew", "3", "--repeat", "1")
    ended = bench("run", "grid/fairness", *small, "--json")
    assert ended.code == 0, ended.err
    found = {
        row["parameters"]["policy"]: {name: one["mean"] for name, one in row["figures"].items()}
        for row in ended.rows
    }
    assert found.keys() == set(POLICIES)
    assert found[ROUND_ROBIN]["swaps_unfairness"] < found[AS_IT_COMES]["swaps_unfairness"]
    assert found[ROUND_ROBIN]["swaps_mean"] > 0.8 * 40
