"""The badge: how far a run can be trusted, by one function, and in every format."""

import csv
import io
import json
import re

import pytest
from msgspec.structs import replace
from rich.console import Console
from tests.unit.bench.synthetic import MACHINE, STARTED, add_repetition, make_run, plan, row

from formicary_bench.reports.document.sections import Document
from formicary_bench.reports.formats import csv as csv_format
from formicary_bench.reports.formats import html, json_lines, latex, markdown, terminal
from formicary_bench.results.store.model import Manifest, Repetition
from formicary_bench.results.verdicts.trust import MAGNITUDE, trust_of
from formicary_bench.results.verdicts.verdicts import believed
from formicary_bench.vocabulary.metrics import MEAN, RATE


def run_of(others=0.0, stolen=0.0, **about):
    one = Repetition(
        configuration="c",
        number=1,
        seed=1,
        started=STARTED,
        ended=STARTED,
        others_cores=others,
        stolen=stolen,
    )
    known = {"complete": True, "repetitions": (one,)}
    return Manifest(formicary="1", started=STARTED, machine=MACHINE, **{**known, **about})


def rows_of(*values, figure=RATE, **about):
    known = {"stability": believed({figure.name: values}), "repetitions": len(values)}
    return [row(**{**known, **about})]


@pytest.mark.parametrize(
    ("values", "level"),
    [
        ((100, 100.01, 99.99, 100), "Within 1%"),
        ((100, 101, 99, 100), "Within 2%"),
        ((100, 110, 90, 105), "Within 20%"),
        ((100, 200, 50), MAGNITUDE),
        ((100, 100), MAGNITUDE),
        ((100,), MAGNITUDE),
    ],
)
def test_scatter_alone_says_within_what(values, level):
    assert trust_of(run_of(), rows_of(*values)).level == level


def test_what_others_took_counts_though_the_repetitions_agree():
    values = 100, 100.01, 99.99, 100
    assert trust_of(run_of(others=0.4), rows_of(*values)).level == "Within 20%"  # a tenth of four cores
    busy = trust_of(run_of(others=3.0), rows_of(*values))
    assert busy.level == MAGNITUDE
    assert "other processes used 3.0 of 4 cores" in busy.reasons
    assert busy.advice[0] == "close other programs"
    stolen = trust_of(run_of(stolen=0.04), rows_of(*values))
    assert stolen.level == "Within 5%"
    assert "4% of CPU time stolen" in stolen.reasons


def test_over_hosts_it_goes_by_the_one_of_which_others_took_most():
    counted = {"host@a others": 0.01, "host@b others": 0.15, "host@a stolen": 0.0, "host@b stolen": 0.03}
    known = run_of(others=None, stolen=None, load_before=(7.2, 1.0, 1.0))
    one = replace(known.repetitions[0], counters=counted)
    found = trust_of(replace(known, repetitions=(one, one)), rows_of(100, 100.01, 99.99, 100))
    assert found.level == "Within 50%"
    assert "other processes used 15% of a host" in found.reasons
    assert "3% of CPU time stolen" in found.reasons


def test_a_run_of_old_goes_by_the_load_before_it():
    old = run_of(others=None, stolen=None, load_before=(7.2, 1.0, 1.0))
    found = trust_of(old, rows_of(100, 100.01, 99.99, 100))
    assert found.level == MAGNITUDE
    assert "load before: 4.0 of 4 cores" in found.reasons


def test_nothing_but_means_of_round_trips_is_no_scatter_of_its_own():
    assert trust_of(run_of(), rows_of(100, 100.01, 99.99, figure=MEAN)).level == MAGNITUDE


def test_full_load_that_was_not_held_is_named_and_its_figures_do_not_count():
    rows = [*rows_of(100, 100, 100.1), *rows_of(1, 50, 3, full_load=False)]
    found = trust_of(run_of(), rows)
    assert found.level == "Within 1%"
    assert "full load not held in 1 of 2" in found.reasons
    assert "lengthen the cool-down (T3 in --rounds)" in found.advice
    assert not found.is_good
    assert trust_of(run_of(), rows[1:]).level == MAGNITUDE


@pytest.mark.parametrize(("values", "advice"), [((100,), 5), ((100, 140, 60, 90, 120), 20)])
def test_advice_is_a_number_that_somebody_would_run(values, advice):
    found = trust_of(run_of(), rows_of(*values))
    assert f"use --repeat {advice}" in found.advice
    assert found.repeat == advice


def test_hopeless_scatter_is_not_answered_by_thousands_of_repetitions():
    found = trust_of(run_of(), rows_of(*(1.0, 100.0) * 10))
    assert found.advice == ("use longer --rounds",)
    (told,) = believed({RATE.name: (1.0, 100.0, 1000.0)})
    assert "would make it" not in told.assessment.sentence
    assert "quieter machine" in told.assessment.sentence


def test_a_good_run_needs_no_advice():
    found = trust_of(run_of(), rows_of(100, 100, 100.1))
    assert found.is_good
    assert found.sentence == "Within 1%: 9 of 10 results within ±1%."


@pytest.fixture
def run(tmp_path):
    configurations = plan(pairs=(1,))[:1]
    made = make_run(tmp_path / "run", configurations, repetitions=0)
    for number in (1, 2, 3):
        add_repetition(made, configurations[0], number, seed=number, others_cores=3.0, stolen=0.0)
    return made


def text_of(run, module):
    stream = io.StringIO(newline="")
    if module is terminal:
        terminal.show(Document(run), Console(file=stream, width=132))
    else:
        module.write(Document(run), stream)
    return stream.getvalue()


@pytest.mark.parametrize("module", [html, terminal, markdown, latex])
def test_every_format_for_people_begins_with_it(run, module):
    text = text_of(run, module)
    if module is html:
        text = text.partition("<body>")[2]
    assert MAGNITUDE in text
    before, _, after = text.partition(MAGNITUDE)
    assert "other processes used 3.0 of 4 cores" in " ".join(after.split())
    assert not re.search(r"\d (µs|\$\\mu\$s|k/s)", before)  # no figure stands above it


def test_formats_for_programs_have_it_in_each_line(run):
    first = json.loads(text_of(run, json_lines).splitlines()[0])
    assert first["trust"]["level"] == MAGNITUDE
    (line,) = csv.DictReader(io.StringIO(text_of(run, csv_format), newline=""))
    assert line["trust.level"] == MAGNITUDE
    assert "other processes used 3.0 of 4 cores" in line["trust.reasons"]


def test_nothing_measured_is_nothing_to_trust():
    assert trust_of(run_of(repetitions=()), []).sentence == "Nothing to trust yet."
