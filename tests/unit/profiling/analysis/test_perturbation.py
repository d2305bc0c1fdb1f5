"""What profiling costs: the same work with and without, turn about."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from formicary.profiling.analysis.perturbation import perturbation


def test_the_cost_is_the_loss_of_rate_and_the_order_changes():
    orders: list[bool] = []
    profiled = [False]

    @contextmanager
    def profiling():
        profiled[0] = True
        yield
        profiled[0] = False

    def rate():
        orders.append(profiled[0])
        return 95.0 if profiled[0] else 100.0

    found = perturbation(rate, profiling, rounds=4)
    assert found.cost == pytest.approx(0.05)
    assert found.margin == pytest.approx(0.0)
    assert str(found) == "profiling costs 5.0% ± 0.0% of the rate"
    assert orders == [True, False, False, True, True, False, False, True]


def test_rates_that_differ_have_a_margin():
    rates = iter([90.0, 100.0, 100.0, 98.0])

    @contextmanager
    def profiling():
        yield

    found = perturbation(lambda: next(rates), profiling, rounds=2)
    assert found.cost == pytest.approx(0.06)
    assert found.margin == pytest.approx(12.706 * 0.04, rel=1e-3)  # t(0.975; 1) * |0.10 - 0.02| / 2
