"""Verdicts in rows and reports: how far figures can be believed, and which platform is faster."""

import io
import json
import math
import re

import msgspec
import numpy as np
import pytest
from rich.console import Console
from scipy.stats import binom
from tests.unit.bench import synthetic
from tests.unit.bench.synthetic import Speed, create_plan, directory_plan, document, make_run, plan
from tests.unit.bench.synthetic import row as a_row

from formicary_bench.reports.document.report import columns, extras, to_know
from formicary_bench.reports.document.stability import stability_column
from formicary_bench.reports.document.verdicts import doubts, hints
from formicary_bench.reports.formats import terminal
from formicary_bench.reports.formats.html import render
from formicary_bench.results.summary.each import Each, named
from formicary_bench.results.summary.summary import summarise
from formicary_bench.results.verdicts.verdicts import stability_of, with_comparisons
from formicary_bench.statistics.comparisons import Contrast, Verdict
from formicary_bench.statistics.gates import Outcome, gate
from formicary_bench.statistics.stability import Stability
from formicary_bench.vocabulary.metrics import CREATION, MEAN, P90, P99, P999, PAPERS_MEAN, RATE, TIME

PAIRS = "messaging/pairs"


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("runs") / "run"
    return summarise(make_run(path, plan(pairs=(1, 10), trips=(20, 200, 20)), repetitions=6))


def each(times, **others):
    return tuple(Each(values=named({MEAN: time, TIME: time, RATE: 1e6 / time}), **others) for time in times)


def drawn(random, mean=100.0, many=8, noise=0.03):
    return each((mean * random.lognormal(0, noise, many)).tolist())


def platforms(*figures, **about):
    names = ("formicary", "spade", "jade", "jason")
    return [
        a_row(platform=name, kind="", route="xmpp", placement="two-containers", each=one, **about)
        for name, one in zip(names, figures, strict=False)
    ]


# Intervals


def test_the_papers_interval_is_named_and_narrower(tmp_path, monkeypatch):
    made = []
    for seed in range(6):  # repetitions that differ by more than chance
        slower = 1 + 0.1 * seed
        key = ("formicary", "behaviours", "same-container", "in-process")
        monkeypatch.setitem(synthetic.SPEEDS, key, Speed(2 * slower, 1.75 * slower))
        made.append(synthetic.round_trips(plan(pairs=(10,))[0], seed))
    run = make_run(tmp_path / "run", plan(pairs=(10,))[:1], repetitions=0)
    for number, data in enumerate(made, 1):
        monkeypatch.setattr(synthetic, "round_trips", lambda *_, data=data: data)
        synthetic.add_repetition(run, run.manifest.configurations[0], number, number)
    (row,) = summarise(run)
    ours, theirs = (high - low for low, high in (row.bounds(MEAN), row.bounds(PAPERS_MEAN)))
    values = np.concatenate([data.rtt_ns[data.phase == 2] for data in made]) / 1e3
    assert theirs / 2 == pytest.approx(1.96 * values.std() / math.sqrt(len(values)), rel=0.01)
    assert ours > 5 * theirs
    assert sum(row.bounds(PAPERS_MEAN)) / 2 == pytest.approx(values.mean())


def test_percentiles_have_bootstrap_intervals_from_five_repetitions_on(rows, tmp_path):
    for row in rows:
        assert row.percentile_ci_method == "bootstrap"
        for metric in (TIME, P90, P99, P999):
            low, high = row.bounds(metric)
            assert low <= row.mean(metric) <= high
            assert low < high
    few, *_ = summarise(make_run(tmp_path / "few", plan(pairs=(1,)), repetitions=4))
    assert (few.percentile_ci_method, few.bounds(P99)) == ("repetitions", None)
    assert few.bounds(TIME) is not None
    one, *_ = summarise(make_run(tmp_path / "one", plan(pairs=(1,)), repetitions=1))
    assert (one.percentile_ci_method, one.bounds(TIME)) == ("none", None)


def test_each_repetition_is_in_the_row(rows):
    for row in rows:
        assert len(row.each) == 6
        assert np.mean([one.values[MEAN.name] for one in row.each]) == pytest.approx(row.mean(MEAN))
        assert np.mean([one.values[RATE.name] for one in row.each]) == pytest.approx(row.mean(RATE))


# Stability


