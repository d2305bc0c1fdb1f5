"""A student's folder, its check by the command, and one sentence for each mistake that a program can have."""

from __future__ import annotations

import json

import pytest
from tests.unit.bench.labs.grading import SEED, graded, said
from typer.testing import CliRunner

from formicary.errors import FormicaryError, UsageError
from formicary_bench.cli.lab import app
from formicary_bench.labs.checking import check
from formicary_bench.labs.material import all_labs, lab_named, make_folder
from formicary_bench.labs.programs import Broken, load
from formicary_bench.labs.recording import Arrow, sequence_text

PING_PONG = lab_named("ping-pong")
ANSWERS = 'print("pong has got", message.body)'


@pytest.fixture
def lab():
    def run(*arguments):
        done = CliRunner().invoke(app, [*map(str, arguments)])
        if isinstance(done.exception, Exception):
            raise done.exception
        return done

    return run


@pytest.mark.parametrize("name", all_labs())
def test_each_lab_has_all_its_files(name):
    files = {path.name for path in lab_named(name).folder.iterdir()}
    assert {"index.md", "teacher.md", "start.py", "solution.py", "check.py"} <= files
    text = lab_named(name).text("index.md")
    exercises = [line for line in text.splitlines() if line.startswith("## Exercise")]
    assert [line.partition(":")[0] for line in exercises] == [f"## Exercise {n}" for n in (1, 2, 3)]
    assert "## Guess, then measure" in text
    assert "## Hand in" in text


def test_labs_are_listed(lab):
    assert [json.loads(line)["lab"] for line in lab("list", "--json").stdout.splitlines()] == [*all_labs()]
    assert "ping-pong" in lab("list").stdout


def test_a_folder_is_made_once_and_the_program_in_it_is_checked(lab, tmp_path):
    folder = tmp_path / "mine"
    assert f"formicary lab check {folder}" in lab("start", "ping-pong", folder).stdout.replace("\n", "")
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "lab.toml", "program.py"]
    assert "](" not in (folder / "README.md").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="already exists"):
        lab("start", "ping-pong", folder)
    done = lab("check", folder, "--exercise", 1)
    assert done.exit_code == 1
    assert "FAIL 1. each question is answered" in done.stdout
    assert "request " in done.stdout
    assert "0 of 2 passed; repeat this run with --seed " in done.stdout
    picture = folder / "pictures" / "each-question-is-answered.svg"
    assert f"picture: {picture}" in done.stdout
    assert ">request " in picture.read_text(encoding="utf-8")
    assert picture.with_suffix(".mmd").read_text(encoding="utf-8").startswith("sequenceDiagram")
    (folder / "program.py").write_text(PING_PONG.text("solution.py"), encoding="utf-8")
    done = lab("check", folder, "--json")
    assert done.exit_code == 0
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(each["passed"], each["problem"]) for each in outcomes] == [(True, "")] * 6
    assert len({each["seed"] for each in outcomes}) == 1
    assert not list((folder / "pictures").iterdir())  # those of what holds now are gone


def test_a_folder_that_is_none_of_a_lab_is_refused(lab, tmp_path):
    with pytest.raises(UsageError, match="is not a lab folder"):
        lab("check", tmp_path)
    (tmp_path / "lab.toml").write_text('lab = "chess"', encoding="utf-8")
    with pytest.raises(UsageError, match="no lab 'chess'; choose one of ping-pong"):
        lab("check", tmp_path)
    (tmp_path / "lab.toml").write_text("lab = ", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be read"):
        lab("check", tmp_path)
    make_folder(PING_PONG, tmp_path / "x")
    with pytest.raises(UsageError, match="has no exercise 9"):
        lab("check", tmp_path / "x", "--exercise", 9)


def test_solutions_are_shown_as_such(lab):
    done = lab("solve", "ping-pong")
    assert done.stderr == "formicary: solution of the lab ping-pong, for teachers\n"
    assert done.stdout == PING_PONG.text("solution.py")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("def f(:\n", "program.py is not Python: invalid syntax (program.py, line 1: def f(:)"),
        ("x = 1\nimport sys\nsys.exit(2)\n", "ends when it is imported; put that under"),
        ("\nasyncio.run(main())\n", "(program.py, line 2: asyncio.run(main()))"),
        ("x = {}\ny = x['a']\n", "cannot be loaded: KeyError: 'a' (program.py, line 2: y = x['a'])"),
    ],
)
def test_a_program_that_cannot_be_loaded_is_one_sentence_with_its_line(tmp_path, text, sentence):
    path = tmp_path / "program.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Broken) as found:
        load(path)
    assert sentence in str(found.value)
    assert "\n" not in str(found.value)


