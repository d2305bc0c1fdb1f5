"""What is left out as warm-up: as planned, as the papers have it, or as the values say."""

import json

import numpy as np
import pytest
from tests.unit.bench.synthetic import STARTED, create_plan, make_run

from formicary.errors import UsageError
from formicary_bench.reports.document.report import to_know
from formicary_bench.results.store.model import Repetition
from formicary_bench.results.store.raw import RoundTrips
from formicary_bench.results.summary.summary import summarise
from formicary_bench.results.summary.warm_up import read_rule, with_rule
from formicary_bench.results.verdicts.pairing import pair
from formicary_bench.runner.planning.options import parse
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.metrics import MEAN

TRIPS = 600


def slow_start(seed, *, slow=100, pairs=3, planned=20):
    """Round trips that take twice as long at first, and count as warm after a few."""
    random = np.random.default_rng(seed)
    rtt = (100_000 * random.lognormal(0, 0.02, (pairs, TRIPS))).astype(np.int64)
    rtt[:, :slow] *= 2
    phases = np.repeat([1, 2, 3], [planned, TRIPS - planned - 50, 50]).astype(np.int8)
    return RoundTrips(
        pair=np.repeat(np.arange(pairs, dtype=np.int32), TRIPS),
        index=np.tile(np.arange(TRIPS, dtype=np.int32), pairs),
        start_ns=(np.cumsum(rtt, axis=1) - rtt).ravel(),
        rtt_ns=rtt.ravel(),
        phase=np.tile(phases, pairs),
    )


def keep(path, *repetitions, planned=20, **options):
    configuration = Configuration(
        experiment="messaging/pairs",
        platform="formicary",
        kind="behaviours",
        parameters={"pairs": 3, "rounds": (planned, TRIPS - planned - 50, 50)},
    )
    run = make_run(path, [configuration], repetitions=0, options=options)
    for number, data in enumerate(repetitions, 1):
        known = {"configuration": configuration.key, "number": number, "seed": 1}
        run.add(Repetition(**known, started=STARTED, ended=STARTED), data)
    return run


def by(run, rule):
    run.manifest = with_rule(run.manifest, rule)
    (row,) = summarise(run)
    return row


@pytest.fixture
def run(tmp_path):
    return keep(tmp_path / "run", *(slow_start(seed) for seed in (1, 2, 3)))


def test_a_plan_that_is_too_short_is_followed_and_said(run):
    (row,) = summarise(run)
    assert (row.warm_up.rule, row.warm_up.least, row.warm_up.most) == ("planned", 20, 20)
    assert row.round_trips == 3 * 3 * (TRIPS - 70)
    assert row.mean(MEAN) == pytest.approx(115, rel=0.01)  # 80 of 530 take twice as long
    assert all(100 <= index <= 150 for index in row.warm_up.settled)
    (remark,) = to_know([row])
    assert "a warm-up of 20 is too short" in remark
    assert "--warm-up detect" in remark


def test_detection_leaves_out_what_is_slow_and_says_how_much(run):
    row = by(run, "detect")
    assert 100 <= row.warm_up.least <= row.warm_up.most <= 150
    assert row.mean(MEAN) == pytest.approx(100, rel=0.005)
    assert row.full_load
    (remark,) = to_know([row])
    assert f"The first {row.warm_up.least} " in remark
    assert "(--warm-up detect)" in remark


def test_detection_takes_back_what_a_plan_left_out_too_much(tmp_path):
    run = keep(tmp_path / "run", slow_start(1, slow=0, planned=300), planned=300)
    row = by(run, "detect")
    assert row.warm_up.most <= 60
    assert row.round_trips >= 3 * (TRIPS - 50 - 60)


def test_the_papers_leave_out_500_and_a_number_that_many(run):
    assert by(run, "paper").round_trips == 3 * 3 * 50
    assert by(run, "100").round_trips == 3 * 3 * 450
    assert by(run, "0").round_trips == 3 * 3 * 550


