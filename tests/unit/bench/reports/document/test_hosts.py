"""What is said of hosts, and of repetitions that were disturbed."""

import msgspec
import pytest
from tests.unit.bench.results.summary.test_cpu import profile, repetition
from tests.unit.bench.synthetic import add_repetition, document, make_run, row

from formicary_bench.experiments.network.pipeline import between_hosts
from formicary_bench.reports.document.hosts import voided
from formicary_bench.reports.document.points import point
from formicary_bench.reports.document.report import columns, extras, said, to_know
from formicary_bench.reports.formats.html import render
from formicary_bench.reports.formats.terminal import console_for_reports, show
from formicary_bench.results.store.raw import RoundTrips, read_raw
from formicary_bench.results.summary.cpu import cpu_estimates
from formicary_bench.results.summary.hosts import host_estimates
from formicary_bench.results.summary.row import frame
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.planning.options import Options
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.vocabulary.metrics import MEAN

LOADED = "host b was used by other processes (35% of its CPU)"
COUNTED = {
    "host@a seconds": 10.0, "host@a busy": 0.5, "host@a wire bytes": 1e7, "host@a wire packets": 1e5,
    "host@a loopback bytes": 0.0, "ask@a cores": 0.9, "ask@a bytes": 3e7,
    "host@b seconds": 10.0, "host@b busy": 0.25, "host@b wire bytes": 1e7, "host@b wire packets": 1e5,
    "host@b loopback bytes": 5e6, "echo@b cores": 0.8, "echo@b bytes": 2e7, "server@b cores": 0.1,
    "server@b bytes": 1e7,
}  # fmt: skip


def plan():
    options = Options(
        "messaging/pairs",
        sizes={"pairs": (1, 10), "rounds": (5, 20, 5)},
        subjects=("formicary-behaviours",),
        placements=("two-containers",),
        routes=("xmpp",),
        tls=(False,),
    )
    return make_plan(options)


def run_of(path, invalid, counters=None):
    """Write a run of two configurations; `invalid` says of each repetition of the first what disturbed it."""
    made = make_run(path, plan(), repetitions=0)
    for place, configuration in enumerate(made.manifest.configurations):
        for number, reasons in enumerate(invalid, 1):
            other = make_run(path / f"{place}{number}", [configuration], repetitions=0)
            kept = add_repetition(other, configuration, number, number)
            data = read_raw(other.path / "raw" / kept.raw, RoundTrips)
            about = {"invalid": () if place else reasons, "counters": counters or {}}
            made.add(msgspec.structs.replace(kept, raw="", **about), data)
    return made


def test_what_was_disturbed_is_left_out_and_said(tmp_path):
    few, _ = summarise(run_of(tmp_path / "run", [(), (LOADED,), ()]))
    assert (few.repetitions, few.invalid) == (2, ())
    assert few.notes == (f"1 of 3 repetitions were not valid and are ignored: {LOADED}",)


def test_what_was_always_disturbed_is_no_number(tmp_path, capsys):
    run = run_of(tmp_path / "run", [(LOADED,), (LOADED,)])
    rows = summarise(run)
    assert [row.invalid for row in rows] == [(LOADED,), ()]
    assert rows[0].mean(MEAN) is not None  # JSON has both
    shown = [voided(row) for row in rows]
    table = {column.title: column.cells for column in columns("messaging/pairs", shown, shown)}
    assert table["mean"][0] == "not valid"
    assert table["mean"][1] != "not valid"
    assert to_know(shown)[0] == f"Agents, xmpp, 1 pair: not valid: {LOADED}"
    assert all("one pair" not in sentence for sentence in said("messaging/pairs", shown, shown))
    show(document(run, rows), console_for_reports())
    assert f"not valid: {LOADED}" in " ".join(capsys.readouterr().out.split())
    page = render(run)
    assert f"not valid: {LOADED}" in page
    assert "not valid</td>" in page.replace("\n", "")


@pytest.mark.parametrize("experiment", ["network", "messaging/cpu", "directory/search", "create", "memory"])
def test_reports_of_all_families_do_without_the_figures(experiment):
    subject = {"directory/search": "formicary-replica"}.get(experiment, "formicary-micro")
    rows = [
        voided(msgspec.structs.replace(frame(one, [repetition(one)]), invalid=(LOADED,)))
        for one in make_plan(Options(experiment, subjects=(subject,)))
        if one.experiment == experiment and not one.reference
    ]
    assert columns(experiment, rows, rows)
    said(experiment, rows, rows)
    extras(experiment, rows, rows)
    assert all("not valid" in remark for remark in to_know(rows))


def test_each_host_and_its_processes_have_figures():
    known = [repetition(plan()[0], number, **COUNTED) for number in (1, 2)]
    first, second = host_estimates(known)
    assert (first.name, first.busy.mean, first.wire_bytes_per_s.mean) == ("a", 0.5, 1e6)
    assert second.loopback_bytes_per_s.mean == 5e5
    assert [(one.name, one.cores.mean, one.bytes.mean) for one in second.processes] == [
        ("echo", 0.8, 2e7),
        ("server", 0.1, 1e7),
    ]
    assert host_estimates([repetition(plan()[0])]) == ()


def test_counters_that_make_no_sense_are_no_hosts():
    broken = {**COUNTED, "host@a seconds": 0.0}
    assert [one.name for one in host_estimates([repetition(plan()[0], **broken)])] == ["b"]


def test_hosts_are_a_table(tmp_path):
    run = run_of(tmp_path / "run", [(), ()], COUNTED)
    rows = summarise(run)
    table = {column.title: column.cells for column in extras("messaging/pairs", rows, rows)[-1].columns}
    assert table["host"] == ("a", "b", "b")
    assert table["process"] == ("asking", "echoing", "the server")
    assert table["memory"] == ("30.0 MB", "20.0 MB", "10.0 MB")
    assert "What each host did" in render(run)


def test_what_one_host_sends_and_another_receives_is_counted_once():
    known = msgspec.structs.replace(
        repetition(plan()[0], **COUNTED), round_trips_in_window=3000, window_s=1.5
    )
    counted = between_hosts(known, {"seconds": 10.0})
    assert counted == {"round_trips": 20_000, "wire_bytes": 1e7, "wire_packets": 1e5}
    assert between_hosts(known, {}) == {}


def test_servers_are_told_apart_by_their_hosts():
    (configuration, *_) = plan()
    found = cpu_estimates(
        [repetition(configuration)], [{"ask@a": profile(), "echo@b": profile(server_s=0.5)}]
    )
    assert {one.process for one in found.groups if one.us.mean} == {"ask@a", "echo@b", "server@b"}


def test_a_point_has_hosts_where_the_place_does_not_say_how_many():
    here, there = row(), row(placement="two-hosts", hosts=2)
    two, three = (row(placement="n-hosts", hosts=many) for many in (2, 3))
    assert [point(one, [here, there]) for one in (here, there)] == ["1 pair", "1 pair"]
    assert [point(one, [there, two, three]) for one in (there, two, three)] == [
        "1 pair",
        "2 hosts",
        "3 hosts",
    ]