def test_a_program_that_is_not_there_is_said(tmp_path):
    with pytest.raises(FormicaryError, match=r"program.py cannot be read \(No such file or directory\)"):
        load(tmp_path / "program.py")


@pytest.mark.parametrize(
    ("right", "wrong", "sentence"),
    [
        ("class Pong(", "class Pongg(", "program.py has no Pong, which the lab needs; did you mean Pongg"),
        (
            "(self, name, partner, rounds)",
            "(self, name)",
            "Ping('ping', 'pong@c2', 8) cannot be created",
        ),
        (
            ANSWERS,
            "import sys; sys.exit(3)",
            "the program ends its process with sys.exit() (program.py, line",
        ),
        (
            ANSWERS,
            "1 / 0",
            "an agent failed: pong/Answer: ZeroDivisionError: division by zero (",
        ),
    ],
)
def test_what_goes_wrong_in_a_scenario_is_one_sentence_with_its_line(tmp_path, right, wrong, sentence):
    text = PING_PONG.text("start.py")
    assert right in text
    found = graded("ping-pong", text.replace(right, wrong, 1), tmp_path)
    assert said(found.values(), sentence), found


def test_a_forgotten_await_is_a_hint(lab, tmp_path):
    make_folder(PING_PONG, tmp_path / "x")
    text = PING_PONG.text("start.py").replace(ANSWERS, "self.reply(message, body=message.body)")
    (tmp_path / "x" / "program.py").write_text(text, encoding="utf-8")
    done = lab("check", tmp_path / "x", "--exercise", 1)
    assert "was never awaited; write `await` before it (program.py, line 19)" in done.stdout


def test_programs_that_hang_or_end_their_process_fail_and_the_other_scenarios_are_played(tmp_path):
    text = PING_PONG.text("solution.py").replace(
        "self.rounds = rounds\n",
        "self.rounds = rounds\n        if rounds == 12:\n            while True:\n                pass\n"
        "        if rounds == 8:\n            import os\n\n            os._exit(5)\n",
        1,
    )
    path = tmp_path / "program.py"
    path.write_text(text, encoding="utf-8")
    found = {each.scenario: each.problem for each in check(PING_PONG, path, seed=SEED, seconds=2)}
    hung, ended = found.pop("the partner crashes"), found.pop("an answer comes late")
    assert "was still running after 2 s: is there an endless loop, or a loop" in hung
    assert "(program.py, line 4" in hung
    assert ended == "the program has ended its process with exit code 5, so nothing could be checked"
    assert set(found.values()) == {""}


def arrow(number, sender="ping", receiver="pong", **fields):
    return Arrow(float(number), sender, receiver, "request", str(number), "", **{"arrived": number, **fields})


def test_pictures_have_a_lane_for_each_agent():
    arrows = [arrow(0), arrow(1, "pong", "ping", arrived=1.5), arrow(2, arrived=None, lost="nobody there")]
    assert sequence_text(arrows) == [
        "               ping           pong",
        "   0.000        |- request 0 ->|",
        "   1.000        |< request 1 --|  arrives at 1.500",
        "   2.000        |- request 2 -X|  lost: nobody there",
    ]


def test_of_many_messages_the_last_are_drawn_and_many_agents_have_lines():
    lines = sequence_text([arrow(number, f"a{number % 9}") for number in range(100)])
    assert lines[0] == "(76 earlier messages omitted)"
    assert lines[-1] == "  99.000 a0 -> pong: request 99"
    assert len(lines) == 25


def test_pictures_steer_no_terminal():
    lines = sequence_text([arrow(0, "\x1b[31m"), arrow(1, arrived=None)])
    assert "\x1b" not in "".join(lines)
    assert "still on its way at the end" in lines[-1]
