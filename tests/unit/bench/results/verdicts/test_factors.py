"""What a run may say of who is faster: nothing where a side was cold, uneven, or has too few repetitions."""

import csv
import dataclasses
import io
import json
import re
from datetime import timedelta

import pytest
from msgspec.structs import replace
from tests.unit.bench import synthetic
from tests.unit.bench.synthetic import STARTED, add_repetition, document, make_run, plan, repeated
from tests.unit.bench.synthetic import row as a_row

from formicary.cli import main
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.published.claims import claims
from formicary_bench.reports.document.comparison import comparison_sheet
from formicary_bench.reports.formats.html import page
from formicary_bench.reports.formats.registry import FORMATS
from formicary_bench.reports.formatting import NOTHING
from formicary_bench.results.summary.baselines import Warmth
from formicary_bench.results.verdicts.factors import factor
from formicary_bench.results.verdicts.pairing import pair
from formicary_bench.results.verdicts.verdicts import with_comparisons
from formicary_bench.statistics.comparisons import compare
from formicary_bench.vocabulary.metrics import CREATION, RATE, TIME, TOTAL
from formicary_bench.vocabulary.names import LOWER_BOUND
from formicary_bench.vocabulary.values import BUFFER, CHAIN, HAND_OVER, POOL, SETTLED, WARM_UP_SECONDS

COLD, WARM = Warmth(settled=False, warm_up_s=0.0), Warmth(settled=True, warm_up_s=3.0)
RESTLESS = Warmth(settled=False, warm_up_s=30.0)

FACTOR = re.compile(
    r"× (faster|slower)|times as (fast|long)|[+\N{MINUS SIGN}-]\d[\d.]*%"
    r"|times the other(?! \(95% interval\), )|\b(faster|slower)( \(|: )|no difference from"
)
"""What says how much faster one is than another, or that it is."""

_EXPLANATIONS = re.compile(
    r"By Welch's t-test on the logarithms.*?--json\.|as in Alberola 2010: two-sided.*?corrected for that\."
    r"|By the rates of the repetitions, all comparisons.*?construction costs\."
    r"|[Ww]hich (designs are|is|platform is) faster|who is how many times faster",
    re.DOTALL,
)


def exchange(platform, kind="", time=100.0, **about):
    known = {"rtt_p50_us": time, "rtt_mean_us": time, "round_trips_per_s": 1e6 / time, "total_s": time}
    return repeated(a_row(platform, kind, **{**known, **about}), about.get("repetitions", 6))


def measured(change):
    """Make rows of experiments with comparisons, in each of which one row is several times faster.

    Args:
        change: What to do with each row.
    """
    apart = {"placement": "two-containers"}
    rows = []
    for senders in (1, 10):
        more = {"senders": senders}
        rows += [
            exchange("formicary", "behaviours", 10.0, **more),
            exchange("tasks", "", 5.0, **more),
            exchange("jade", "", 300.0, **more, warmth=WARM),
            exchange("formicary", "behaviours", 40.0, route="direct", **apart, **more),
            exchange("tcp", "", 20.0, route="tcp", **apart, **more),
            exchange("spade", "", 900.0, route="xmpp", **apart, **more, warmth=WARM),
        ]
    bound = {"experiment": LOWER_BOUND}
    rows += [
        exchange("formicary", "behaviours", 2.0, **bound),
        exchange("tcp", "", 0.5, route="tcp", **apart, **bound),
    ]
    rows.append(exchange("formicary", "replica", 200.0, experiment="directory/search", services=100))
    designs = {"experiment": "messaging/designs"}
    rows += [
        exchange("design", kind, time, **designs)
        for kind, time in ((HAND_OVER, 10.0), (POOL, 20.0), (BUFFER, 30.0), (CHAIN, 50.0))
    ]
    broadcast = {"experiment": "messaging/broadcast", "pairs": 5}
    rows += [exchange("formicary", "behaviours", 70.0, **broadcast), exchange("tasks", "", 30.0, **broadcast)]
    created = {"experiment": "create", "agents": 1000, "pairs": 0, "placement": "", "route": "none"}
    rows += [
        repeated(a_row(platform, kind, **created, agents_per_s=rate, full_load=None))
        for platform, kind, rate in (("formicary", "behaviours", 1e5), ("tasks", "", 3e5))
    ]
    return with_comparisons([change(row) for row in rows])


