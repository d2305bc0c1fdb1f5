"""What `messaging/scale-out` counts, computes and says."""

from types import SimpleNamespace

import pytest
from tests.unit.bench.synthetic import make_run, scale_plan

from formicary_bench.experiments.messaging.scale_out import AGENTS_CPU, SERVERS_CPU, WIRE
from formicary_bench.experiments.messaging.scale_out.measure import HostSampler
from formicary_bench.remote.host_agent.protocol import Looked
from formicary_bench.reports.document.report import charts, columns, said
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.execution.worker_hosts import WorkerSlot
from formicary_bench.runner.observers.observer import PlacedWorker
from formicary_bench.vocabulary.metrics import MEAN, RATE
from formicary_bench.vocabulary.names import SCALE_OUT
from formicary_bench.worker.messages import Mark, Server

SERVER = Server("127.0.0.1", 1, 2, "secret", "password", "lab", 1000, pid=7)


class WorkerHost:
    """A host with given counters at each look."""

    def __init__(self, name, looks):
        self.name = name
        self.looks = iter(looks)
        self.asked = []

    def look(self, pids=()):
        self.asked.append(pids)
        return next(self.looks)


def looked(at_s, cpu, **about):
    return Looked(int(at_s * 1e9), cpu_s=cpu, uss_bytes=dict.fromkeys(cpu, 1000), **about)


def mark(*, begins):
    return Mark(begins=begins, done=0, at_ns=0, wire=(0, 0))


def placed(slot):
    return PlacedWorker(slot, SimpleNamespace(pid=5))


def looks_at(*slots):
    looks = HostSampler()
    looks.begin({slot.label: placed(slot) for slot in slots})
    for begins in (True, False):
        looks.mark(mark(begins=begins))
    return looks.counters()


def test_each_host_is_looked_at_by_its_own_clock():
    a = WorkerHost(
        "a",
        [looked(1, {5: 1.0, 7: 2.0}, busy_s=1, idle_s=1), looked(3, {5: 2.0, 7: 2.5}, busy_s=2, idle_s=4)],
    )
    b = WorkerHost(
        "b", [looked(100, {5: 0.0}), looked(101, {5: 0.25}, wire_bytes=500, busy_s=1.0, idle_s=1.0)]
    )
    counters = looks_at(WorkerSlot("member", a, server=SERVER), WorkerSlot("member", b))
    assert a.asked == [(5, 7)] * 2
    assert b.asked == [(5,)] * 2
    assert counters == {
        "agents@a cores": 0.5, "agents@a bytes": 1000.0, "server@a cores": 0.25, "server@a bytes": 1000.0,
        "host@a seconds": 2.0, "host@a busy": 0.25, "host@a wire bytes/s": 0.0,
        "agents@b cores": 0.25, "agents@b bytes": 1000.0,
        "host@b seconds": 1.0, "host@b busy": 0.5, "host@b wire bytes/s": 500.0,
    }  # fmt: skip


def test_a_process_that_is_gone_has_no_figures():
    a = WorkerHost("a", [looked(1, {5: 1.0}, busy_s=1), looked(2, {}, busy_s=2)])
    assert set(looks_at(WorkerSlot("member", a))) == {"host@a seconds", "host@a busy", "host@a wire bytes/s"}


def test_without_both_looks_nothing_is_counted():
    looks = HostSampler()
    looks.begin({"member@a": placed(WorkerSlot("member", WorkerHost("a", [looked(1, {5: 1.0})])))})
    looks.mark(mark(begins=True))
    assert looks.counters() == {}


@pytest.fixture
def run(tmp_path):
    return make_run(tmp_path / "run", scale_plan(), repetitions=3)


def test_a_message_costs_what_was_counted_however_many_hosts_there_are(run):
    rows = summarise(run)
    assert {(row.hosts, row.traffic, row.route) for row in rows} == {(1, "", "in-process")} | {
        (hosts, traffic, route)
        for hosts in (2, 3, 4)
        for traffic in ("ring", "all-to-all")
        for route in ("direct", "xmpp")
    }
    for row in rows:
        assert row.mean(AGENTS_CPU) == pytest.approx(10.0)
        assert row.mean(SERVERS_CPU) == (pytest.approx(20.0) if row.route == "xmpp" else None)
        assert row.mean(WIRE) == pytest.approx(400.0)
        rates = [one.values[RATE.name] for one in row.each]
        assert len(rates) == 3
        assert sum(rates) / 3 == pytest.approx(row.mean(RATE))


def test_reports_have_a_table_charts_and_sentences(run):
    rows = summarise(run)
    by_hosts = {row.hosts: row for row in rows if (row.route, row.traffic) == ("direct", "ring")}
    # The synthetic hosts do not disturb each other, but for the time that every further pair adds.
    assert by_hosts[4].mean(MEAN) > by_hosts[2].mean(MEAN)
    cells = {column.title: column.cells for column in columns(SCALE_OUT, rows, rows)}
    assert cells["hosts"].count("4") == 4
    first, *_ = said(SCALE_OUT, rows)
    assert ", agents, 12 pairs on each: " in first
    drawn = charts(SCALE_OUT, rows, [])
    assert [chart.title for chart in drawn[:3]] == [
        "Round trips per second against hosts",
        "Round-trip time against hosts",
        "CPU time of agents and servers for each message, against hosts",
    ]
    assert {point.x for points in drawn[0].plot.lines.values() for point in points} == {1, 2, 3, 4}
    assert all("share its processors" in chart.caption for chart in drawn[:3])


def test_one_number_of_hosts_makes_no_line(tmp_path):
    rows = summarise(make_run(tmp_path / "run", scale_plan(hosts=(3,)), repetitions=1))
    assert not any("against hosts" in chart.title for chart in charts(SCALE_OUT, rows, []))
    assert len(columns(SCALE_OUT, rows, rows)[0].cells) == 4