def test_figures_are_judged_by_what_their_repetitions_do():
    judged = {
        one.figure: one.assessment for one in stability_of(PAIRS, each([100, 100.1, 99.9, 100.05, 99.95]))
    }
    assert set(judged) == {MEAN.name, TIME.name, RATE.name}
    assert {one.stability for one in judged.values()} == {Stability.STABLE}
    (only,) = stability_of("create", [Each(values=named({CREATION: rate})) for rate in (100.0, 101.0, 99.0)])
    assert only.figure == CREATION.name
    assert only.assessment.stability is Stability.WIDE
    assert f"about {only.assessment.repetitions} would make it 1%" in only.assessment.sentence


@pytest.mark.parametrize(
    ("times", "word"),
    [
        ([100, 100.1, 99.9, 100.05, 99.95], "stable"),
        ([100, 100.1, 99.9, 100.05], "too few"),
        ([100, 100.1, 99.9], "too few"),
        ([100, 102, 99, 101], "1% by ~"),
        ([100, 110, 90, 105], "scatters"),
        ([100, 101, 102, 103, 104, 105, 106], "drifts"),
        ([100, 101], "too few"),
    ],
)
def test_tables_have_the_worst_of_it_in_a_word(times, word):
    (column,) = stability_column([a_row(each=each(times), stability=stability_of(PAIRS, each(times)))])
    assert column.cells[0].startswith(word)
    assert column.minor == (word == "too few")


def test_tables_without_figures_have_no_stability():
    assert stability_column([a_row()]) == []


# Platforms


def test_platforms_are_compared_where_they_do_the_same_at_the_same_place(rows, tmp_path):
    found = {(row.kind, row.exchange.load): row.compared for row in rows if row.compared}
    assert set(found) == {("behaviours", 1), ("behaviours", 10)}  # with micro-agents; baselines take no part
    for compared in found.values():
        assert {(one.platform, one.kind, one.figure) for one in compared} == {
            ("formicary", "micro", TIME.name),
            ("formicary", "micro", RATE.name),
        }
        assert {one.comparison.verdict for one in compared} == {Verdict.SLOWER}
    more = [*create_plan(), *directory_plan(services=(0,))]
    others = summarise(make_run(tmp_path / "more", more, repetitions=5))
    by_experiment = {row.experiment: [one.figure for one in row.compared] for row in others if row.compared}
    assert by_experiment == {"create": [CREATION.name], "directory/search": [TIME.name]}


def test_the_family_is_an_experiment():
    random = np.random.default_rng(1)
    fast, slow = drawn(random, 100), drawn(random, 104)
    alone, _ = with_comparisons(platforms(fast, slow))
    many = [drawn(random) for _ in range(2)]
    among, *_ = with_comparisons(platforms(fast, slow, *many))
    ours, theirs = (one.compared[0].comparison for one in (alone, among))
    assert ours.welch_p == theirs.welch_p
    assert ours.corrected_p < theirs.corrected_p
    apart, *_ = with_comparisons([*platforms(fast, slow), *platforms(*many, experiment="messaging/size")])
    assert apart.compared == alone.compared


def test_what_differs_in_more_than_the_platform_is_not_compared():
    fine = drawn(np.random.default_rng(2))
    ours, theirs = platforms(fine, fine)
    differing = [
        ("parameters", {**theirs.parameters, "senders": 2}),
        ("parameters", {**theirs.parameters, "payload_bytes": 7}),
        ("tls", True),
        ("placement", "two-hosts"),
        ("hosts", 3),
    ]
    for name, value in [
        *differing,
        ("invalid", ("a host was busy",)),
        ("profiled", True),
        ("platform", "tcp"),
    ]:
        other = msgspec.structs.replace(theirs, **{name: value})
        assert [row.compared for row in with_comparisons([ours, other])] == [(), ()], name
    direct = msgspec.structs.replace(ours, route="direct")
    assert [row.compared for row in with_comparisons([ours, direct])] == [(), ()]
    assert with_comparisons([direct, theirs])[0].compared


def test_repetitions_without_full_load_do_not_count():
    random = np.random.default_rng(3)
    uneven = (*drawn(random, many=4), *each([1.0] * 4, full_load=False))
    row, _ = with_comparisons(platforms(uneven, drawn(random)))
    assert "4 repetitions against 8 are too few" in row.compared[0].comparison.sentence


