"""Reports of run folders that others have made: no format holds what steers a terminal, or is a formula."""

from __future__ import annotations

import csv
import io

import msgspec
import pytest
from hypothesis import example, given, settings
from tests.property.texts import HOSTILE, hostile_texts, unseen
from tests.unit.bench.synthetic import MACHINE, document, make_run, plan, row

from formicary_bench.reports.formats import html, json_lines, latex, markdown, terminal
from formicary_bench.reports.formats.csv import write as write_csv

ALL = "".join(letter for letter in HOSTILE if letter != "\ud800")
FORMULAS = tuple("=+-@\t\r")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("runs") / "run", plan(pairs=(1,))[:1], repetitions=1)


def of_others(run, text):
    """Return what is said of a run whose names are all this text."""
    evil = msgspec.structs.replace(run.manifest.configurations[0], experiment=text, platform=text, kind=text)
    machine = msgspec.structs.replace(MACHINE, host=text, cpu=text, libraries={text: text})
    run.manifest = msgspec.structs.replace(
        run.manifest, machine=machine, formicary=text, left_out=text, complete=False, configurations=(evil,)
    )
    known = {"experiment": text, "notes": (text,), "rtt_p50_us": 1.0}
    return document(run, [row(text, text, **{f"{text}s": text, **known})])


@settings(max_examples=10)
@given(text=hostile_texts)
@example(text=ALL)
@pytest.mark.parametrize("form", [html, terminal, markdown, latex, json_lines])
def test_no_report_steers_a_terminal(run, form, text):
    stream = io.StringIO()
    form.write(of_others(run, text.encode(errors="replace").decode()), stream)
    written = stream.getvalue()
    assert written.strip()
    assert unseen(written, allowed="\n") == set()


@settings(max_examples=30)
@given(text=hostile_texts)
@example(text="\t=1+1")
@example(text="\r=1+1")
@example(text="\uff1d1+1")  # which some spreadsheets take for the usual sign
def test_no_text_in_csv_is_a_formula(text):
    stream = io.StringIO(newline="")
    figures = {"rtt_p50_us": -3.5, "round_trips_per_s": -1.0}
    write_csv(
        document(None, [row(text, **{f"{text}s": 1, "experiment": text, "notes": (text, text)}, **figures)]),
        stream,
    )
    assert unseen(stream.getvalue(), allowed="\r\n") == set()
    (line,) = csv.DictReader(io.StringIO(stream.getvalue(), newline=""))
    texts = [line[name] for name in ("experiment", "platform", "notes")]
    assert not any(cell.startswith((*FORMULAS, "\uff1d")) for cell in texts)
    assert [line[f"figures.{name}.mean"] for name in figures] == ["-3.5", "-1.0"]
    assert not any(name.startswith((*FORMULAS, "\uff1d")) for name in line)
