"""Comparisons and gates: against published examples, and by how often they err where the truth is known."""

import numpy as np
import pytest
from scipy.stats import binom

from formicary_bench.statistics.comparisons import FEWEST, Contrast, Verdict, compare, hedges_g
from formicary_bench.statistics.gates import Outcome, gate, together
from formicary_bench.statistics.ratios import ratio_of_values
from formicary_bench.statistics.tests import difference, holm, larger_p, rank_p, student_p, welch_p

# Student, The Probable Error of a Mean, 1908: hours of sleep gained by two drugs; the figures are those that
# R's documentation of t.test and sleep gives.
SLEEP = (
    [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
)
RUNS = 3000
MORE = pytest.mark.full("the same with more runs")


def contrast(values, base, **about):
    return Contrast(name="one", values=tuple(values), base=tuple(base), **about)


def judge(values, base, **about):
    (found,) = compare([contrast(values, base, **about)])
    return found


def near(rate, runs):
    """Return how far a rate may be off by chance: four standard errors."""
    return 4 * (rate * (1 - rate) / runs) ** 0.5


def drawn(random, n, centre=100.0, scatter=0.03):
    return random.lognormal(np.log(centre), scatter, n)


# Published examples


def test_students_sleep_data():
    assert student_p(*SLEEP) == pytest.approx(0.07919, abs=5e-6)
    assert welch_p(*SLEEP) == pytest.approx(0.07939, abs=5e-6)
    interval = difference(*SLEEP)
    assert (interval.low, interval.high) == pytest.approx((-3.3654832, 0.2054832), abs=1e-6)


def test_one_side_of_welchs_test_is_half_of_both():
    assert larger_p(SLEEP[1], SLEEP[0], 0.0) == pytest.approx(0.07939 / 2, abs=5e-6)
    assert larger_p(SLEEP[0], SLEEP[1], 0.0) == pytest.approx(1 - 0.07939 / 2, abs=5e-6)


def test_ranks_as_in_the_documentation_of_scipy():
    # Ages at which diabetes was found: scipy's documentation of mannwhitneyu, after a lecture of its sources.
    assert rank_p([19, 22, 16, 29, 24], [20, 11, 17, 12]) == pytest.approx(0.1111, abs=5e-5)


def test_holms_correction_of_a_textbook_example():
    # The example of the encyclopaedia Wikipedia for Holm's method: four p, two of which are believed.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_hedges_g_as_borenstein_has_it():
    # Borenstein, Hedges, Higgins and Rothstein, Introduction to Meta-Analysis, 2009, chapter 4: means 103 and
    # 100, deviations 5.5 and 4.5, 50 each: g = 0.5924 with variance 0.0411. The values have just these.
    one, other = (_with(mean, deviation, 50) for mean, deviation in ((103, 5.5), (100, 4.5)))
    found = hedges_g(one, other)
    assert found.mean == pytest.approx(0.5924, abs=5e-5)
    assert found.half_width == pytest.approx(1.96 * 0.0411**0.5, rel=0.02)  # theirs is the large-sample one


def _with(mean, deviation, n):
    values = np.random.default_rng(4).normal(size=n)
    return list((values - values.mean()) / values.std(ddof=1) * deviation + mean)


# Coverage


def test_the_interval_of_a_ratio_holds_it_in_95_of_100():
    random = np.random.default_rng(11)
    found = [ratio_of_values(drawn(random, 6, 110), drawn(random, 9, 100, 0.06)) for _ in range(RUNS)]
    held = np.mean([one.low <= 1.1 <= one.high for one in found])
    assert 0.94 <= held <= 0.96


def test_the_interval_of_an_effect_holds_it_in_95_of_100():
    random = np.random.default_rng(12)
    found = [hedges_g(random.normal(1.5, 1, 8), random.normal(0, 1, 6)) for _ in range(RUNS)]
    # The bounds are those of d times the correction: the true effect is so, too.
    assert 0.94 <= np.mean([one.low <= 1.5 <= one.high for one in found]) <= 0.96
    assert np.mean([one.mean for one in found]) == pytest.approx(1.5, abs=0.05)  # Cohen's d would be 1.6


# Errors


@pytest.mark.parametrize("runs", [600, pytest.param(RUNS, marks=MORE)])
def test_where_there_is_no_difference_one_in_twenty_is_found(runs):
    random = np.random.default_rng(13)
    verdicts = [judge(drawn(random, 8), drawn(random, 8)).verdict for _ in range(runs)]
    wrong = np.mean([verdict in {Verdict.FASTER, Verdict.SLOWER} for verdict in verdicts])
    assert wrong == pytest.approx(0.05, abs=near(0.05, runs))
    faster, slower = verdicts.count(Verdict.FASTER), verdicts.count(Verdict.SLOWER)
    assert faster == pytest.approx(slower, abs=5 * (0.05 * runs) ** 0.5)


@pytest.mark.parametrize("families", [80, pytest.param(250, marks=MORE)])
def test_a_whole_family_errs_as_seldom_as_one(families):
    random = np.random.default_rng(14)
    wrong = 0
    for _ in range(families):
        found = compare([contrast(drawn(random, 6), drawn(random, 6)) for _ in range(12)])
        wrong += any(one.verdict in {Verdict.FASTER, Verdict.SLOWER} for one in found)
    assert wrong <= binom.ppf(0.9999, families, 0.05)  # 12 of them uncorrected would be wrong in 46%


def test_a_real_difference_is_found_and_has_its_direction():
    random = np.random.default_rng(15)
    found = [judge(drawn(random, 8, 90), drawn(random, 8)).verdict for _ in range(300)]
    assert found.count(Verdict.FASTER) > 290
    assert found.count(Verdict.SLOWER) == 0


@pytest.mark.parametrize("runs", [400, pytest.param(1000, marks=MORE)])
def test_the_same_is_only_said_where_it_nearly_is(runs):
    random = np.random.default_rng(16)
    # The truth is just at the resolution: to say "no difference found" is wrong, and seldom.
    found = [judge(drawn(random, 12, 105), drawn(random, 12)).verdict for _ in range(runs)]
    assert found.count(Verdict.SAME) <= binom.ppf(0.9999, runs, 0.025)


# Verdicts in words


STEADY = [100.0, 101.0, 99.0, 100.5, 99.5, 100.2]


def test_times_that_fell_are_faster_and_rates_that_fell_are_slower():
    less = [value * 0.9 for value in STEADY]
    assert judge(less, STEADY).sentence == (
        "faster: the time changed by -10.0% (95% interval -10.8% to -9.2%), by 6 repetitions against 6"
    )
    assert judge(less, STEADY, is_rate=True).sentence.startswith("slower: the rate changed by -10.0%")


def test_the_same_says_what_is_ruled_out():
    found = judge(STEADY, STEADY[::-1])
    assert found.verdict is Verdict.SAME
    assert found.sentence.endswith("; changes of more than 5% are ruled out")


def test_noise_is_undecided_and_says_how_many_repetitions_would_do():
    wild = judge([60.0, 140.0, 100.0, 80.0, 125.0], [100.0, 70.0, 110.0, 135.0, 90.0])
    assert "too much scatter for more repetitions to help" in wild.sentence
    noisy = [85.0, 113.0, 100.0, 93.0, 108.0]
    found = judge(noisy, [100.0, 90.0, 103.0, 111.0, 97.0])
    assert found.verdict is Verdict.UNDECIDED
    assert "repetitions of each would show a change of 5%" in found.sentence
    needed = int(found.sentence.partition("about ")[2].split()[0])
    many = np.random.default_rng(2)
    scatter = np.std(np.log(noisy), ddof=1)
    widths = [
        ratio_of_values(drawn(many, needed, 100, scatter), drawn(many, needed, 100, scatter))
        for _ in range(20)
    ]
    assert np.median([np.log(one.high / one.low) / 2 for one in widths]) == pytest.approx(0.05, rel=0.5)


def test_too_few_are_undecided_whatever_they_are():
    found = judge([1.0, 1.1, 1.0, 1.05], [100.0] * 9)
    assert found.verdict is Verdict.UNDECIDED
    assert found.sentence == "inconclusive: 4 repetitions against 9 are too few; use at least 5 of each"
    assert FEWEST == 5
    assert "1 repetition against 9 are" in judge([1.0], [100.0] * 9).sentence


def test_what_is_not_above_zero_is_said():
    assert "not positive" in judge([0.0, 1, 1, 1, 1], [1.0] * 5).sentence


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0, 0.0, 1e300, 5e-324])
@pytest.mark.parametrize("is_rate", [False, True])
def test_what_cannot_have_been_measured_decides_nothing_on_either_side(value, is_rate):
    for sides in ([*STEADY, value], STEADY), (STEADY, [value, *STEADY]):
        found = judge(*sides, is_rate=is_rate)
        (passage,) = gate([contrast(*sides, is_rate=is_rate)], 0.05)
        assert (found.verdict, passage.outcome) == (Verdict.UNDECIDED, Outcome.UNDECIDED)
        assert "is not positive and finite" in found.sentence
        assert found.ratio is found.welch_p is None


