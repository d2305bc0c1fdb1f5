"""Sentences, JSON lines and the terminal, on hand-made rows."""

import io
import json
import re

import pytest
from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console
from tests.unit.bench.synthetic import (
    ALONE,
    BASELINE,
    CROWD,
    CROWDED_BASELINE,
    EVIL,
    ROWS,
    add_repetition,
    document,
    make_run,
    plan,
    repeated,
    row,
)

from formicary_bench.reports.charts.lines import Dots
from formicary_bench.reports.charts.series import by_series
from formicary_bench.reports.document.points import named, point
from formicary_bench.reports.document.report import charts, columns, tiles
from formicary_bench.reports.document.report import said as sentences
from formicary_bench.reports.document.sentences import remarks
from formicary_bench.reports.formats import json_lines
from formicary_bench.reports.formats.terminal import show
from formicary_bench.results.summary.summary import summarise


def test_a_sentence_holds_the_figures_and_the_baseline():
    (said,) = sentences("messaging/pairs", ROWS)
    assert said == (
        "In one process: 1.90 µs median round trip with one pair, 1.16× faster than asyncio tasks "
        "(1.15–1.16); 571 k round trips/s with 100 pairs, 1.15× slower than asyncio tasks (1.14–1.15)."
    )


def test_a_sentence_without_a_baseline_claims_nothing_about_it():
    (said,) = sentences("messaging/pairs", [ALONE, CROWD])
    assert "tasks" not in said


def test_other_platforms_are_named():
    spade = row("spade", "", placement="two-containers", route="xmpp", rtt_p50_us=499.0)
    (said,) = sentences("messaging/pairs", [spade])
    assert said == (
        "Between two processes through XMPP between SPADE agents: 499 µs median round trip with one pair."
    )


def test_ours_are_held_against_other_platforms_too():
    spade = repeated(row("spade", "", 100, rtt_p50_us=3500.0, round_trips_per_s=28_000.0))
    (ours,) = sentences("messaging/pairs", [*ROWS, spade])
    assert ours.endswith("asyncio tasks (1.14–1.15), 20× faster than SPADE (20–20).")
    rivals = [
        repeated(row(name, "", 100, rtt_p50_us=170.0 * by, round_trips_per_s=571_000.0 / by))
        for name, by in (("jade", 4), ("jason", 0.5), ("mango", 8))
    ]
    (ours,) = sentences("messaging/pairs", [*ROWS, spade, *rivals])
    assert "of 4 others from 2.0× slower than Jason (" in ours
    assert ") to 20× faster than SPADE (20–20)." in ours
    assert "mango" not in ours


def test_one_size_is_said_once():
    (said,) = sentences("messaging/pairs", [ALONE])
    assert said.endswith("with one pair; 500 k round trips/s.")


def test_a_doubtful_figure_is_held_against_nothing_and_looks_otherwise():
    doubtful = repeated(row(pairs=100, full_load=False, rtt_p50_us=170.0, round_trips_per_s=571_000.0))
    (said,) = sentences("messaging/pairs", [ALONE, doubtful, CROWDED_BASELINE])
    assert said.endswith("571 k round trips/s with 100 pairs.")
    drawn = charts("messaging/pairs", [ALONE, doubtful, CROWDED_BASELINE], [])
    dots = [dot for chart in drawn if isinstance(chart.plot, Dots) for dot in chart.plot.all]
    assert [(dot.sound, dot.note) for dot in dots] == [(False, ""), (True, "")]


def test_tiles_show_the_extremes():
    assert [(tile.value, tile.beside) for tile in tiles(ROWS)] == [
        ("1.90 µs", "1.16× faster than asyncio tasks (1.15–1.16)"),
        ("571 k/s", "1.15× slower than asyncio tasks (1.14–1.15)"),
    ]


def test_what_was_not_measured_is_not_claimed():
    nothing = [row(), row(pairs=10)]
    assert sentences("messaging/pairs", nothing) == []
    assert tiles(nothing) == []


def test_remarks_tell_of_load_losses_and_notes():
    bad = row(pairs=200, full_load=False, lost=3, notes=("the server was restarted",))
    first, *others = remarks([ALONE, bad])
    assert first.startswith("Full load did not hold for Agents (200 at once):")
    assert others == [
        "Unanswered messages: Agents (3).",
        "Agents, 200 pairs: the server was restarted",
    ]


def test_series_keep_their_look_and_baselines_come_last():
    series = list(by_series([BASELINE, row("jade", ""), ALONE]))
    assert [(one.label, one.colour) for one in series] == [
        ("Agents", "a"),
        ("JADE", "c"),
        ("asyncio tasks", "t"),
    ]


WITH_TLS = {"placement": "two-containers", "route": "direct", "tls": True, "round_trips_per_s": 80.0}


def test_routes_and_tls_have_names_of_their_own():
    apart = {"placement": "two-containers", "rtt_p50_us": 1.0}
    rows = [row(**apart, route=route, tls=tls) for route in ("xmpp", "direct") for tls in (False, True)]
    rows += [row("tcp", "", **apart, route="tcp", tls=tls) for tls in (False, True)]
    series = list(by_series(rows))
    assert [one.label for one in series] == [
        "Agents, direct", "Agents, direct with TLS", "Agents, xmpp", "Agents, xmpp with TLS",
        "TCP sockets", "TCP sockets with TLS",
    ]  # fmt: skip
    assert len({(one.colour, one.mark, one.dash) for one in series}) == len(series)
    assert [said.split(":")[0] for said in sentences("messaging/pairs", rows)] == [
        "Between two processes over a direct link", "Between two processes over a direct link with TLS",
        "Between two processes through XMPP", "Between two processes through XMPP with TLS",
    ]  # fmt: skip


