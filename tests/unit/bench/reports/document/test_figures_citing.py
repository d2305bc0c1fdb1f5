"""Texts that know what their figures are of: put together, cut up, and the same text to everybody else."""

import pytest
from tests.unit.bench.reports.formats.test_latex import KINDS, KINDS_TO_TRY
from tests.unit.bench.synthetic import ALONE, CROWD

from formicary_bench.reports.charts.lines import Dots, Stacks
from formicary_bench.reports.document.figures import anchors, cite, joined, pieces, told

REPEAT = "or more repetitions"
"""What is said where there is no figure."""


def test_a_text_is_put_together_with_what_its_figures_are_of():
    one = told("it takes ", cite("1.9 µs", ALONE), ", or ", cite("170 µs", CROWD), ".")
    assert one == "it takes 1.9 µs, or 170 µs."
    assert [(text, of) for text, of in pieces(one) if of] == [
        ("1.9 µs", ALONE.anchor), ("170 µs", CROWD.anchor)
    ]  # fmt: skip
    assert "".join(text for text, _ in pieces(one)) == one


def test_what_is_in_others_is_kept():
    both = joined(" and ", [told("a ", cite("1", ALONE)), told("b ", cite("2", CROWD, ALONE))])
    whole = told("so: ", both, "!")
    assert whole == "so: a 1 and b 2!"
    assert [(text, of) for text, of in pieces(whole) if of] == [
        ("1", ALONE.anchor), ("2", f"{CROWD.anchor} {ALONE.anchor}")
    ]  # fmt: skip


def test_other_texts_are_one_piece():
    assert list(pieces("plain")) == [("plain", "")]
    assert joined(", ", []) == told() == ""
    assert anchors(ALONE, ALONE) == ALONE.anchor


@pytest.fixture(scope="module", params=KINDS_TO_TRY)
def found(request, tmp_path_factory):
    return KINDS[request.param](tmp_path_factory.mktemp("runs") / "run")


def test_each_sentence_says_what_its_figures_are_of(found):
    sentences = [sentence for section in found for sentence in section.sentences if REPEAT not in sentence]
    assert [one for one in sentences if not any(of for _, of in pieces(one))] == []


def drawn(plot):
    """Return all elements of a chart that can be pointed at, with the names of their series."""
    if isinstance(plot, Dots):
        return [(dot.series.label, dot) for dot in plot.all if not dot.published]
    if isinstance(plot, Stacks):
        stacks = [stack for stacks in plot.groups.values() for stack in stacks if not stack.published]
        return [(stack.label, stack) for stack in stacks]
    return [(series.label, point) for series, line in plot.lines.items() for point in line if point.marked]


def test_each_figure_of_a_chart_says_what_it_is_of(found):
    shown = [one for section in found for chart in section.charts for one in drawn(chart.plot)]
    assert [(name, one) for name, one in shown if not one.of] == []


def test_each_table_of_figures_says_what_its_lines_are_of(found):
    tables = [
        (title, columns)
        for section in found
        for title, columns in (
            ("all", section.columns),
            *((chart.title, chart.columns) for chart in section.charts),
            *((extra.title, extra.columns) for extra in section.extras),
        )
        if not title.startswith("Memory over time")  # what one repetition gave, look by look
    ]
    assert tables
    assert [title for title, columns in tables if not any(any(column.of) for column in columns)] == []
