"""`formicary bench report` as it is typed: what goes where, and how it refuses."""

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
            "--format is one of html, terminal, markdown, latex, csv, json, png, svg, pdf",
        ),
        (["--raw"], "--raw is for --format csv, and not for html"),
        (["--columns", "2"], "--columns is for --format png, svg and pdf, and not for html"),
        (["--format", "png", "--columns", "3"], "--columns is 1 or 2, and not '3'"),
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


def test_broken_raw_values_leave_no_half_of_a_file(bench, run, tmp_path):
    next(iter((run / "raw").iterdir())).write_bytes(b"")
    for arguments in (["csv", "--raw"], ["csv"], ["latex"], ["pdf"]):
        refused = bench("report", run, "--format", *arguments, "--to", tmp_path / "file")
        assert refused.code == 2
        assert "cannot be read" in refused.err
    assert list(tmp_path.iterdir()) == [run]