def test_links_are_held_against_what_they_add_to(quick_run):
    baseline = repeated(
        row("tcp", "", **{**WITH_TLS, "route": "tcp", "round_trips_per_s": 20.0}, rtt_p50_us=4.0)
    )
    ours = repeated(row(**WITH_TLS, rtt_p50_us=1.0))
    text = shown(quick_run, [ours, baseline], width=200)
    assert "4.0× faster than TCP sockets with TLS" in " ".join(text.split())
    assert "Beside the same with fewer features" not in text
    plain = repeated(row(**{**WITH_TLS, "tls": False, "round_trips_per_s": 160.0}, rtt_p50_us=1.0))
    text = shown(quick_run, [ours, plain], width=200)
    assert re.search(r"Agents, direct with TLS +1 +Agents, direct +2\.0× slower", text)


def test_one_line_for_each_row():
    stream = io.StringIO()
    json_lines.write(document(None, ROWS), stream)
    read = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [(line["platform"], line["parameters"]["pairs"]) for line in read] == [
        ("formicary", 1), ("tasks", 1), ("formicary", 100), ("tasks", 100)
    ]  # fmt: skip
    assert read[0]["figures"]["rtt_mean_us"] == {"mean": 2.0, "ci95": [1.9, 2.1]}
    assert read[2]["figures"]["rtt_mean_us"]["ci95"] is None


def shown(run, rows, *, width=120, **options):
    stream = io.StringIO()
    show(document(run, rows), Console(file=stream, width=width, **options))
    return stream.getvalue()


def test_the_terminal_shows_figures_and_what_they_stand_on(quick_run):
    text = shown(quick_run, ROWS)
    assert "Pairs of agents, all talking at once (messaging/pairs)" in text
    assert re.search(
        r"Agents +1 +2\.00 µs +±5\.0% +1\.90 µs +500 k +asyncio tasks +1\.16× faster \(1\.1", text
    )
    assert "1.15× slower than asyncio tasks" in " ".join(text.split())
    assert "partial" not in text
    assert "not held" not in text


def test_the_terminal_admits_what_is_wrong(tmp_path):
    configurations = plan(pairs=(1, 3))[:2]
    run = make_run(tmp_path / "run", configurations, repetitions=0, complete=False)
    add_repetition(run, configurations[1], 1, seed=1)
    text = shown(run, [ALONE, row(pairs=200, full_load=False)])
    assert "This run is partial" in text
    assert "1 of 2 configurations" in text
    run.manifest = replace(run.manifest, repeats=(3, 3))
    assert "by 1 of 6 measurements" in " ".join(shown(run, [ALONE]).split())
    assert "not held" in text
    assert "Full load did not hold for Agents (200 at once)" in text


def test_the_terminal_says_what_was_left_out(tmp_path):
    run = make_run(tmp_path / "run", plan(pairs=(1,)), repetitions=0, left_out="left out is the rest")
    assert "\n! left out is the rest\n" in shown(run, ROWS)


def test_colours_only_where_they_are_wanted(quick_run, monkeypatch):
    coloured = shown(quick_run, ROWS, force_terminal=True, color_system="standard")
    assert "\x1b[1m" in coloured
    assert "\x1b" not in shown(quick_run, ROWS)
    uneven = [row(full_load=False)]
    assert "\x1b[33m" in shown(quick_run, uneven, force_terminal=True, color_system="standard")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[33m" not in shown(quick_run, uneven, force_terminal=True, color_system="standard")


def test_figures_are_whole_in_a_narrow_terminal(quick_run):
    text = shown(quick_run, summarise(quick_run), width=100)
    assert "…" not in text


def test_names_cannot_steer_the_terminal(quick_run):
    text = shown(quick_run, [row(EVIL, "", experiment=EVIL, notes=(EVIL,), rtt_p50_us=1.0)])
    assert "\x1b" not in text
    assert "[bold]" in text


def test_remarks_name_the_line_that_they_are_of():
    about = {"experiment": "messaging/open-loop", "notes": ("1 of 2 was not valid",)}
    lines = [row(pairs=10, rate=rate, **about) for rate in (500, 1000)]
    assert remarks(lines) == ["Agents, 500 messages/s; Agents, 1 000 messages/s: 1 of 2 was not valid"]
    assert named(lines[0], lines[:1]) == "Agents"
    places = [row(placement="same-container"), row(placement="two-hosts", route="direct", hosts=2)]
    assert named(places[1], places) == "Agents, direct, two hosts"
    assert point(places[0], places) == "1 pair"


@pytest.mark.parametrize("wide", [60, 80, 132])
def test_a_narrow_terminal_has_every_name_and_figure(quick_run, wide):
    """Rich leaves out columns, and ends of figures, where a table is too wide."""
    console = Console(width=wide, file=io.StringIO())
    rows = summarise(quick_run)
    show(document(quick_run, rows), console)
    text = console.file.getvalue()
    assert "…" not in text
    assert all(cell_len(line) <= wide for line in text.splitlines())
    words = set(text.split())
    for experiment in ("messaging/pairs", "create"):
        members = [one for one in rows if one.experiment == experiment]
        table = columns(experiment, members, rows)
        wanted = {word for one in table if not one.minor for cell in one.cells for word in cell.split()}
        assert wanted <= words
    assert ("(continued)" in text) is (wide < 132)
