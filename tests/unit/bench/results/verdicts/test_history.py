"""An experiment over all runs: which runs are comparable, what is marked, and the command that shows it."""

import json
import shutil
from datetime import timedelta

import msgspec
import pytest
from tests.unit.bench.reports.formats.test_html import Page
from tests.unit.bench.synthetic import MACHINE, STARTED, create_plan, make_run, plan

from formicary.cli import main
from formicary_bench.reports.document.history import NOT_COMPARABLE, history_sheet
from formicary_bench.results.store.finding import find_all
from formicary_bench.results.store.folder import RAW, RunFolder
from formicary_bench.results.verdicts import history as module
from formicary_bench.results.verdicts.history import history
from formicary_bench.results.verdicts.pairing import pair
from formicary_bench.statistics.comparisons import Verdict, compare
from formicary_bench.vocabulary.metrics import RATE, TIME
from formicary_bench.vocabulary.values import SETTLED

PAIRS = [one for one in plan(pairs=(1,)) if (one.platform, one.kind) == ("formicary", "micro")]
LAB_4 = msgspec.structs.replace(MACHINE, host="lab-4", usable=2)
PYTHON = msgspec.structs.replace(MACHINE, python="CPython 3.13.0")


def add(folder, name, day, repetitions=5, configurations=PAIRS, **about):
    run = make_run(folder / name, configurations, repetitions=repetitions, **about)
    run._save(msgspec.structs.replace(run.manifest, started=STARTED + timedelta(days=day)))
    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a folder of runs, not in the order in which they began."""
    place = tmp_path_factory.mktemp("history")
    runs = place / "runs"
    add(runs, "d-few", 5, repetitions=2, formicary="0.2.0")
    add(runs, "a-first", 0, configurations=[*PAIRS, *create_plan()[:1]])
    add(runs, "c-back", 4, formicary="0.2.0")
    add(runs, "b-elsewhere", 2, machine=LAB_4)
    return place


@pytest.fixture
def found(folder):
    runs, broken = find_all([folder / "runs"])
    assert broken == []
    return history(runs, "messaging/pairs")


@pytest.fixture
def bench(capsys, folder, monkeypatch):
    """Run `formicary bench` beside the folder of runs; return its exit code and output."""
    monkeypatch.chdir(folder)

    def call(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["bench", *map(str, arguments)])
        return ended.value.code or 0, *capsys.readouterr()

    return call


def names(spots):
    return [spot.run.path.name for spot in spots]


def test_each_figure_has_its_runs_in_the_order_in_which_they_began(found):
    assert {track.metric for track in found.tracks} == {TIME, RATE}
    for track in found.tracks:
        assert names(track.spots) == ["a-first", "b-elsewhere", "c-back", "d-few"]
        assert [len(spot.values) for spot in track.spots] == [5, 5, 5, 2]


def test_a_run_is_held_against_the_latest_one_on_a_machine_like_its_own(found):
    first, elsewhere, back, few = found.tracks[0].spots
    assert (first.against, first.comparison) == (None, None)
    assert (elsewhere.against, elsewhere.comparison) == (None, None)  # another machine: nothing is said
    assert back.against.path.name == "a-first"  # not the one of lab-4 before it
    assert few.against.path.name == "c-back"
    assert few.comparison.verdict is Verdict.UNDECIDED  # too few repetitions: by the laboratory's rule
    assert "too few" in few.comparison.sentence


def test_where_machine_or_version_are_others_it_is_marked(found):
    first, elsewhere, back, few = found.tracks[0].spots
    assert (first.machine_changes, first.version_before) == ((), "")
    assert elsewhere.machine_changes == ("host lab-4, not lab-3", "usable cores 2, not 4")
    assert back.machine_changes == ("host lab-3, not lab-4", "usable cores 4, not 2")
    assert (back.version, back.version_before) == ("0.2.0", "0.1.0")
    assert (few.machine_changes, few.version_before) == ((), "")


def test_another_python_is_another_machine_and_another_prosody_only_where_both_ran(tmp_path):
    without = msgspec.structs.replace(MACHINE, prosody="")
    runs = [
        add(tmp_path, "a", 0),
        add(tmp_path, "b", 1, machine=without),
        add(tmp_path, "c", 2, machine=PYTHON),
    ]
    _, alike, other = history(runs).tracks[0].spots
    assert alike.machine_changes == ()
    assert alike.comparison is not None
    assert other.machine_changes == ("python CPython 3.13.0, not CPython 3.11.9",)
    assert other.comparison is None


def test_the_version_is_that_of_whom_was_measured(tmp_path):
    jade = [msgspec.structs.replace(PAIRS[0], platform="formicary", kind="micro")]
    machine = msgspec.structs.replace(MACHINE, libraries={"formicary": "9.9"})
    (track, *_) = history([add(tmp_path, "a", 0, configurations=jade, machine=machine)]).tracks
    assert track.spots[0].version == "9.9"


def test_verdicts_are_asked_for_as_one_family_of_the_experiment(folder, monkeypatch):
    families = []

    def judge(family):
        families.append(list(family))
        return compare(family)

    monkeypatch.setattr(module, "compare", judge)
    history(find_all([folder / "runs"])[0])
    assert sorted(map(len, families)) == [
        0,
        4,
    ]  # of create there is one run; of pairs, two figures of two runs


def test_a_broken_run_is_left_out_and_named(tmp_path):
    runs = [add(tmp_path, "whole", 0), add(tmp_path, "broken", 1)]
    shutil.rmtree(tmp_path / "broken" / RAW)
    found = history(runs)
    assert names(found.tracks[0].spots) == ["whole"]
    assert len(found.remarks) == 1
    assert found.remarks[0].startswith(f"{tmp_path / 'broken'} is left out: ")


def test_runs_are_found_once_in_the_folders_given_and_only_there(folder, monkeypatch, tmp_path):
    monkeypatch.chdir(folder)
    alone = add(tmp_path, "alone", 9)
    runs, _ = find_all([alone.path, tmp_path, tmp_path])
    assert [run.path.name for run in runs] == ["alone"]
    runs, _ = find_all()
    assert [run.path.name for run in runs] == ["a-first", "b-elsewhere", "c-back", "d-few"]


def cooled(run):
    """Mark a run as measured before it had settled."""
    cold = [msgspec.structs.replace(one, counters={SETTLED: 0.0}) for one in run.manifest.repetitions]
    run._save(msgspec.structs.replace(run.manifest, repetitions=tuple(cold)))
    return run


def test_what_was_cold_is_compared_to_nothing(tmp_path):
    runs = [add(tmp_path, "warm", 0), cooled(add(tmp_path, "cold", 1))]
    for track in history(runs).tracks:
        comparison = track.spots[1].comparison
        assert comparison.verdict is Verdict.UNDECIDED
        assert "cold" in comparison.sentence
        assert comparison.ratio is None
    for one in compare(pair(*runs).contrasts):
        assert (one.verdict, one.ratio) == (Verdict.UNDECIDED, None)
        assert "cold" in one.sentence


# The command


def test_without_an_experiment_there_is_a_line_for_each(bench):
    code, out, err = bench("history")
    assert (code, err) == (0, "")
    (pairs,) = [line.split() for line in out.splitlines() if line.strip().startswith("messaging/pairs")]
    assert pairs == ["messaging/pairs", "4", "2026-03-14", "2026-03-19", "lab-3,", "lab-4", "0.1.0,", "0.2.0"]
    (create,) = [line.split() for line in out.splitlines() if line.strip().startswith("create")]
    assert create[1:4] == ["1", "2026-03-14", "2026-03-14"]


def test_a_line_for_each_run_says_when_where_and_by_which_version(bench, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    code, out, err = bench("history", "messaging/pairs")
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines() if line.strip().startswith("2026-03-")]
    assert [line[0] for line in lines] == ["2026-03-14", "2026-03-16", "2026-03-18", "2026-03-19"]
    assert [line[2] for line in lines] == ["lab-3", "lab-4", "lab-3", "lab-3"]
    text = " ".join(out.split())
    assert f"host lab-4, not lab-3; usable cores 2, not 4; {NOT_COMPARABLE}" in text
    assert "version 0.2.0, not 0.1.0" in text
    assert f"{NOT_COMPARABLE}; no difference found against a-first" in text
    assert str(Verdict.UNDECIDED) in lines[3][-1] + " ".join(lines[3])


def test_at_80_columns_nothing_is_cut(bench, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    _, out, _ = bench("history", "messaging/pairs")
    assert max(map(len, out.splitlines())) <= 80
    assert "…" not in out
    assert "Micro-agents: round trips per second" in out


def test_json_has_a_line_for_each_figure_of_each_run(bench):
    code, out, _ = bench("history", "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert len(lines) == 4 * 2 + 1
    back = next(line for line in lines if line["run"].endswith("c-back") and line["metric"] == RATE.name)
    assert back["interval"][0] <= back["mean"] <= back["interval"][1]
    assert back["configuration"]["parameters"]["pairs"] == 1
    assert back["machine"]["host"] == "lab-3"
    assert (back["version"], back["version_before"]) == ("0.2.0", "0.1.0")
    assert back["against"].endswith("a-first")
    assert back["comparison"]["verdict"] == "no difference found"


def test_the_page_draws_each_machine_as_a_line_of_its_own(bench, tmp_path):
    page = tmp_path / "history.html"
    code, out, _ = bench("history", "messaging/pairs", "--to", page)
    assert code == 0
    assert out.endswith(f"Page with charts: {page}\n")
    html = page.read_text(encoding="utf-8")
    text = Page(html).text
    assert "messaging/pairs over 4 runs" in text
    drawn = {part.partition('"')[0] for part in html.split('data-series="')[1:]}
    assert drawn == {"Micro-agents, lab-3", "Micro-agents, lab-4"}
    assert NOT_COMPARABLE in text
    assert "too few; use at least 5 of each" in text


def test_what_is_not_there_is_one_sentence(bench, tmp_path):
    for arguments, said in (
        (("nowhere",), "no run of 'nowhere' can be compared: specify folders of runs with --runs"),
        (("--runs", tmp_path / "none"), f"cannot list runs in {tmp_path / 'none'}"),
    ):
        code, out, err = bench("history", *arguments)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert said in err


def test_folders_are_only_read(folder, bench):
    before = sorted(path for path in folder.rglob("*"))
    bench("history", "messaging/pairs")
    assert sorted(path for path in folder.rglob("*")) == before
    assert RunFolder.open(folder / "runs" / "a-first").manifest.complete


def test_runs_of_one_day_are_told_apart_by_their_time(tmp_path):
    runs = [add(tmp_path, "morning", 0), add(tmp_path, "evening", 0.25)]
    axis = history_sheet(history(runs)).picture.plot.x
    assert [tick.text for tick in axis.ticks if tick.text] == ["15:09", "21:09"]
