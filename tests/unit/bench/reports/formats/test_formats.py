"""Reports as tables: CSV, Markdown and LaTeX, of sound runs and of folders that try to be more than text."""

import csv
import io
import re

import msgspec
import pytest
from tests.unit.bench.synthetic import EVIL, create_plan, document, make_run, plan, row

from formicary_bench.reports.document.sections import Document, sections_of
from formicary_bench.reports.document.tables import Column
from formicary_bench.reports.formats import latex, markdown
from formicary_bench.reports.formats.csv import write, write_raw
from formicary_bench.results.store.raw import RoundTrips
from formicary_bench.results.summary.row import Row
from formicary_bench.results.summary.summary import summarise
from formicary_bench.vocabulary.metrics import MEAN

NASTY = (
    EVIL, "\\input{/etc/passwd}", "100% $x_1^2$ #{}~&", "[1cm] * --- ?` !` ``''", "a|b\nc",
    "é ß 中 \u202e µ ± → —",
)  # fmt: skip


def table_of(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def as_csv(rows):
    stream = io.StringIO(newline="")
    write(document(None, rows), stream)
    return stream.getvalue()


def nasty(tmp_path, name="run"):
    (configuration,) = plan(pairs=(1,))[:1]
    evil = msgspec.structs.replace(configuration, experiment="; ".join(NASTY)[:200], platform=NASTY[2])
    return make_run(tmp_path / name, [evil], repetitions=0, complete=False, left_out=NASTY[3])


# CSV


def test_csv_has_a_line_for_each_configuration_with_the_rows_values(quick_run):
    rows = summarise(quick_run)
    table = table_of(as_csv(rows))
    assert len(table) == len(rows) == 15
    for line, one in zip(table, rows, strict=True):
        assert (line["experiment"], line["platform"], int(line["parameters.pairs"] or 0)) == (
            one.experiment,
            one.platform,
            one.exchange.pairs,
        )
        if one.mean(MEAN) is not None:
            assert float(line["figures.rtt_mean_us.mean"]) == one.mean(MEAN)
            bounds = [float(line[f"figures.rtt_mean_us.{end}"]) for end in ("low", "high")]
            assert tuple(bounds) == one.bounds(MEAN)
    created = next(line for line in table if line["experiment"] == "create")
    assert (created["figures.rtt_mean_us.mean"], created["full_load"]) == ("", "")
    assert created["warm_up.rule"] == ""


def test_every_csv_has_the_columns_of_a_row_in_their_order(quick_run):
    fields = [field.name for field in msgspec.structs.fields(Row)]
    for rows in (
        [],
        [row()],
        [row(rtt_mean_us=1.0), row("tasks", ""), row(total_s=1.0)],
        summarise(quick_run),
    ):
        first = as_csv(rows).partition("\r\n")[0].split(",")
        assert len(set(first)) == len(first)
        assert list(dict.fromkeys(name.partition(".")[0] for name in first)) == fields
        # What has parts anywhere has no column of its own besides.
        assert not [name for name in first if any(other.startswith(f"{name}.") for other in first)]


@pytest.mark.parametrize("text", ['a,"b"', "=1+1", "@x", "line\r\nbreak", "\x1b[31m"])
def test_csv_gives_texts_as_texts(text):
    (line,) = table_of(as_csv([row(platform=text, notes=("one, two", "three"))]))
    assert line["platform"].isprintable()
    assert line["platform"][0] not in "=+-@"
    assert line["notes"] == "one, two; three"
    assert line["parameters.pairs"] == "1"


def test_raw_csv_has_every_value(tmp_path):
    run = make_run(tmp_path / "run", [*plan(pairs=(2,))[:1], *create_plan()[:1]], repetitions=2)
    stream = io.StringIO(newline="")
    write_raw(Document(run), stream)
    table = table_of(stream.getvalue())
    data = run.raw(run.manifest.repetitions[0], RoundTrips)
    first = [line for line in table if line["repetition"] == "1" and line["pair"]]
    assert [int(line["rtt_ns"]) for line in first] == data.rtt_ns.tolist()
    assert [int(line["phase"]) for line in first] == data.phase.tolist()
    created = [line for line in table if line["batch"]]
    assert len(created) == 40
    assert {line["pair"] for line in created} == {""}


# Markdown


def tables(run):
    """Count the tables of a run's report."""
    found = sections_of(run)
    return sum(1 + len(one.extras) for one in found)


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_markdown_has_the_sentences_and_tables_of_the_report(quick_run):
    text = markdown.render(Document(quick_run))
    assert text.startswith("# quick\n")
    assert "## Pairs of agents, all talking at once (messaging/pairs)" in text
    assert "\n- In one process: " in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    heads = [n for n, line in enumerate(lines) if line.startswith("| :---")]
    assert len(heads) == tables(quick_run)
    for begin, end in zip(heads, [*(head - 1 for head in heads[1:]), len(lines)], strict=True):
        assert {len(cells(line)) for line in lines[begin - 1 : end]} == {len(cells(lines[begin]))}


@pytest.mark.parametrize("text", NASTY)
def test_markdown_gives_names_as_they_stand(text):
    shown = markdown._table([Column("who", (text,), names=True), Column("1. [x](y)", ("- b",))])
    head, _, line = shown.splitlines()
    assert len(cells(line)) == len(cells(head)) == 2
    assert not re.search(r"(?<!\\)[<*\[`$]", line)
    assert "1\\. \\[x\\](y)" in head
    assert "\\- b" in line


def test_reports_of_partial_and_empty_runs_say_so(tmp_path):
    run = nasty(tmp_path)
    for render in (markdown.render, latex.render):
        text = render(Document(run))
        assert "This run is partial" in text
        assert "Left out." in text
        assert "Nothing has been measured yet." in text
