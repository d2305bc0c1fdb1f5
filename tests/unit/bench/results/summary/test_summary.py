import json

import numpy as np
import pytest
from tests.unit.bench.synthetic import STARTED, add_repetition, create_plan, make_run, plan, repeated
from tests.unit.bench.synthetic import row as a_row

from formicary_bench.results.store.folder import RunFolder
from formicary_bench.results.store.model import Repetition
from formicary_bench.results.store.raw import Creations, RoundTrips
from formicary_bench.results.summary.baselines import baseline_of, with_less
from formicary_bench.results.summary.load import load_of
from formicary_bench.results.summary.summary import summarise
from formicary_bench.results.verdicts.factors import factor
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.metrics import CREATION, EACH_HOLDS, MEAN, RATE, SLOWEST, TIME


def trips(*rows):
    """Round trips from (pair, phase, start, rtt)."""
    pair, phase, start, rtt = (np.array(column) for column in zip(*rows, strict=True))
    return RoundTrips(
        pair=pair.astype(np.int32),
        index=np.arange(len(rows), dtype=np.int32),
        start_ns=start.astype(np.int64),
        rtt_ns=rtt.astype(np.int64),
        phase=phase.astype(np.int8),
    )


# Two pairs: pair 0 is in T2 from 100 to 300, pair 1 from 150 to 350; both go on to 400 and more.
EVEN = [
    (0, 1, 0, 100), (0, 2, 100, 100), (0, 2, 200, 100), (0, 3, 300, 100),
    (1, 1, 0, 150), (1, 2, 150, 100), (1, 2, 250, 100), (1, 3, 350, 100),
]  # fmt: skip


def save(tmp_path, *repetitions, **about):
    configuration = Configuration(
        experiment="messaging/pairs", platform="formicary", kind="behaviours", parameters={"pairs": 2}
    )
    run = make_run(tmp_path / "run", [configuration], repetitions=0)
    for number, data in enumerate(repetitions, 1):
        known = {"configuration": configuration.key, "number": number, "seed": 1}
        run.add(Repetition(**known, started=STARTED, ended=STARTED, **about), data)
    return run


def test_full_load_and_its_window():
    load = load_of(trips(*EVEN))
    assert load.full
    assert (load.begin_ns, load.end_ns) == (150, 300)
    # Ended after 150 and up to 300: at 200, 300 and 250.
    assert load.round_trips_in_window == 3
    assert load.window_s == pytest.approx(150e-9)
    assert load.round_trips == 4
    assert load.elapsed_s == pytest.approx(250e-9)


def test_a_pair_that_ends_before_another_is_measured_breaks_full_load():
    early = [row for row in EVEN if row[:2] != (0, 3)]
    assert not load_of(trips(*early)).full


def test_a_pair_that_was_never_measured_breaks_full_load():
    silent = [row for row in EVEN if row[0] == 0] + [(1, 1, 0, 5000)]
    assert not load_of(trips(*silent)).full


def test_only_measured_round_trips_count(tmp_path):
    (row,) = summarise(save(tmp_path, trips(*EVEN, (0, 1, 0, 10**9), (1, 3, 500, 10**9))))
    assert row.round_trips == 4
    assert row.mean(MEAN) == row.mean(SLOWEST) == 0.1
    assert row.full_load


def test_the_engines_word_that_load_was_not_full_is_believed(tmp_path):
    (row,) = summarise(save(tmp_path, trips(*EVEN), full_load=False, notes=("a pair was late",), lost=2))
    assert row.full_load is False
    assert row.lost == 2
    assert row.notes == ("a pair was late",)


def test_pairs_that_were_never_measured_together_have_the_rate_of_all(tmp_path):
    apart = trips((0, 2, 0, 100), (0, 2, 100, 100), (1, 2, 1000, 100), (1, 2, 1100, 100))
    (row,) = summarise(save(tmp_path, apart))
    assert row.full_load is False
    assert row.mean(RATE) == pytest.approx(4 / 1200e-9)


def test_a_repetition_without_measured_round_trips_has_no_figures(tmp_path):
    (row,) = summarise(save(tmp_path, trips((0, 1, 0, 100))))
    assert row.round_trips == 0
    assert row.mean(MEAN) is None
    assert row.ci_method == "none"


def scaled(factor):
    return trips(*((pair, phase, start * factor, rtt * factor) for pair, phase, start, rtt in EVEN))


def test_intervals_over_repetitions(tmp_path):
    (row,) = summarise(save(tmp_path, scaled(10), scaled(12), scaled(14)))
    assert row.repetitions == 3
    assert row.ci_method == "repetitions"
    # Means 1.0, 1.2, 1.4 µs: standard error 0.2 / sqrt(3), t of two degrees 4.3027.
    assert row.mean(MEAN) == pytest.approx(1.2)
    assert row.bounds(MEAN) == pytest.approx((1.2 - 0.49683, 1.2 + 0.49683), abs=1e-5)
    assert row.bounds(RATE)[0] < row.mean(RATE) < row.bounds(RATE)[1]


