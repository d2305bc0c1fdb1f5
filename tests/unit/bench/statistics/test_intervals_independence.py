"""How often repetitions that depend on each other are noticed, and what their intervals hold then."""

import numpy as np
import pytest
from scipy.stats import binom

from formicary_bench.statistics.comparisons import Contrast, Verdict, compare
from formicary_bench.statistics.gates import Outcome, gate
from formicary_bench.statistics.intervals import FEWEST, dependence, mean_interval, widening
from formicary_bench.statistics.ratios import ratio_of_values
from formicary_bench.statistics.stability import Stability, assess

RUNS = 400


def chains(correlation, n, seed=21, runs=RUNS):
    """Make sequences of which each value is like the one before, by so much: AR(1), stationary."""
    random = np.random.default_rng(seed)
    noise = random.normal(size=(runs, n))
    found = np.empty((runs, n))
    found[:, 0] = noise[:, 0] / np.sqrt(1 - correlation**2)
    for place in range(1, n):
        found[:, place] = correlation * found[:, place - 1] + noise[:, place]
    return found.tolist()


def noticed(values):
    return sum(dependence(one) is not None for one in values)


@pytest.mark.parametrize("n", [10, 20, 30])
def test_of_independent_repetitions_one_in_twenty_is_called_dependent(n):
    assert noticed(chains(0.0, n)) <= binom.ppf(0.9999, RUNS, 0.06)
    skewed = np.exp(np.array(chains(0.0, n))).tolist()
    assert noticed(skewed) == noticed(chains(0.0, n))  # by ranks, so the shape does not matter


@pytest.mark.parametrize(("n", "part"), [(10, 0.31), (20, 0.61), (30, 0.79), (50, 0.94)])
def test_half_dependent_repetitions_are_noticed_as_often_as_the_documentation_says(n, part):
    few, many = (binom.ppf(tail, RUNS, part) for tail in (0.0001, 0.9999))
    assert few <= noticed(chains(0.5, n)) <= many


def test_of_few_nothing_is_claimed():
    assert FEWEST == 10
    assert dependence(list(range(9))) is None
    assert dependence([1.0] * 30) is None
    assert dependence(list(range(10))) is not None


def test_what_alternates_is_no_reason_to_widen_anything():
    assert widening([1.0, 2.0] * 10) == 1.0


def held(values, wider):
    intervals = [(mean_interval(one), widening(one) if wider else 1.0) for one in values]
    return np.mean([abs(one.mean) <= one.half_width * by for one, by in intervals])


def test_where_it_is_noticed_the_wider_interval_holds_what_it_says():
    seen = [one for one in chains(0.5, 30, runs=1000) if dependence(one)]
    assert held(seen, wider=False) < 0.83
    assert held(seen, wider=True) > 0.93


def test_ratios_are_as_wide():
    chained, plain = (100 * np.exp(0.05 * np.array(one)) for one in (chains(0.8, 30)[0], chains(0, 30)[3]))
    assert dependence(chained.tolist())
    mixed = plain.tolist()
    assert dependence(mixed) is None
    known, sorted_back = ratio_of_values(chained, mixed), ratio_of_values(_shuffled(chained), mixed)
    by = np.log(known.high / known.low) / np.log(sorted_back.high / sorted_back.low)
    assert by == pytest.approx(widening(np.log(chained).tolist()))
    assert by > 1.5


def _shuffled(values):
    """Return values in an order without dependence."""
    random = np.random.default_rng(0)
    while dependence(found := random.permutation(values).tolist()) is not None:
        pass
    return found


def test_stability_says_so_and_is_as_wide():
    (values,) = [[100 + one for one in found] for found in chains(0.8, 30, seed=3, runs=1)]
    found, apart = assess(values), assess(_shuffled(values))
    assert found.stability is Stability.DEPENDS
    assert found.half_width == pytest.approx(apart.half_width * found.depends.widening)
    assert "each is close to the one before" in found.sentence
    assert apart.depends is None


def test_neither_verdicts_nor_gates_are_sure_where_the_wider_interval_is_not():
    values = (100 * np.exp(0.03 * np.array(chains(0.8, 20, seed=4, runs=1)[0]))).tolist()
    base = (100 * np.exp(0.03 * np.array(chains(0.0, 20, seed=5, runs=1)[0]))).tolist()
    apart = _shuffled(values)
    by = [1.0, 1.0]
    for place, one in enumerate((values, apart)):  # just so much slower that it is told of the independent
        while _verdict([value * by[place] for value in one], base) is not Verdict.SLOWER:
            by[place] += 0.002
    assert by[0] > by[1] + 0.01
    contrast = Contrast(name="", values=tuple(one * by[1] for one in values), base=tuple(base))
    (found,), (passage,) = compare([contrast]), gate([contrast], 0.0)
    assert (found.verdict, passage.outcome) == (Verdict.UNDECIDED, Outcome.UNDECIDED)
    assert "repetitions are correlated" in found.sentence
    assert "repetitions are correlated" in passage.sentence


def _verdict(values, base):
    (found,) = compare([Contrast(name="", values=tuple(values), base=tuple(base))])
    return found.verdict
