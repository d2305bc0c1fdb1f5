"""Two runs held against each other: names, the picture of ratios, the page, and all of it at 80 columns."""

import json
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from tests.unit.bench import synthetic
from tests.unit.bench.reports.formats.test_html import Page
from tests.unit.bench.synthetic import EVIL, MACHINE, add_repetition, create_plan, make_run, plan

from formicary.cli import main
from formicary_bench.experiments.messaging.open_loop import HIGHEST
from formicary_bench.reports.charts.scales import ratios
from formicary_bench.reports.document.comparison import MOST, comparison_sheet, counted, names_of
from formicary_bench.reports.document.figures import main_metric, writer
from formicary_bench.reports.formats.sheet import sheet_page
from formicary_bench.results.verdicts.pairing import pair
from formicary_bench.statistics.comparisons import Verdict, compare
from formicary_bench.vocabulary.metrics import CREATION, RATE, TIME, TOTAL

PAIRS = [one for one in plan(pairs=(1, 10)) if one.platform in {"formicary", "tcp"}]
SLOW_ROUTE = "xmpp"


def run_of(path, slowdown, configurations, *, repetitions, seed, **about):
    """Make a run in which messages through the server take a multiple of the time."""
    random, speeds = np.random.default_rng(seed), dict(synthetic.SPEEDS)
    run = make_run(path, configurations, repetitions=0, complete=False, **about)
    with pytest.MonkeyPatch.context() as patch:
        for number in range(1, repetitions + 1):
            for place, one in enumerate(configurations):
                by = random.lognormal(0, 0.005) * (slowdown if one.route == SLOW_ROUTE else 1)
                scaled = {
                    who: replace(speed, alone=speed.alone * by, each=speed.each * by)
                    for who, speed in speeds.items()
                }
                patch.setattr(synthetic, "SPEEDS", scaled)
                add_repetition(run, one, number, seed=seed + 1000 * number + place)
    run.finish()
    return run


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Return a run, and the one that it is compared with: with more, faster through the server."""
    folder = tmp_path_factory.mktemp("runs")
    after = run_of(folder / "after", 1.4, PAIRS, repetitions=5, seed=1)
    before = run_of(folder / "before", 1, [*PAIRS, *create_plan()], repetitions=5, seed=90_000)
    return after, before


@pytest.fixture(scope="module")
def judged(runs):
    pairing = pair(*runs)
    return pairing, compare(pairing.contrasts)


@pytest.fixture
def bench(capsys):
    """Run `formicary bench`; return its exit code and output."""

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["bench", *map(str, arguments)])
        return ended.value.code or 0, *capsys.readouterr()

    return call


def test_what_is_compared_has_names_that_tell_it_from_all_else(judged):
    pairing, _ = judged
    names = names_of(pairing)
    assert names[:2] == ["Agents, 1 pair"] * 2  # a time and a rate
    assert {"Agents, xmpp, 10 pairs", "TCP sockets, 1 pair"} <= set(names)


def test_what_differs_in_its_rounds_alone_has_its_whole_key(tmp_path):
    ours = [one for one in PAIRS if one.kind == "micro"][:1]
    like = [synthetic.plan(pairs=(1,), trips=(20, 30, 20))[1]]
    assert like[0].kind == "micro"
    run = make_run(tmp_path / "run", [*ours, *like], repetitions=1)
    pairing = pair(run, run)
    assert set(names_of(pairing)) == {ours[0].key, like[0].key}


def test_the_picture_has_a_ratio_with_its_interval_for_each_configuration(runs, judged):
    sheet = comparison_sheet(runs, *judged)
    (group, dots), *others = sheet.picture.plot.groups.items()
    assert (group, others) == ("Round trips per second", [])
    assert len(dots) == len(PAIRS) <= MOST
    by_name = {dot.series.label: dot for dot in dots}
    slow = by_name["Agents, xmpp, 10 pairs"]
    assert slow.value == pytest.approx(1 / 1.4, rel=0.03)
    assert slow.bounds[0] < slow.value < slow.bounds[1] < 1
    assert slow.text.endswith("× slower")
    assert [dot.value for dot in dots] == sorted(dot.value for dot in dots)  # the slowest one first
    assert sheet.picture.plot.scale.kind == "logarithmic"
    assert "1" in {tick.text for tick in sheet.picture.plot.scale.ticks}


def test_verdicts_are_those_that_were_given_and_nobody_else_decides(runs, judged):
    pairing, found = judged
    doubted = [msgspec.structs.replace(one, verdict=Verdict.UNDECIDED) for one in found]
    sheet = comparison_sheet(runs, pairing, doubted)
    assert {dot.text for dot in sheet.picture.plot.all} == {str(Verdict.UNDECIDED)}
    assert not any(dot.sound for dot in sheet.picture.plot.all)
    assert sheet.found == f"{len(found)} {Verdict.UNDECIDED}"
    assert not sheet.is_good


def test_of_times_and_rates_more_is_faster(runs, judged):
    (part,) = comparison_sheet(runs, *judged).parts
    groups = part.charts[0].plot.groups
    assert set(groups) == {"Median round trip", "Round trips per second"}
    for dots in groups.values():
        (slow,) = [dot for dot in dots if dot.series.label == "Agents, xmpp, 1 pair"]
        assert 0.6 < slow.value < 0.8


def test_the_page_is_one_file_that_tells_all(bench, runs, tmp_path):
    page = tmp_path / "page.html"
    code, out, err = bench("compare", runs[0].path, runs[1].path, "--to", page)
    assert (code, err) == (0, "")
    assert out.endswith(f"\nThe page, with a picture: open {page}\n")
    html = page.read_text(encoding="utf-8")
    read = Page(html)
    assert "after against before" in read.text
    assert "3 configurations only in before: create: Agents; create: Micro-agents; create:" in read.text
    assert "slower: the time changed by +" in read.text
    assert read.elements.count("svg") >= 5
    assert "http" not in html.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    first = html.partition("<main")[0]
    assert first.index("badge") < first.index('class="drawing')  # the verdicts, then the picture
    assert str(runs[0].path) in read.text


def test_what_has_too_few_repetitions_is_in_the_table_and_not_in_the_picture(tmp_path):
    one = make_run(tmp_path / "one", PAIRS[:2], repetitions=2)
    pairing = pair(one, one)
    sheet = comparison_sheet((one, one), pairing, compare(pairing.contrasts))
    assert sheet.picture is None
    assert sheet.found == f"4 {Verdict.UNDECIDED}"
    text = Page(sheet_page(sheet)).text
    assert text.count("too few; use at least 5 of each") == 1  # of all lines


def test_a_page_that_cannot_be_written_is_one_sentence(bench, runs, tmp_path):
    place = tmp_path / "nowhere" / "page.html"
    code, _, err = bench("compare", *(run.path for run in runs), "--to", place)
    assert code == 1
    assert err == (
        f"formicary: {place} cannot be written (No such file or directory): choose another file with --to\n"
    )


def test_at_80_columns_lines_are_broken_and_nothing_is_cut(bench, runs, monkeypatch):
    paths = [run.path for run in runs]
    _, whole, _ = bench("compare", *paths)
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = bench("compare", *paths)
    assert max(map(len, out.splitlines())) <= 80
    assert max(map(len, whole.splitlines())) > 80
    assert out.split() == whole.split()  # word by word the same
    assert "…" not in out


def test_json_has_all_that_is_known(bench, runs):
    code, out, err = bench("compare", *(run.path for run in runs), "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    both = [line for line in lines if line["verdict"]]
    assert len(both) == 2 * len(PAIRS)
    for line in both:
        assert len(line["values"]) == len(line["base_values"]) == 5
        assert line["configuration"]["experiment"] == line["experiment"] == "messaging/pairs"
        assert line["ratio"]["low"] < line["ratio"]["mean"] < line["ratio"]["high"]
        assert line["is_rate"] == (line["metric"] == RATE.name)
        assert (line["run"], line["base"]) == tuple(str(run.path) for run in runs)
    lone = [line for line in lines if not line["verdict"]]
    assert [line["name"] for line in lone] == [one.key for one in create_plan()]
    assert {line["only_in"] for line in lone} == {"base"}
    assert err.startswith("! 3 configurations only in BASE: ")


def test_names_of_others_cannot_steer_a_page(tmp_path):
    evil = [synthetic.plan(pairs=(1,))[0]]
    machine = msgspec.structs.replace(MACHINE, host=EVIL)
    run = make_run(tmp_path / "evil", evil, repetitions=5, machine=machine)
    pairing = pair(run, run)
    html = sheet_page(comparison_sheet((run, run), pairing, compare(pairing.contrasts)))
    assert "<script>alert" not in html
    assert "\x1b" not in html


def test_figures_are_written_with_their_units():
    assert [writer(metric)(1500.0) for metric in (TIME, RATE, CREATION)] == ["1.50 ms", "1500/s", "1500/s"]
    assert writer(TOTAL)(1.5) == "1.50 s"
    assert writer(HIGHEST)(1500.0) == "1500/s"


def test_a_configuration_is_shown_by_what_its_experiment_is_about():
    assert main_metric("messaging/pairs", [TIME.name, RATE.name]) == RATE
    assert main_metric("messaging/lower-bound", [TIME.name, TOTAL.name]) == TOTAL
    assert main_metric("messaging/pairs", ["another"]).title == "another"


def test_verdicts_are_counted():
    assert counted(["slower", "faster", "slower"]) == "2 slower, 1 faster"
    assert counted([]) == "nothing to compare"


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ([0.98, 1.02], ["0.96", "0.98", "1", "1.02", "1.04"]),
        ([1.0, 1.4], ["1", "1.1", "1.2", "1.3", "1.4"]),
        ([0.4, 2.5], ["0.5", "1", "2"]),
        ([0.05, 30], ["0.1", "1", "10"]),
        ([5, 30], ["1", "2", "5", "10", "20"]),
        ([1, 1], ["0.98", "0.99", "1", "1.01", "1.02"]),
    ],
)
def test_an_axis_of_ratios_has_1_on_it_and_few_round_values(values, names):
    assert [tick.text for tick in ratios(values, lambda value: f"{value:.3g}").ticks] == names
