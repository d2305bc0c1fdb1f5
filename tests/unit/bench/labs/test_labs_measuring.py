"""Guess, then measure: the cases in turn, the file, one picture of a class, a sentence for what is wrong."""

from __future__ import annotations

import asyncio
import json
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from formicary.errors import FormicaryError, UsageError
from formicary_bench.cli.lab import app
from formicary_bench.labs import charts, measuring
from formicary_bench.labs.material import all_labs
from formicary_bench.labs.measuring import Answer, Result, read_results, write_result

MEASURED = [lab for lab in all_labs().values() if lab.is_measured]


def result(who="anna", lab="ping-pong", guess=100.0, values=(10.0, 11.0, 12.0), case="near"):
    answers = (Answer(case, guess, values), Answer("far", 50.0, (90.0, 100.0, 110.0)))
    return Result(
        lab=lab,
        question="How long?",
        unit="µs",
        who=who,
        machine="a processor",
        python="3.11.7",
        formicary="0.1.0",
        answers=answers,
    )


@pytest.fixture(autouse=True)
def _loops_of_asyncio(monkeypatch):
    """Uvloop keeps a pipe for as long as the process lives, which would count as left behind."""
    monkeypatch.setattr(measuring, "loop_factory", lambda: None)


@pytest.fixture
def lab():
    def run(*arguments):
        done = CliRunner().invoke(app, [*map(str, arguments)])
        if isinstance(done.exception, Exception):
            raise done.exception
        return done

    return run


@pytest.mark.parametrize("lab", MEASURED, ids=lambda lab: lab.name)
def test_each_case_of_each_lab_gives_a_figure_above_zero(lab):
    measurement = measuring.load_measurement(lab)
    assert measurement.question.endswith("?")
    for case in measurement.cases.values():
        assert asyncio.run(case(0.01)) > 0


def test_cases_are_measured_ten_times_each_and_none_before_the_round_is_over():
    async def near(seconds):
        return seconds

    async def far(seconds):
        return 2 * seconds

    cases = {"near": near, "far": far}
    found = list(measuring.measure(measuring.Measurement("?", "s", cases), 4.0))
    assert len(found) == 20
    for first in range(0, 20, 2):
        assert dict(found[first : first + 2]) == {"near": 0.2, "far": 0.4}


def test_the_command_leaves_a_file_and_a_picture(lab, tmp_path, monkeypatch):
    async def case(seconds):
        return 12.0

    measurement = measuring.Measurement("How long?", "µs", {"near": case, "far": case})
    monkeypatch.setattr(measuring, "load_measurement", lambda _: measurement)
    path = tmp_path / "anna.json"
    done = lab("measure", "ping-pong", "--guess", "6,1200", "--seconds", 0, "--who", "anna", "--to", path)
    assert "near: 12.0 µs (12.0 µs to 12.0 µs); guessed 6.00 µs, close" in done.stdout
    assert "guessed 1.20 ms, 100 times too much" in done.stdout
    ((found,), warnings) = read_results([path])
    assert not warnings
    assert found.who == "anna"
    assert [answer.guess for answer in found.answers] == [6, 1200]
    assert "guessed and measured" in path.with_suffix(".html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("guess", "sentence"),
    [
        ("1,2", r"--guess takes 3 numbers separated by commas, one for each of: in one process; between"),
        ("1,2,many", r"a guess must be a number above 0, not 'many'"),
        ("1,2,-5", r"a guess must be a number above 0, not '-5'"),
        ("1,2,inf", r"a guess must be a number above 0, not 'inf'"),
    ],
)
def test_what_is_no_guess_is_refused(lab, guess, sentence):
    with pytest.raises(UsageError, match=sentence):
        lab("measure", "ping-pong", "--guess", guess)


def test_where_nobody_can_be_asked_the_guess_is_an_option(lab):
    with pytest.raises(UsageError, match="use --guess with 3 numbers"):
        lab("measure", "ping-pong")


def test_a_class_is_one_picture_and_what_does_not_belong_there_is_left_out(lab, tmp_path):
    files = [tmp_path / name for name in ("a.json", "b.json", "other.json", "broken.json", "none.json")]
    write_result(result(), files[0])
    write_result(result("ben", guess=12.0, values=(20.0, 22.0, 24.0)), files[1])
    write_result(result("carl", lab="token-ring"), files[2])
    files[3].write_text("{}", encoding="utf-8")
    done = lab("merge", *files, "--to", tmp_path / "class.html")
    assert done.exit_code == 0
    assert "is from the lab token-ring, not ping-pong: skipped" in done.stderr
    assert "broken.json is not a result of `formicary lab measure`" in done.stderr
    assert "none.json cannot be read" in done.stderr
    assert len(done.stderr.splitlines()) == 3
    assert (
        "near: 11.0 µs to 22.0 µs, median 16.5 µs; the largest is 2.0 times the smallest; "
        "guesses from 12.0 µs to 100 µs, 1 of 2 within a factor of 2" in done.stdout
    )
    assert [json.loads(line)["who"] for line in lab("merge", *files, "--json").stdout.splitlines()] == [
        "anna",
        "ben",
    ]
    lab("merge", *files, "--to", tmp_path / "class.svg")
    names = "".join(ET.fromstring((tmp_path / "class.svg").read_text(encoding="utf-8")).itertext())
    assert "anna, measured" in names
    assert "ben, guessed" in names


def test_files_that_are_no_results_are_refused_together(tmp_path):
    large, odd, empty = tmp_path / "large.json", tmp_path / "odd.json", tmp_path / "empty.json"
    large.write_bytes(b" " * 1_000_001)
    write_result(result(values=(0.0, 1.0)), odd)
    empty.write_text(json.dumps({"format": "x"}), encoding="utf-8")
    with pytest.raises(UsageError) as found:
        read_results([large, odd, empty])
    assert "too large" in str(found.value)
    assert "not above zero" in str(found.value)
    with pytest.raises(FormicaryError, match="cannot be written"):
        write_result(result(), tmp_path / "nowhere" / "a.json")
    with pytest.raises(FormicaryError, match="cannot be written"):
        charts.write_picture([result()], tmp_path / "nowhere" / "a.svg")


def test_the_terminal_s_picture_has_guess_and_interval_in_their_places():
    lines = charts.picture([result(), result("anna", guess=1000.0)])
    assert [line.split()[0] for line in lines[:3]] == ["near", "anna", "anna"]
    first, second = lines[1], lines[2]
    assert first.startswith("  anna (1) ")
    assert second.startswith("  anna (2) ")
    assert first.index("[") < first.index("o") < first.index("]") < first.index("?") < second.index("?")
    assert first.endswith("11.0 µs")
