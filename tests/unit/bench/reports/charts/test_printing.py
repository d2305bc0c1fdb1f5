"""Figures as files: vectors with letters in them, sizes of columns, the same for the same run."""

import re
import struct

import pytest
from tests.unit.bench.synthetic import EVIL, add_repetition, create_plan, make_run, plan

from formicary.errors import FormicaryError, UsageError
from formicary_bench.reports.charts.lines import Dot, Dots
from formicary_bench.reports.charts.plots import Chart
from formicary_bench.reports.charts.printing import WIDTHS, palette, write_pictures
from formicary_bench.reports.charts.series import Series, colours
from formicary_bench.reports.document.sections import sections_of

pytestmark = pytest.mark.figures


@pytest.fixture
def figures(tmp_path):
    run = make_run(tmp_path / "run", [*plan(pairs=(1, 10)), *create_plan()])
    return [chart for section in sections_of(run) for chart in section.charts]


def drawn(figure, folder):
    return write_pictures([figure], "svg", 1, folder)[0].read_text()


def test_each_chart_has_a_file_named_after_it(figures, tmp_path):
    found = write_pictures(figures, "svg", 1, tmp_path / "out")
    assert len(found) == len(figures) == 5
    assert found[0].name == ("01-after-alberola-2010-fig.-5-and-6-round-trip-time-against-pairs-100-b.svg")
    assert sorted(tmp_path.joinpath("out").iterdir()) == found


def test_svg_has_letters_and_the_colours_of_the_page(figures, tmp_path):
    text = write_pictures(figures[:1], "svg", 1, tmp_path)[0].read_text()
    for words in (
        ">Agents<",
        ">TCP sockets<",
        ">pairs at once<",
        ">mean round-trip time (logarithmic)<",
        ">10<",
    ):
        assert words in text
    for colour in ("a", "b", "v", "t"):
        assert palette()[colour] in text


@pytest.mark.parametrize("columns", [1, 2])
def test_files_have_the_width_of_columns(figures, tmp_path, columns):
    png = write_pictures(figures[:2], "png", columns, tmp_path)
    for path in png:
        width, _ = struct.unpack(">II", path.read_bytes()[16:24])
        assert width == int(WIDTHS[columns] * 300)
    pdf = write_pictures(figures[:1], "pdf", columns, tmp_path)[0].read_bytes()
    (right,) = re.findall(rb"/MediaBox\[0 0 ([\d.]+) ", pdf)
    assert float(right) == pytest.approx(WIDTHS[columns] * 72, abs=0.5)


def test_pdf_has_fonts_that_publishers_take(figures, tmp_path):
    pdf = write_pictures(figures[:1], "pdf", 1, tmp_path)[0].read_bytes()
    assert b"/Type3" not in pdf
    assert b"/FontFile" in pdf


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_the_same_charts_give_the_same_files(figures, tmp_path, kind):
    first = [path.read_bytes() for path in write_pictures(figures[:2], kind, 1, tmp_path / "a")]
    assert first == [path.read_bytes() for path in write_pictures(figures[:2], kind, 1, tmp_path / "b")]


def test_names_are_text_and_no_mathematics_or_paths(tmp_path):
    series = Series(f"$\\frac{{{EVIL}", "a", "circle", "")
    chart = Dots({EVIL: [Dot(series, 1.0, "$1$", (0.5, 2.0), sound=False)]}, EVIL, str)
    (path,) = write_pictures([Chart(f"../../{EVIL}", "", chart, [])], "svg", 1, tmp_path)
    assert path.parent == tmp_path
    text = path.read_text()
    assert "<script>" not in text
    assert "$1$" in text


def test_every_colour_of_a_series_is_in_the_palette():
    assert colours() <= palette().keys()


def test_points_without_full_load_are_hollow(tmp_path):
    configurations = plan(pairs=(1, 5))[:1]
    run = make_run(tmp_path / "run", configurations, repetitions=0)
    add_repetition(run, configurations[0], 1, seed=1, full_load=False)
    bars, tails = [chart for section in sections_of(run) for chart in section.charts]
    assert 'class="mark unsound"' in drawn(bars, tmp_path)
    assert 'unsound"' not in drawn(tails, tmp_path)


def test_without_the_extra_a_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("formicary_bench.reports.charts.printing.find_spec", lambda _: None)
    with pytest.raises(UsageError, match=r'typst is not installed.*"formicary\[figures\]"'):
        write_pictures([], "png", 1, tmp_path)


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FormicaryError, match="cannot be written"):
        write_pictures([], "svg", 1, tmp_path / "file")
