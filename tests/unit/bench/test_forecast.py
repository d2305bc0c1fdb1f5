"""Forecasts: right within 30% for the papers' sizes, by a clock that is made up."""

import random
from itertools import accumulate

import pytest

from formicary_bench.engine.forecast import Forecast, in_words
from formicary_bench.engine.options import parse
from formicary_bench.engine.plan import make_plan, schedule
from formicary_bench.engine.rough import rough_seconds
from formicary_bench.experiments.catalogue import EXPERIMENTS
from formicary_bench.platforms.catalogue import N_HOSTS

LOCAL = [one.name for one in EXPERIMENTS if one.placements != (N_HOSTS,)]


def made_up_seconds(order, seed):
    """How long each repetition takes: some start-up, a speed of each platform and way, and noise."""
    generator = random.Random(seed)
    begin = generator.uniform(0.2, 2)
    speeds = {}
    for one, _, _ in order:
        way = (one.experiment, one.platform, one.kind, one.route, one.tls, one.placement)
        speed = speeds.setdefault(way, generator.lognormvariate(0.5, 0.5))
        yield (begin + speed * rough_seconds(one)) * generator.lognormvariate(0, 0.1)


@pytest.mark.parametrize("experiment", LOCAL)
@pytest.mark.parametrize("seed", range(3))
def test_a_forecast_of_the_papers_sizes_is_right_within_30_percent(experiment, seed):
    options = parse(experiment, preset="paper", seed="1")
    plan = make_plan(options)
    order = schedule(plan, [options.repeat] * len(plan), options.seed)
    seconds = list(made_up_seconds(order, seed))
    forecast = Forecast(one for one, _, _ in order)
    left = [sum(seconds) - done for done in accumulate(seconds)]
    for (one, number, _), took, really in zip(order, seconds, left, strict=True):
        forecast.measured(one, took)
        # From the first repetition of all on; of the last few measurements the noise may be all there is.
        if number > 1 and really > 0.05 * sum(seconds):
            assert forecast.remaining() == pytest.approx(really, rel=0.3)
    assert forecast.remaining() == 0


@pytest.mark.parametrize("seed", range(5))
def test_sizes_that_were_not_measured_are_judged_by_those_like_them(seed):
    # After two thirds of the first repetition; before that it is a rough estimate.
    options = parse("messaging/pairs", preset="paper", seed=str(seed))
    plan = make_plan(options)
    order = schedule(plan, [options.repeat] * len(plan), options.seed)
    seconds = [3.7 * rough_seconds(one) for one, _, _ in order]
    forecast = Forecast(one for one, _, _ in order)
    half = len(plan) * 2 // 3
    for (one, _, _), took in zip(order[:half], seconds[:half], strict=True):
        forecast.measured(one, took)
    assert forecast.remaining() == pytest.approx(sum(seconds[half:]), rel=0.01)


def test_what_an_earlier_run_took_is_taken_before_anything_is_measured():
    plan = make_plan(parse("messaging/pairs", seed="1"))
    known = {one.key: 2.0 for one in plan}
    assert Forecast(plan * 3, known).remaining() == pytest.approx(6.0 * len(plan))
    half = {one.key: 2.0 for one in plan[::2]}
    forecast = Forecast(plan, half)
    assert forecast.seconds(plan[0]) == 2.0
    assert forecast.seconds(plan[1]) == rough_seconds(plan[1])


def test_a_machine_that_becomes_slower_is_followed():
    (one,) = make_plan(parse("messaging/pairs", pairs="1", placement="same-container", platform="tasks"))
    forecast = Forecast([one] * 100)
    for _ in range(40):
        forecast.measured(one, 1.0)
    for _ in range(20):
        forecast.measured(one, 3.0)
    assert forecast.remaining() == pytest.approx(40 * 3.0)


def test_a_run_without_anything_left_takes_no_time():
    assert Forecast([]).remaining() == 0


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "less than a second"),
        (1, "1 second"),
        (89.4, "89 seconds"),
        (90, "2 minutes"),
        (5000, "83 minutes"),
        (5400, "2 hours"),
        (47 * 3600, "47 hours"),
        (3 * 86_400, "3 days"),
    ],
)
def test_a_duration_in_words(seconds, said):
    assert in_words(seconds) == said