def few(row):
    return replace(row, repetitions=4, each=row.each[:4])


def scattered(row):
    """Scatter the rows' figures so that none can be told apart."""
    by = [0.05, 0.2, 1.0, 5.0, 20.0, 1.3]
    speed = 10.0

    def scaled(one, scale):
        rates = {RATE.name: 1e6 / speed / scale, CREATION.name: 1e4 * scale}
        return replace(one, values={name: rates.get(name, speed * scale) for name in one.values})

    each = tuple(scaled(one, scale) for one, scale in zip(row.each, by, strict=True))
    return replace(row, each=each)


CONDITIONS = {
    "cold": lambda row: replace(row, warmth=COLD),
    "not settled": lambda row: replace(row, warmth=RESTLESS),
    "uneven": lambda row: replace(row, full_load=False),
    "few": few,
    "one": lambda row: replace(row, repetitions=1, each=row.each[:1]),
    "spanning": scattered,
}
TEXTS = [name for name, one in FORMATS.items() if one.write]
VALUES = {"csv", "csv-long", "parquet", "json"}  # formats without sentences


def written(name, run, rows):
    """Write a run in a format, and return it as seen by a reader, without explanations of tables."""
    if name == "html":
        text = re.sub(r"<(style|script)\b.*?</\1>", " ", page(document(run, rows)), flags=re.DOTALL)
        text = re.sub(r"<[^>]*>", " ", text.replace("&#39;", "'"))
    else:
        stream = io.StringIO()
        FORMATS[name].write.load()(document(run, rows), stream)
        text = stream.getvalue()
    text = " ".join(
        text.replace("\\", "")
        .replace("\N{NO-BREAK SPACE}", " ")
        .replace("$times$", "×")
        .replace("--", "–")
        .split()
    )
    for conclusion in claims():  # of papers, which are quoted
        text = text.replace(conclusion.says, " ")
    return _EXPLANATIONS.sub(" ", text)


@pytest.fixture
def empty_run(tmp_path):
    return make_run(tmp_path / "run", [], repetitions=0)


@pytest.mark.grid
@pytest.mark.parametrize("name", [name for name in TEXTS if name not in VALUES])
@pytest.mark.parametrize("condition", CONDITIONS)
def test_no_format_compares_where_nobody_can_tell(name, condition, empty_run):
    text = written(name, empty_run, measured(CONDITIONS[condition]))
    at = [text[max(found.start() - 60, 0) : found.end() + 40] for found in FACTOR.finditer(text)]
    assert at == []
    assert "inconclusive" in text


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_programs_read_has_a_verdict_beside_each_ratio(condition, empty_run):
    rows = measured(CONDITIONS[condition])
    for name in ("csv", "json"):
        stream = io.StringIO()
        FORMATS[name].write.load()(document(empty_run, rows), stream)
        text = stream.getvalue()
        lines = map(json.loads, text.splitlines()) if name == "json" else csv.DictReader(io.StringIO(text))
        compared = [line["compared"] for line in lines]
        found = [one for each in compared if each for one in (json.loads(each) if name == "csv" else each)]
        assert found
        assert {one["comparison"]["verdict"] for one in found} == {"inconclusive"}
        ratios = [one["comparison"]["ratio"] for one in found if one["comparison"]["ratio"]]
        assert all(ratio["low"] <= 1 <= ratio["high"] for ratio in ratios)