@pytest.mark.parametrize(
    ("values", "base", "verdict"),
    [
        ([1e-9] * 5, [1e9] * 5, Verdict.FASTER),
        ([1e-9, 1.1e-9, 1e-9, 1e-9, 1.2e-9], [1e9, 1.2e9, 1e9, 1e9, 1e9], Verdict.FASTER),
        ([1.0, 1.0, 1.0, 1.0, 1.0 + 2**-52], [1.0] * 5, Verdict.SAME),
        ([1.0, 1.0, 2.0, 2.0, 1.0, 2.0], [1.0, 2.0, 2.0, 2.0, 1.0, 1.0], Verdict.UNDECIDED),  # ties
        ([1e-9, 1e9, 1.0, 1.0, 1.0], STEADY, Verdict.UNDECIDED),
    ],
)
def test_extremes_have_an_answer(values, base, verdict):
    found = judge(values, base)
    assert found.verdict is verdict
    assert np.isfinite([found.ratio.low, found.ratio.mean, found.ratio.high]).all()
    assert 0 <= found.welch_p <= found.corrected_p <= 1
    assert "nan" not in found.sentence


def test_two_against_fifty_say_nothing_and_five_against_fifty_do():
    random = np.random.default_rng(19)
    many = drawn(random, 50)
    assert judge(drawn(random, 2, 50), many).sentence.startswith("inconclusive: 2 repetitions against 50")
    assert judge(drawn(random, 5, 50), many).verdict is Verdict.FASTER