def test_interval_within_one_repetition(tmp_path):
    run = make_run(tmp_path / "run", plan(pairs=(4,), trips=(50, 400, 50))[:1], repetitions=1)
    (row,) = summarise(run)
    assert row.ci_method == "batch-means"
    assert row.bounds(MEAN)[0] < row.mean(MEAN) < row.bounds(MEAN)[1]
    # In a closed loop of 4 pairs the rate is 4 over the mean time.
    assert row.mean(RATE) == pytest.approx(4e6 / row.mean(MEAN), rel=0.02)
    assert row.bounds(RATE)[0] < row.mean(RATE) < row.bounds(RATE)[1]


def test_json_lines_have_the_promised_keys(quick_run):
    promised = {
        "experiment",
        "platform",
        "placement",
        "route",
        "parameters",
        "round_trips",
        "figures",
        "full_load",
    }
    figures = {"rtt_mean_us", "rtt_p50_us", "rtt_p99_us", "round_trips_per_s"}
    for row in summarise(quick_run):
        line = row.to_json_line()
        assert "\n" not in line
        found = json.loads(line)
        assert found.keys() >= promised
        assert found["figures"].keys() >= (figures if row.family == "messaging" else {"agents_per_s"})


def test_creation(tmp_path):
    run = make_run(tmp_path / "run", create_plan()[:1], repetitions=0)
    configuration = run.manifest.configurations[0]
    about = {"configuration": configuration.key, "number": 1, "seed": 1, "started": STARTED, "ended": STARTED}
    batches = Creations(
        batch=np.arange(2),
        agents=np.array([100, 300]),
        seconds=np.array([0.001, 0.003]),
        bytes=np.array([100_000, 700_000]),
    )
    run.add(Repetition(**about), batches)
    (row,) = summarise(run)
    assert row.mean(CREATION) == pytest.approx(100_000)
    assert row.mean(EACH_HOLDS) == 2000
    assert row.bounds(CREATION) == pytest.approx((100_000, 100_000))
    assert row.full_load is None
    assert row.mean(MEAN) is None


def test_rows_come_in_the_order_of_the_plan(tmp_path):
    configurations = plan(pairs=(1, 3))
    run = make_run(tmp_path / "run", configurations, repetitions=0)
    for configuration in reversed(configurations):
        add_repetition(run, configuration, 1, seed=1)
    rows = summarise(RunFolder.open(run.path))
    assert [(row.platform, row.exchange.pairs) for row in rows] == [
        (c.platform, c.exchange.pairs) for c in configurations
    ]


def test_each_figure_stands_on_the_baseline_of_its_kind(quick_run):
    rows = summarise(quick_run)
    found = {}
    for row in rows:
        base = baseline_of(row, rows)
        if base is not None:
            assert (base.experiment, base.sizes) == (row.experiment, row.sizes)
            found.setdefault((row.experiment, row.platform, row.kind, row.placement), base.platform)
    assert found == {
        ("messaging/pairs", "formicary", "behaviours", "same-container"): "tasks",
        ("messaging/pairs", "formicary", "micro", "same-container"): "callbacks",
        ("create", "formicary", "behaviours", "same-container"): "tasks",
        ("create", "formicary", "micro", "same-container"): "tasks",
    }


def apart(platform="formicary", kind="behaviours", route="xmpp", rate=100.0, **about):
    figures = {"round_trips_per_s": rate, "rtt_p50_us": 1e6 / rate}
    return repeated(a_row(platform, kind, placement="two-containers", route=route, **figures, **about))


SOCKETS = apart("tcp", "", "tcp", 50.0)
SOCKETS_WITH_TLS = apart("tcp", "", "tcp", 20.0, tls=True)
COMPONENTS = apart("components", "", "xmpp", 10.0)
UNNUMBERED = apart("formicary-unnumbered", "", "direct", 125.0)
SPADE = apart("spade", "", "xmpp", 1.0)
DIRECT, DIRECT_WITH_TLS = apart(route="direct"), apart(route="direct", rate=80.0, tls=True)
LINKS = [apart(), DIRECT, DIRECT_WITH_TLS, SOCKETS, SOCKETS_WITH_TLS, COMPONENTS, UNNUMBERED, SPADE]


@pytest.mark.parametrize(
    ("ours", "bases"),
    [
        (apart(), {}),
        (DIRECT, {("formicary-unnumbered", False): 0.8}),
        (DIRECT_WITH_TLS, {("formicary", False): 0.8}),
        (a_row(round_trips_per_s=5.0), {}),
        (COMPONENTS, {}),
    ],
)
def test_a_link_is_held_against_the_same_with_one_thing_less(ours, bases):
    found = with_less(ours, LINKS)
    for figure in (RATE, TIME):
        told = {(other.platform, other.tls): factor(ours, other, figure).ratio.mean for other in found}
        assert told == pytest.approx(bases)


def test_what_goes_through_the_server_is_held_against_components_alone():
    assert baseline_of(apart(), LINKS) == COMPONENTS
    assert baseline_of(apart(), [SOCKETS]) is None
    assert baseline_of(DIRECT, [SOCKETS]) == SOCKETS
    assert baseline_of(DIRECT_WITH_TLS, [SOCKETS]) is None


def test_a_median_has_an_interval_over_repetitions(tmp_path):
    (one,) = summarise(save(tmp_path, scaled(10), scaled(12), scaled(14)))
    assert one.bounds(TIME) == pytest.approx((1.2 - 0.49683, 1.2 + 0.49683), abs=1e-5)