@pytest.mark.parametrize("families", [200, pytest.param(600, marks=pytest.mark.full("more families"))])
def test_of_equal_platforms_one_is_called_faster_in_one_of_twenty_families_at_most(families):
    random, wrong = np.random.default_rng(4), 0
    for _ in range(families):
        found = with_comparisons(platforms(*(drawn(random, many=6) for _ in range(3))))
        verdicts = {one.comparison.verdict for row in found for one in row.compared}
        wrong += bool(verdicts & {Verdict.FASTER, Verdict.SLOWER})
    assert wrong <= binom.ppf(0.9999, families, 0.05)


def test_gates_of_many_figures_call_slower_what_is_not_in_one_of_forty_at_most():
    random, runs, said = np.random.default_rng(5), 800, []
    for _ in range(runs):  # everything is just as much slower as is allowed
        family = [
            Contrast(
                name=str(place),
                values=tuple(105 * random.lognormal(0, 0.03, 8)),
                base=tuple(100 * random.lognormal(0, 0.03, 8)),
            )
            for place in range(6)
        ]
        said.append({one.outcome for one in gate(family, 0.05)})
    assert sum(Outcome.SLOWER in one for one in said) <= binom.ppf(0.9999, runs, 0.025)
    assert sum(one == {Outcome.NOT_SLOWER} for one in said) <= 2  # all of six would have to err at once


# Reports


def shown(run, rows):
    console = Console(file=io.StringIO(), width=200, highlight=False)
    terminal.show(document(run, rows), console)
    return console.file.getvalue()


def test_the_terminal_has_verdicts_and_no_p(tmp_path):
    run = make_run(tmp_path / "run", plan(pairs=(1, 10), trips=(20, 200, 20)), repetitions=6)
    text = shown(run, summarise(run))
    assert "Which is faster" in text
    line = next(line for line in text.splitlines() if "Micro-agents" in line and "median" in line)
    assert "slower" in line
    assert re.search(r"\d× slower \([\d.]+–[\d.]+\)", line)
    assert "stability" in text
    assert "p, corrected" not in text


def test_html_has_verdicts_with_p_in_one_table(tmp_path):
    run = make_run(tmp_path / "run", plan(pairs=(1, 10), trips=(20, 200, 20)), repetitions=6)
    page = render(run)
    table = page[page.index("<summary>Which is faster") :]
    table = table[: table.index("</details>")]
    for title in ("p, corrected", "p, the papers&#39; way", "Hedges&#39; g"):
        assert page.count(title) == table.count(title) == 1


def test_json_has_all_of_it(rows):
    known = json.loads(rows[0].to_json_line())
    comparison = known["compared"][0]["comparison"]
    assert {"verdict", "sentence", "ratio", "effect", "welch_p", "corrected_p", "student_p", "rank_p"} <= set(
        comparison
    )
    assert known["stability"][0]["assessment"]["sentence"]
    assert len(known["figures"]["rtt_mean_papers_us"]["ci95"]) == 2


def test_too_few_repetitions_are_one_hint_and_no_table(tmp_path):
    rows = summarise(make_run(tmp_path / "run", plan(pairs=(1,)), repetitions=3))
    assert "Which is faster" not in {extra.title for extra in extras("messaging/pairs", rows, rows)}
    assert to_know(rows) == []
    (hint,) = hints(doubts(rows))
    assert hint == "3 comparisons inconclusive; 5 repetitions would tell"


def test_a_verdict_is_the_ratio_of_speeds_with_its_interval():
    random = np.random.default_rng(6)
    rows = [
        row
        for senders, times in ((1, 200), (100, 100))
        for row in platforms(
            drawn(random, 100, noise=0.001), drawn(random, times, noise=0.001), pairs=senders
        )
    ]
    table, *_ = extras("messaging/pairs", with_comparisons(rows), rows)
    cells = {column.title: column.cells for column in table.columns}
    assert list(zip(cells["at"], cells["figure"], cells["verdict"], strict=True)) == [
        ("1 pair", "median", "2.0× faster (2.0–2.0)"),
        ("1 pair", "trips/s", "2.0× faster (2.0–2.0)"),
        ("100 pairs", "median", "no difference found"),
        ("100 pairs", "trips/s", "no difference found"),
    ]
    assert doubts(with_comparisons(rows)) == []


def test_the_stability_stands_in_the_tables_of_all_that_have_rates(rows):
    assert columns("messaging/pairs", rows, rows)[-1].title == "stability"
