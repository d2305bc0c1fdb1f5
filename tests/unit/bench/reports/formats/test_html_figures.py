"""Every figure that stands in two places of a report is equal: a walk over the page, JSON and CSV."""

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest
from tests.unit.bench.synthetic import add_repetition, create_plan, directory_plan, make_run, plan

from formicary_bench.experiments.registry import EXPERIMENTS, metric_of
from formicary_bench.reports.document.figures import said, sized, writer
from formicary_bench.reports.document.sections import Document
from formicary_bench.reports.formats import csv as as_csv
from formicary_bench.reports.formats import json_lines
from formicary_bench.reports.formats.html import page
from formicary_bench.results.summary.baselines import typical_of

FIGURE = re.compile(r"(?<![\w.–])\d[\d.]*(?: (?:µs|ms|s|kB|MB|GB|B|[kMG]/s|[kMG])|/s)(?!\w)")
"""A figure with its unit; not the end of an interval."""


class Cited(HTMLParser):
    """The texts of a page about rows, by the rows' anchors."""

    def __init__(self, text):
        super().__init__()
        self.of, self.found, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        if tag not in {"path", "rect", "circle", "line", "br", "meta", "link"}:
            self.open.append((tag, known.get("data-of")))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        for _, of in reversed(self.open):
            if of:
                self.found.append((of, data.replace("\N{NO-BREAK SPACE}", " ")))
                return


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Make a run whose repetitions scatter, one of them without full load and with other figures."""
    configurations = [
        *plan(pairs=(1, 10)),
        *create_plan(),
        *directory_plan(services=(0, 1000)),
        *plan("messaging/size", (10,), (10, 1000)),
    ]
    made = make_run(tmp_path_factory.mktemp("run") / "run", configurations, repetitions=5, complete=False)
    for one in plan(pairs=(1, 10)):
        add_repetition(made, one, 6, seed=99, full_load=False)
    made.finish(load_after=(0.0, 0.0, 0.0))
    return made


def written_of(row):
    """Return everything that may be written about a row: estimates, intervals, modes and sizes."""
    texts = set()
    for name in row.figures:
        metric = metric_of(row.experiment, name)
        known, write = typical_of(row, metric), writer(metric)
        for value in (known.value, *(known.bounds or ()), *known.modes):
            texts |= {write(value), write(value).removesuffix("/s")}
    for one in EXPERIMENTS[row.experiment].own:
        texts |= {sized(one, row.size(one.attribute)), said(one, row.size(one.attribute))}
    return texts


def test_a_figure_is_the_same_wherever_the_page_has_it(run):
    document = Document(run)
    known = {row.anchor: written_of(row) for row in document.shown}
    cited = Cited(page(document)).found
    unlike = [
        (figure, text)
        for of, text in cited
        for figure in FIGURE.findall(text)
        if figure not in set().union(*(known[one] for one in of.split()))
    ]
    assert unlike == []
    told = [figure for _, text in cited for figure in FIGURE.findall(text)]
    assert len(told) > 100  # the page was walked


def test_some_repetitions_count_for_no_figure_and_yet_are_there(run):
    rows = [row for row in Document(run).rows if row.full_load is False]
    assert rows
    for row in rows:
        held = [one.values["rtt_mean_us"] for one in row.each if one.full_load]
        assert len(held) == 5 < len(row.each)
        assert row.figures["rtt_mean_us"].mean == pytest.approx(sum(held) / 5)


def test_json_and_csv_have_the_figures_of_the_page(run):
    document = Document(run)
    lines, table = io.StringIO(), io.StringIO()
    json_lines.write(document, lines)
    as_csv.write(document, table)
    text = page(document).replace("\N{NO-BREAK SPACE}", " ")
    read = [json.loads(line) for line in lines.getvalue().splitlines()]
    cells = list(csv.DictReader(io.StringIO(table.getvalue())))
    assert len(read) == len(cells) == len(document.rows)
    for of_json, of_csv, row in zip(read, cells, document.rows, strict=True):
        main = EXPERIMENTS[row.experiment].main_metric
        value = of_json["figures"][main.name]["mean"]
        assert float(of_csv[f"figures.{main.name}.mean"]) == value
        assert f">{writer(main)(value)}<" in text or f">{writer(main)(value).removesuffix('/s')}<" in text


def test_tiles_sentences_and_charts_have_the_estimate(run):
    document = Document(run)
    cited = Cited(page(document)).found
    row = next(
        one for one in document.shown if one.experiment == "messaging/pairs" and one.size("pairs") == 1
    )
    time = writer(metric_of(row.experiment, "rtt_p50_us"))(row.figures["rtt_p50_us"].mean)
    assert sum(of == row.anchor and text.startswith(time) for of, text in cited) >= 3  # tile, sentence, table
