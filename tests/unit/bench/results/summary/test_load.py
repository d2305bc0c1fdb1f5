from dataclasses import fields

import numpy as np
import pytest

from formicary_bench.results.store.raw import COOL_DOWN, MEASURED, WARM_UP, RoundTrips
from formicary_bench.results.summary.load import load_of


def trips(pairs, each, rtt_ns, begin_ns=0):
    """Equal pairs that make round trips one after the other."""
    count = pairs * each
    return {
        "pair": np.repeat(np.arange(pairs, dtype=np.int32), each),
        "index": np.tile(np.arange(each, dtype=np.int32), pairs),
        "start_ns": np.tile(begin_ns + np.arange(each, dtype=np.int64) * rtt_ns, pairs),
        "rtt_ns": np.full(count, rtt_ns, dtype=np.int64),
        "phase": np.full(count, MEASURED, dtype=np.int8),
    }


def together(*members):
    """The round trips of several processes in one table, with pairs numbered through."""
    columns = {name: np.concatenate([one[name] for one in members]) for name in members[0]}
    counts = [int(one["pair"].max()) + 1 for one in members]
    shifts = np.repeat(np.cumsum([0, *counts[:-1]]), [len(one["pair"]) for one in members])
    return RoundTrips(**columns | {"pair": (columns["pair"] + shifts).astype(np.int32)}), counts


def vars_of(data):
    return {field.name: getattr(data, field.name) for field in fields(data)}


def rate(load):
    return load.round_trips_in_window / load.window_s


def test_rates_of_several_processes_are_summed_whatever_their_clocks_say():
    fast, slow = trips(2, 1000, 10_000, begin_ns=77), trips(3, 500, 40_000, begin_ns=10**15)
    data, members = together(fast, slow)
    load = load_of(data, members)
    alone = [load_of(RoundTrips(**one)) for one in (fast, slow)]
    assert rate(load) == pytest.approx(sum(map(rate, alone)), rel=1e-6)
    assert (load.full, load.round_trips) == (True, 2000 + 1500)
    assert load.elapsed_s == max(one.elapsed_s for one in alone)
    assert load_of(data).window_s == 0.0  # as if they had one clock


def test_one_without_a_window_leaves_none():
    short = trips(1, 1, 10_000)
    late = {name: np.concatenate([short[name], short[name]]) for name in short}
    late["pair"] = np.array([0, 1], dtype=np.int32)
    late["start_ns"] = np.array([0, 10**9], dtype=np.int64)
    data, members = together(trips(2, 100, 10_000), late)
    assert load_of(data, members).window_s == 0.0
    assert not load_of(data, members).full


def test_one_process_is_looked_at_as_ever():
    data = RoundTrips(**trips(2, 10, 1000))
    assert load_of(data, (2,)) == load_of(data)


def phased(pairs, rtt_ns, apart_ns, each=(100, 100, 100)):
    """Equal pairs that begin one after the other, with given round trips in each phase."""
    many = sum(each)
    columns = trips(pairs, many, rtt_ns)
    columns["start_ns"] += np.repeat(np.arange(pairs, dtype=np.int64) * apart_ns, many)
    columns["phase"] = np.tile(np.repeat([WARM_UP, MEASURED, COOL_DOWN], each), pairs).astype(np.int8)
    return RoundTrips(**columns)


@pytest.mark.parametrize("apart_ns", [0, 20_000, 50_000, 100_000, 150_000, 200_000])
def test_the_rate_is_that_of_all_that_is_done_whatever_phase_it_is_in(apart_ns):
    """Two pairs make round trips of 1 µs: 2 million per second while both are active, full load or not.

    Pairs that begin 100 µs apart are never in T2 together, but one of them makes T1 or T3 then.
    """
    load = load_of(phased(2, 1000, apart_ns))
    assert load.rate == pytest.approx(2e6, rel=0.02)
    assert load.full is (apart_ns <= 100_000)


def test_the_rate_is_that_of_all_pairs_where_some_are_much_faster():
    """Nine pairs make round trips of 1 µs, and one those of 5 µs, which is alone in the end."""
    fast, slow = phased(9, 1000, 0), phased(1, 5000, 0)
    data, _ = together(vars_of(fast), vars_of(slow))
    load = load_of(data)
    assert not load.full
    assert load.elapsed_s == pytest.approx(900e-6)
    assert load.rate == pytest.approx(9.2e6, rel=0.02)


def test_pairs_that_are_at_work_together_for_too_short_have_the_rate_of_all_of_the_time():
    load = load_of(phased(2, 1000, 290_000))
    assert load.loaded_s == load.elapsed_s == pytest.approx(390e-6)
    assert load.rate == pytest.approx(400 / 390e-6, rel=0.02)


def test_a_short_window_is_not_what_all_of_it_is():
    """Two pairs are slow in turn, and both fast for the 10 µs of the window alone."""
    rtt_ns = np.concatenate([np.repeat([1000, 1000, 9000], 100), np.repeat([9000, 1000, 1000], 100)])
    starts = [np.concatenate([[0], np.cumsum(of_pair)[:-1]]) for of_pair in np.split(rtt_ns, 2)]
    columns = trips(2, 300, 1) | {"rtt_ns": rtt_ns, "start_ns": np.concatenate(starts)}
    columns["start_ns"][300:] -= 710_000
    columns["phase"] = np.tile(np.repeat([WARM_UP, MEASURED, COOL_DOWN], 100), 2).astype(np.int8)
    load = load_of(RoundTrips(**columns))
    assert rate(load) == pytest.approx(2e6)
    # Within 190 µs one is fast for 100 and then slow, the other the reverse: 110 round trips each.
    assert load.rate == pytest.approx(220 / 190e-6)
