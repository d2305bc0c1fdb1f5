"""Forecasts: right within 30% for the papers' sizes, by a clock that is made up."""

import random

import pytest

from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.results.store.model import Machine
from formicary_bench.runner.forecast.default_durations import default_duration
from formicary_bench.runner.forecast.forecast import (
    REPORT_SECONDS,
    Forecast,
    earlier_durations,
    in_words,
    remember,
)
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import make_plan, schedule
from formicary_bench.vocabulary.parameters.shared import paced_rate
from formicary_bench.vocabulary.places import N_HOSTS

LOCAL = [one.name for one in EXPERIMENTS.values() if one.placements != (N_HOSTS,)]


def made_up_seconds(order, seed):
    """How long each repetition takes: to begin, at the speed of each platform and way, with noise."""
    generator = random.Random(seed)
    begin = generator.uniform(0.5, 3)
    speeds = {}
    for one, _, _ in order:
        way = (one.experiment, one.platform, one.kind, one.route, one.tls, one.placement, one.profiled)
        speed = speeds.setdefault(way, generator.lognormvariate(0.5, 0.5))
        if paced_rate(one) or one.parameters.get("limit_us") or one.parameters.get("seconds"):
            speed = 1.0  # which take their time on any machine
        expected = default_duration(one)
        yield (begin * expected.begin + speed * expected.work) * generator.lognormvariate(0, 0.1)


def in_order(experiment, seed="1"):
    options = parse(experiment, preset="paper", seed=seed)
    plan = make_plan(options)
    return schedule(plan, [options.repeat] * len(plan), options.seed)


@pytest.mark.grid
@pytest.mark.parametrize("experiment", LOCAL)
@pytest.mark.parametrize("seed", range(3))
def test_a_forecast_of_the_papers_sizes_is_right_within_30_percent(experiment, seed):
    order = in_order(experiment)
    seconds = list(made_up_seconds(order, seed))
    forecast = Forecast(one for one, _, _ in order)
    report = REPORT_SECONDS * len(order)
    whole, done = sum(seconds) + report, 0.0
    every = max(1, len(order) // 40)  # each look goes through all that is left
    for count, ((one, number, _), took) in enumerate(zip(order, seconds, strict=True)):
        forecast.measured(one, took)
        done += took
        if count % every:
            continue
        if number > 1 or done > whole / 4:
            assert done + forecast.remaining() == pytest.approx(whole, rel=0.3)
        # Of the last few measurements the noise may be all there is.
        if number > 1 and len(order) - count > 4 and whole - done > whole / 20:
            assert forecast.remaining() == pytest.approx(whole - done, rel=0.3)
    assert forecast.remaining() == report


@pytest.mark.grid
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("begin", "work"), [(3.7, 3.7), (2.5, 1.0), (1.0, 4.0)])
def test_beginning_and_work_are_told_apart_by_sizes_that_were_measured(seed, begin, work):
    order = in_order("messaging/pairs", str(seed))
    seconds = [begin * default_duration(one).begin + work * default_duration(one).work for one, _, _ in order]
    forecast = Forecast(one for one, _, _ in order)
    few = len({one for one, _, _ in order}) * 2 // 3
    for (one, _, _), took in zip(order[:few], seconds[:few], strict=True):
        forecast.measured(one, took)
    assert forecast.remaining() == pytest.approx(sum(seconds[few:]), rel=0.1)


def test_what_an_earlier_run_took_is_taken_before_anything_is_measured():
    plan = make_plan(parse("messaging/pairs", seed="1"))
    seconds = 3 * (2.0 + REPORT_SECONDS) * len(plan)
    assert Forecast(plan * 3, dict.fromkeys(plan, 2.0)).remaining() == pytest.approx(seconds)


def test_an_earlier_run_also_says_how_long_other_sizes_take():
    plan = make_plan(parse("messaging/pairs", seed="1"))
    earlier = {one: 2 * default_duration(one).begin + 5 * default_duration(one).work for one in plan[::2]}
    forecast = Forecast(plan, earlier)
    assert forecast.seconds(plan[0]) == earlier[plan[0]]
    expected = [2 * default_duration(one).begin + 5 * default_duration(one).work for one in plan]
    assert forecast.remaining() == pytest.approx(sum(expected), rel=0.2)
    assert forecast.remaining() > 1.5 * Forecast(plan).remaining()


def test_a_machine_that_is_slower_than_it_was_takes_longer_than_in_an_earlier_run():
    plan = make_plan(parse("messaging/pairs", seed="1"))
    forecast = Forecast(plan, dict.fromkeys(plan, 2.0))
    for one in plan[:20]:
        forecast.measured(one, 4.0)
    assert forecast.remaining() == pytest.approx(4.0 * len(plan[20:]), rel=0.05)


def test_slow_processes_do_not_make_the_work_of_larger_configurations_seem_long():
    def roaming(loop):
        return make_plan(parse("mobile/roam", loop=str(loop), route="direct"))

    earlier = dict.fromkeys(roaming(20), 9.7)  # a busy machine, which takes most of it to start processes
    larger = roaming(4000)
    assert not set(larger) & set(earlier)
    assert Forecast(larger, earlier).remaining() < 90 * len(larger)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "formicary" / "durations.json"


HERE = Machine(host="a", cpu="fast", usable=2)


def test_what_repetitions_took_is_remembered_for_one_machine(cache):
    one, two, three = make_plan(parse("messaging/pairs", seed="1"))[:3]
    assert earlier_durations(HERE) == {}
    remember(HERE, {one: [1.0, 2.0, 30.0], two: [5.0]})  # it was measured three times over, once
    remember(HERE, {two: [7.0], three: [1.5]})
    assert earlier_durations(HERE) == {one: 2.0, two: 7.0, three: 1.5}
    assert earlier_durations(Machine(host="b", cpu="fast", usable=2)) == {}
    assert [path.name for path in cache.parent.iterdir()] == ["durations.json"]


@pytest.mark.parametrize(
    "content", [b"", b"[]", b'{"version": 1}', b"\xff", b'{"version":9,"machine":[],"took":[]}']
)
def test_a_cache_that_is_none_says_nothing_and_is_written_anew(cache, content):
    (one,) = make_plan(parse("create", platform="tasks"))
    cache.parent.mkdir(parents=True)
    cache.write_bytes(content)
    assert earlier_durations(HERE) == {}
    remember(HERE, {one: [1.0]})
    assert earlier_durations(HERE) == {one: 1.0}


def test_a_cache_that_cannot_be_written_breaks_nothing(cache):
    (one,) = make_plan(parse("create", platform="tasks"))
    cache.parent.parent.mkdir()
    cache.parent.write_text("in the way")
    remember(HERE, {one: [1.0]})
    assert earlier_durations(HERE) == {}


def test_a_machine_that_becomes_slower_is_followed():
    (one,) = make_plan(parse("messaging/pairs", pairs="1", placement="same-container", platform="tasks"))
    forecast = Forecast([one] * 100)
    for _ in range(40):
        forecast.measured(one, 1.0)
    for _ in range(20):
        forecast.measured(one, 3.0)
    assert forecast.remaining() == pytest.approx(40 * 3.0 + 100 * REPORT_SECONDS)


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
