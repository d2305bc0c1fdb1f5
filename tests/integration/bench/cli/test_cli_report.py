"""`formicary bench report` as it is typed: what goes where, and how it refuses."""

import csv
import json
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.bench.synthetic import make_run, plan

MADE = {"markdown": "# run\n", "latex": "% Run run of 2026", "csv": "experiment,platform,", "json": '{"exp'}


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "run", plan(pairs=(1, 5))).path


@pytest.mark.parametrize("kind", MADE)
def test_text_is_printed_or_written(bench, run, kind, tmp_path):
    printed = bench("report", run, "--format", kind)
    assert printed.code == 0, printed.err
    assert printed.out.startswith(MADE[kind])
    (tmp_path / "file").write_text("older")
    written = bench("report", run, "--format", kind, "--to", tmp_path / "file")
    assert written.out.strip() == str(tmp_path / "file")
    assert (tmp_path / "file").read_bytes().decode() == printed.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "run"]


def test_the_page_is_made_where_show_makes_it(bench, run, tmp_path):
    assert bench("report", run).out.strip() == str(run / "report.html")
    assert bench("report", run, "--to", tmp_path / "page.html").code == 0
    assert (tmp_path / "page.html").read_bytes() == (run / "report.html").read_bytes()


def test_the_terminal_can_be_a_file(bench, run, tmp_path):
    assert bench("report", run, "--format", "terminal", "--to", tmp_path / "file").code == 0
    assert "Pairs of agents, all talking at once (messaging/pairs)" in (tmp_path / "file").read_text()


def test_raw_values_are_lines(bench, run):
    printed = bench("report", run, "--format", "csv", "--raw").out.splitlines()
    assert printed[0].startswith("configuration,repetition,pair,index,start_ns,rtt_ns,phase")
    assert len(printed) == 1 + 2 * 6 * (100 + 500)


@pytest.mark.figures
def test_figures_go_into_a_folder(bench, run, tmp_path):
    shown = bench("report", run, "--format", "svg", "--columns", "2")
    assert shown.code == 0, shown.err
    assert shown.out.splitlines() == [str(path) for path in sorted((run / "figures").iterdir())]
    assert bench("report", run, "--format", "svg", "--to", tmp_path / "a" / "b").code == 0
    assert len(list((tmp_path / "a" / "b").iterdir())) == len(shown.out.splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--format", "docx"],
            (
                "--format must be one of html, terminal, markdown, latex, csv, csv-long, parquet, "
                "json, png, svg, pdf"
            ),
        ),
        (["--raw"], "--raw requires --format csv, not html"),
        (["--columns", "2"], "--columns requires --format png, svg and pdf, not html"),
        (["--format", "png", "--columns", "3"], "--columns must be 1 or 2, not '3'"),
    ],
)
def test_options_that_do_not_fit_are_one_sentence(bench, run, arguments, said):
    refused = bench("report", run, *arguments)
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err
    assert refused.err.count("\n") == 1


@pytest.mark.parametrize("kind", ["csv", "html", "terminal"])
def test_a_file_that_cannot_be_written_is_one_sentence(bench, run, tmp_path, kind):
    refused = bench("report", run, "--format", kind, "--to", tmp_path / "missing" / "file")
    assert refused.code == 1
    assert "cannot be written (No such file or directory)" in refused.err
    assert bench("report", run, "--format", kind, "--to", tmp_path).code == 1
    assert list(tmp_path.iterdir()) == [run]


@pytest.mark.parametrize("kind", ["html", "terminal", "markdown", "latex", "csv", "json"])
def test_each_format_of_a_partial_run_says_so(bench, tmp_path, kind):
    run = make_run(tmp_path / "run", plan(pairs=(1,))[:2], repetitions=1, complete=False)
    assert bench("report", run.path, "--format", kind, "--to", tmp_path / "out").code == 0
    text = (tmp_path / "out").read_text()
    if kind == "csv":
        assert {line["partial"] for line in csv.DictReader(text.splitlines())} == {"true"}
    elif kind == "json":
        assert all(json.loads(line)["partial"] for line in text.splitlines())
    else:
        assert "This run is partial" in text
    whole = make_run(tmp_path / "whole", plan(pairs=(1,))[:2], repetitions=1)
    assert bench("report", whole.path, "--format", kind, "--to", tmp_path / "out").code == 0
    assert "This run is partial" not in (tmp_path / "out").read_text()
    assert '"partial":true' not in (tmp_path / "out").read_text()