def test_what_does_not_scatter_is_decided():
    assert judge([3.0] * 5, [3.0] * 7).verdict is Verdict.SAME
    assert judge([3.1] * 5, [3.0] * 7).verdict is Verdict.SLOWER
    assert judge([3.0] * 5, [3.0, 3.1, 3.0, 3.1, 3.0]).verdict is not Verdict.FASTER


def test_one_by_itself_is_believed_and_among_many_is_not():
    values, base = [98.0, 99.0, 97.5, 98.5, 100.0, 99.2], STEADY
    assert judge(values, base).verdict is Verdict.FASTER
    first, *_ = compare([contrast(values, base), *[contrast(STEADY, STEADY[::-1])] * 30])
    assert first.verdict is Verdict.UNDECIDED
    assert "among 31 comparisons this may be chance" in first.sentence
    assert first.welch_p < 0.05 < first.corrected_p


def test_those_without_an_answer_do_not_count_for_the_family():
    few = contrast([1.0], [2.0])
    alone, _ = compare([contrast([90.0, 91, 89, 90, 92], STEADY), few])
    assert alone.corrected_p == alone.welch_p


# Gates


@pytest.mark.parametrize("is_rate", [False, True])
def test_gates_at_their_limit_err_in_one_of_forty(is_rate):
    random = np.random.default_rng(17)
    slowdown = 1 / 1.05 if is_rate else 1.05
    said = [
        gate([contrast(drawn(random, 7, 100 * slowdown), drawn(random, 7), is_rate=is_rate)], 0.05)[0].outcome
        for _ in range(RUNS)
    ]
    for wrong in (Outcome.SLOWER, Outcome.NOT_SLOWER):
        assert said.count(wrong) / RUNS == pytest.approx(0.025, abs=near(0.025, RUNS))


@pytest.mark.parametrize(
    ("factor", "outcome"),
    [(1.0, Outcome.NOT_SLOWER), (1.02, Outcome.NOT_SLOWER), (1.2, Outcome.SLOWER), (0.5, Outcome.NOT_SLOWER)],
)
def test_what_gates_say(factor, outcome):
    (found,) = gate([contrast([value * factor for value in STEADY], STEADY)], 0.05)
    assert found.outcome is outcome
    assert found.sentence.startswith(f"{outcome}: the time changed by ")


def test_a_gate_says_nothing_that_its_interval_does_not():
    random = np.random.default_rng(18)
    for _ in range(300):
        slowdown = random.uniform(0.9, 1.2)
        (found,) = gate([contrast(drawn(random, 6, 100 * slowdown), drawn(random, 8))], 0.05)
        low, high = found.ratio.low > 1.05, found.ratio.high < 1.05
        assert (found.outcome is Outcome.SLOWER, found.outcome is Outcome.NOT_SLOWER) == (low, high)


def test_a_gate_is_undecided_near_its_limit_and_with_too_few():
    (near_limit,) = gate([contrast([value * 1.05 for value in STEADY], STEADY)], 0.05)
    assert near_limit.outcome is Outcome.UNDECIDED
    assert "5% is allowed: about" in near_limit.sentence
    (few,) = gate([contrast([1.0, 1.0], [1.0, 1.0])], 0.05)
    assert few.outcome is Outcome.UNDECIDED
    assert few.ratio is None


def test_a_gate_of_figures_that_do_not_scatter():
    same, worse = gate([contrast([3.0] * 5, [3.0] * 5), contrast([4.0] * 5, [3.0] * 5)], 0.05)
    assert (same.outcome, worse.outcome) == (Outcome.NOT_SLOWER, Outcome.SLOWER)


def test_a_gate_of_many_is_as_good_as_the_worst():
    fine, slow, open_ = (
        gate([contrast([value * factor for value in STEADY], STEADY)], 0.05)[0] for factor in (1.0, 1.2, 1.05)
    )
    assert together([fine, fine]) is Outcome.NOT_SLOWER
    assert together([fine, open_]) is Outcome.UNDECIDED
    assert together([open_, slow, fine]) is Outcome.SLOWER
    assert together([]) is Outcome.UNDECIDED