@pytest.mark.parametrize("name", [name for name in TEXTS if name not in VALUES])
def test_where_all_is_well_they_compare_with_intervals(name, empty_run):
    text = written(name, empty_run, measured(lambda row: row))
    than = r"(?: than [\w ,]+?|, warm)?"  # in tables it has a column of its own
    told = re.findall(rf"× (?:faster|slower){than} \([\d.]+–[\d.]+(?:, warm)?\)", text)
    assert len(told) >= 4
    if name != "latex":  # which has tables alone
        assert re.search(r"30× faster than JADE \([\d.–]+, warm\)", text)
    bare = re.findall(r"[\d.]+× (?:faster|slower) than [^(]{1,40}(?:[.;]|$)", text)
    assert bare == []


FACTORS = "times as fast"

SPANNING = (0.1, 10.0, 0.3, 4.0, 1.0, 0.05)
"""By how much the times of repetitions differ, so that no two runs of them can be told apart."""

RUNS = {
    "cold": {"counters": {SETTLED: 0.0}},
    "not settled": {"counters": {SETTLED: 0.0, WARM_UP_SECONDS: 30.0}},
    "uneven": {"full_load": False},
    "few": {"repetitions": 4},
    "one": {"repetitions": 1},
    "spanning": {"by": SPANNING},
}
"""The same conditions, as runs have them."""


def a_run(path, slowdown=1.0, repetitions=6, by=(1.0, 1.01, 0.99, 1.005, 0.995, 1.0), day=0, **about):
    """Make a run in which everything takes a multiple of the time, with given scatter."""
    configurations = [one for one in plan(pairs=(1, 10)) if one.platform in {"formicary", "tcp"}]
    run = make_run(path, configurations, repetitions=0, complete=False)
    speeds = dict(synthetic.SPEEDS)
    with pytest.MonkeyPatch.context() as patch:
        for number in range(1, repetitions + 1):
            scale = slowdown * by[number - 1]
            scaled = {
                who: dataclasses.replace(speed, alone=speed.alone * scale, each=speed.each * scale)
                for who, speed in speeds.items()
            }
            patch.setattr(synthetic, "SPEEDS", scaled)
            for place, one in enumerate(configurations):
                add_repetition(run, one, number, seed=1000 * day + 100 * number + place, **about)
    run.finish()
    run._save(replace(run.manifest, started=STARTED + timedelta(days=day)))
    return run


def words(html):
    text = re.sub(r"<(style|script)\b.*?</\1>", " ", html, flags=re.DOTALL)
    return " ".join(re.sub(r"<[^>]*>", " ", text.replace("&#39;", "'")).split())


@pytest.fixture
def show(tmp_path, capsys, monkeypatch):
    """Compare two runs, and return the page, and all words that a reader sees."""
    monkeypatch.setenv("COLUMNS", "400")

    def show(command, runs):
        where = tmp_path / "page.html"
        paths = [run.path for run in runs]
        about = ["messaging/pairs", "--runs", tmp_path / "runs"] if command == "history" else paths
        with pytest.raises(SystemExit):
            main(["bench", command, *map(str, about), "--to", str(where)])
        html = where.read_text(encoding="utf-8")
        return html, f"{' '.join(capsys.readouterr().out.split())} {words(html)}"

    return show


_METHODS = re.compile(
    r"Right of 1: faster than in \w+;|How many times as fast as in \w+|times as fast (95%|\(logarithmic\))"
)