def test_what_leaves_nothing_is_not_done_and_said(run):
    row = by(run, "5000")
    assert row.round_trips == 3 * 3 * (TRIPS - 70)
    assert "too few round trips to discard 5000" in row.warm_up.remark
    assert any("too few round trips to discard 5000" in remark for remark in to_know([row]))


def test_what_never_settles_keeps_its_plan_and_says_so(tmp_path):
    data = slow_start(1, slow=0)
    data.rtt_ns[:] = data.rtt_ns * np.tile(np.linspace(1, 2, TRIPS), 3)
    row = by(keep(tmp_path / "run", data, slow_start(2)), "detect")
    assert (row.warm_up.least, row.warm_up.settled[0]) == (20, None)
    assert row.warm_up.remark.startswith(
        "in 1 of 2 repetitions the planned warm-up of 20 is discarded, as it"
    )


def test_pairs_with_lost_messages_and_odd_numbers_are_no_trouble(tmp_path):
    data = slow_start(1)
    some = np.delete(np.arange(3 * TRIPS), [3, 700, 701])
    lossy = RoundTrips(**{name: getattr(data, name)[some] for name in RoundTrips.__slots__})
    assert 100 <= by(keep(tmp_path / "lossy", lossy), "detect").warm_up.least <= 150
    odd = RoundTrips(**{name: getattr(data, name).copy() for name in RoundTrips.__slots__})
    odd.index[0] = 2_000_000_000
    assert by(keep(tmp_path / "odd", odd), "detect").warm_up.settled == (None,)


def test_the_rule_of_a_run_is_kept_and_compared_by(tmp_path):
    first = keep(tmp_path / "a", *(slow_start(seed) for seed in range(6)), **{"warm-up": "detect"})
    second = keep(tmp_path / "b", *(slow_start(seed, slow=0) for seed in range(6)))
    (row,) = summarise(first)
    assert row.warm_up.rule == "detect"
    found = pair(first, second)
    assert "they discard different warm-ups: detect and as planned" in found.remarks
    rates = next(one for one in found.contrasts if one.is_rate)
    assert np.mean(rates.values) == pytest.approx(np.mean(rates.base), rel=0.01)


@pytest.mark.parametrize("word", ["five", "-1", "", "99999999999", "1.5"])
def test_what_is_no_rule_is_refused(word):
    with pytest.raises(UsageError, match="--warm-up is detect, paper"):
        read_rule(word)


def test_a_manifest_with_a_rule_that_is_none_is_refused(tmp_path):
    with pytest.raises(UsageError, match="--warm-up is"):
        summarise(keep(tmp_path / "run", slow_start(1), **{"warm-up": "<b>"}))


def test_runs_make_the_warm_up_that_is_left_out():
    asked = parse("messaging/pairs", warm_up="paper", pairs="1", repeat="1", seed="1")
    assert {one.exchange.warm_up for one in make_plan(asked)} == {500}
    assert {one.exchange.warm_up for one in make_plan(parse("directory/search", warm_up="7"))} == {7}
    planned = {one.exchange.warm_up for one in make_plan(parse("directory/search"))}
    assert {one.exchange.warm_up for one in make_plan(parse("directory/search", warm_up="detect"))} == planned
    assert asked.as_asked()["warm-up"] == 500
    assert "warm-up" not in parse("messaging/pairs").as_asked()


def test_what_contradicts_itself_or_has_no_warm_up_is_refused():
    with pytest.raises(UsageError, match="--rounds 1,2,3 already sets"):
        parse("messaging/pairs", warm_up="paper", rounds="1,2,3")
    assert parse("messaging/pairs", warm_up="detect", rounds="1,2,3").warm_up == "detect"
    with pytest.raises(UsageError, match="create has no warm-up"):
        parse("create", warm_up="detect")


def test_creating_agents_has_no_warm_up(tmp_path):
    rows = summarise(make_run(tmp_path / "run", create_plan(), repetitions=2))
    assert {row.warm_up for row in rows} == {None}
    assert json.loads(rows[0].to_json_line())["warm_up"] is None
