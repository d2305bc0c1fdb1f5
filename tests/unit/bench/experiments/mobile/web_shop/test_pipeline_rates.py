"""The peak rate and the sustained rate of visits."""

import numpy as np
import pytest

from formicary_bench.experiments.mobile.web_shop.pipeline import peak, sustained, total_s

MS = 1_000_000


def visits(*took_ms):
    ends = np.cumsum(np.array(took_ms, np.int64)) * MS
    return ends - np.array(took_ms, np.int64) * MS, ends


def test_of_even_visits_both_rates_are_the_same():
    starts, ends = visits(*[10] * 40)
    assert total_s(starts, ends) == pytest.approx(0.4)
    assert sustained(starts, ends) == pytest.approx(100)
    assert peak(starts, ends) == pytest.approx(100)


def test_the_peak_is_over_a_tenth_of_the_visits_and_not_of_a_single_one():
    starts, ends = visits(*[10] * 30, *[5] * 9, 1)
    assert sustained(starts, ends) == pytest.approx(40 / 0.346)
    assert peak(starts, ends) == pytest.approx(4 / 0.016)


def test_few_visits_have_rates_too():
    starts, ends = visits(20)
    assert peak(starts, ends) == sustained(starts, ends) == pytest.approx(50)


def test_visits_of_several_clients_at_once_count_together():
    starts, ends = visits(*[10] * 10)
    starts, ends = np.concatenate([starts, starts + MS]), np.concatenate([ends, ends + MS])
    assert sustained(starts, ends) == pytest.approx(20 / 0.101)
    assert peak(starts, ends) == pytest.approx(2 / 0.010)


def test_without_time_there_is_no_rate():
    nothing = np.array([5, 5], np.int64)
    assert peak(nothing, nothing) is None
    assert sustained(nothing, nothing) is None