@pytest.mark.figures
def test_figures_of_a_partial_run_come_with_a_warning(bench, tmp_path):
    run = make_run(tmp_path / "run", plan(pairs=(1,))[:1], repetitions=1, complete=False)
    assert "This run is partial" in bench("report", run.path, "--format", "svg").err


@pytest.mark.parametrize("kind", ["html", "terminal", "markdown", "latex", "csv", "json", "pdf"])
def test_a_run_of_a_newer_format_is_one_sentence(bench, run, kind, tmp_path):
    manifest = json.loads((run / "manifest.json").read_text())
    (run / "manifest.json").write_text(json.dumps({**manifest, "format_version": 99}))
    for command in (["report", run, "--format", kind, "--to"], ["publish", run, "--to"]):
        refused = bench(*command, tmp_path / "out")
        assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
        assert "was made by a newer formicary (format 99" in refused.err
    assert list(tmp_path.iterdir()) == [run]


def command(*arguments, **about):
    program = "from formicary.cli import main; main()"
    line = [sys.executable, "-c", program, "bench", *map(str, arguments)]
    return subprocess.run(line, stderr=subprocess.PIPE, text=True, check=False, timeout=120, **about)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a file that is always full")
@pytest.mark.parametrize(
    "kind",
    ["terminal", *(pytest.param(one, marks=pytest.mark.full("another format")) for one in ("latex", "csv"))],
)
def test_what_cannot_be_printed_is_one_sentence(run, kind):
    with Path("/dev/full").open("w") as full:
        refused = command("report", run, "--format", kind, stdout=full)
    assert refused.returncode == 1
    assert refused.stderr.startswith("formicary: cannot write the output (No space left on device)")
    assert refused.stderr.count("\n") == 1


def on_a_small_disk():
    """Limit the size of files, as if the disk became full in the middle of one."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2500, 2500))


@pytest.mark.figures
@pytest.mark.parametrize(
    "kind",
    [
        "html",
        "csv",
        *(
            pytest.param(one, marks=pytest.mark.full("another format"))
            for one in ("terminal", "latex", "svg")
        ),
    ],
)
def test_a_disk_that_fills_up_leaves_nothing_half_written(run, tmp_path, kind):
    refused = command(
        "report", run, "--format", kind, "--to", tmp_path / "out",
        stdout=subprocess.DEVNULL, preexec_fn=on_a_small_disk,
    )  # fmt: skip
    assert refused.returncode == 1, refused.stderr
    assert "cannot be written" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir() if path.name != "caches"] == ["run"]


@pytest.mark.figures
def test_a_disk_that_fills_up_leaves_no_half_of_a_published_run(run, tmp_path):
    refused = command(
        "publish", run, "--to", tmp_path / "out",
        stdout=subprocess.DEVNULL, preexec_fn=on_a_small_disk,
    )  # fmt: skip
    assert refused.returncode == 1, refused.stderr
    assert f"{tmp_path / 'out'} cannot be written (File too large)" in refused.stderr
    assert [path.name for path in tmp_path.iterdir() if path.name != "caches"] == ["run"]


def test_broken_raw_values_leave_no_half_of_a_file(bench, run, tmp_path):
    broken = next(iter((run / "raw").iterdir()))
    broken.write_bytes(broken.read_bytes()[: broken.stat().st_size // 2])
    for arguments in (["csv", "--raw"], ["csv"], ["json"], ["latex"], ["markdown"], ["html"], ["pdf"]):
        refused = bench("report", run, "--format", *arguments, "--to", tmp_path / "file")
        assert refused.code == 2
        assert "cannot be read" in refused.err
    assert list(tmp_path.iterdir()) == [run]