@pytest.mark.grid
@pytest.mark.parametrize("command", ["compare", "history"])
@pytest.mark.parametrize("side", ["run", "base"])
@pytest.mark.parametrize("condition", RUNS)
def test_runs_are_not_held_against_each_other_where_nobody_can_tell(command, side, condition, tmp_path, show):
    about = [RUNS[condition] if one == side else {} for one in ("run", "base")]
    runs = [
        a_run(tmp_path / "runs" / "after", 1.0 if condition == "spanning" else 3.0, day=1, **about[0]),
        a_run(tmp_path / "runs" / "before", **about[1]),
    ]
    html, text = show(command, runs)
    text = _METHODS.sub(" ", text)
    at = [text[max(found.start() - 60, 0) : found.end() + 40] for found in FACTOR.finditer(text)]
    assert at == []
    assert not re.search(r"\d times (faster|slower)|\d (faster|slower)\b", text)
    assert re.search("inconclusive|not comparable|nothing to compare", text)
    assert "badge good" not in html
    hollow = re.findall(r'class="mark( unsound)?"', html.partition("<main")[0])
    if command == "compare":  # what is drawn is an interval with 1 in it, and a hollow mark
        assert all(hollow)
        pairing = pair(*runs)
        sheet = comparison_sheet(runs, pairing, compare(pairing.contrasts))
        tables = [chart.columns for part in sheet.parts for chart in part.charts]
        tables += [table.columns for part in sheet.parts for table in part.tables]
        factors = [cell for table in tables for one in table if one.title == FACTORS for cell in one.cells]
        assert set(factors) <= {NOTHING}
    elif condition in {"cold", "not settled", "few", "one"}:
        assert any(hollow)


@pytest.mark.parametrize("command", ["compare", "history"])
def test_runs_are_held_against_each_other_where_somebody_can_tell(command, tmp_path, show):
    runs = [a_run(tmp_path / "runs" / "after", 3.0, day=1), a_run(tmp_path / "runs" / "before")]
    html, text = show(command, runs)
    assert "slower" in text
    assert 'class="mark"' in html.partition("<main")[0]


def test_the_rows_are_of_experiments_that_there_are():
    assert {row.experiment for row in measured(lambda row: row)} <= set(EXPERIMENTS)


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("figure", [TIME, RATE, TOTAL])
def test_one_side_is_enough(condition, figure):
    ours, theirs = exchange("formicary", "behaviours", 10.0), exchange("jade", "", 90.0)
    assert factor(ours, theirs, figure).ratio.mean == pytest.approx(9.0)
    doubtful = CONDITIONS[condition](theirs)
    for one, other in ((ours, doubtful), (doubtful, ours)):
        found = factor(one, other, figure)
        assert found.ratio is None
        assert found.doubt.reason
        assert found.doubt.remedy


def test_what_would_tell_is_said():
    ours = exchange("formicary", "behaviours", 10.0)
    said = {
        name: factor(ours, change(exchange("jade", "", 90.0)), TIME).doubt.sentence
        for name, change in CONDITIONS.items()
    }
    assert said["cold"] == "JADE: cold; warm rounds would tell"
    assert said["not settled"] == "JADE: not settled; a quieter machine would tell"
    assert said["uneven"] == "JADE: full load not held; a longer cool-down (T3 in --rounds) would tell"
    assert said["few"] == "JADE: 4 repetitions; --repeat 5 would tell"
    assert said["one"] == "JADE: 1 repetition; --repeat 5 would tell"
    assert said["spanning"] == "the interval of the ratio includes 1; a quieter machine would tell"


def test_a_claim_goes_by_the_verdict_that_there_is():
    ours, theirs = exchange("formicary", "behaviours", 10.0), exchange("jade", "", 10.03)
    alone = factor(ours, theirs, TIME)
    assert alone.is_same
    near = [
        exchange("formicary", "behaviours", 10.0),
        *(exchange(name, "", 10.04) for name in ("jade", "spade")),
    ]
    judged, other, _ = with_comparisons(near)
    (verdict,) = [
        one.comparison.verdict
        for one in judged.compared
        if one.platform == "jade" and one.figure == TIME.name
    ]
    assert verdict == "no difference found"
    assert factor(judged, other, TIME).is_same
    assert factor(other, judged, TIME).is_same


def test_without_the_figure_there_is_no_claim():
    assert factor(exchange("formicary"), exchange("jade"), CREATION) is None
