"""The open loop: nothing is skipped, times count from when a message was due, and what is wrong is said."""

import asyncio
import os
from array import array

import pytest
from tests.unit.bench.synthetic import repeated, row

from formicary.errors import UsageError
from formicary_bench.experiments.messaging.open_loop import Paced
from formicary_bench.experiments.messaging.open_loop.pipeline import open_loop_remarks
from formicary_bench.reports.document.hosts import voided
from formicary_bench.reports.document.report import charts, columns, said
from formicary_bench.results.summary.baselines import with_less
from formicary_bench.results.summary.commands import command
from formicary_bench.runner.execution.worker_hosts import round_trips
from formicary_bench.runner.observers.validity import why_late
from formicary_bench.runner.planning.options import Options, parse
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.subjects.ours import open_loop
from formicary_bench.subjects.ours.open_loop import Pacer
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.names import OPEN_LOOP
from formicary_bench.vocabulary.places import APART, SAME
from formicary_bench.vocabulary.values import CONSTANT, LATE, LATEST_US, LOST, POISSON, schedule
from formicary_bench.worker.messages import Done, Job
from formicary_bench.worker.workload import Workload

MS = 1_000_000

ONE = Configuration(
    experiment=OPEN_LOOP,
    platform="tasks",
    parameters={"pairs": 2, "payload_bytes": 20, "rate": 1000, "arrivals": CONSTANT, "rounds": (5, 30, 5)},
)


class Clock:
    """Advances by five microseconds at every look, and by the time that it is stalled."""

    def __init__(self):
        self.now = 10**9

    def __call__(self):
        self.now += 5000
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(open_loop, "perf_counter_ns", clock)
    monkeypatch.setattr(open_loop, "_HEAD_START_NS", 0)
    monkeypatch.setattr(open_loop, "GRACE_SECONDS", 0.01)
    return clock


def paced(send, configuration=ONE, seed=3):
    """Send everything by `send(pacer, number of the message, sender, body)`; return the results."""
    work = Workload(Job(configuration, "both", seed))
    pacer = Pacer(work)
    numbers = iter(range(configuration.exchange.pairs * work.trips))
    asyncio.run(pacer.run(lambda sender, body: send(pacer, next(numbers), sender, body)))
    return work


def echo(pacer, _, sender, body):
    pacer.answered(sender, body)


def test_every_message_is_sent_by_its_sender_when_it_is_due(clock):
    sent = []

    def send(pacer, _, sender, body):
        sent.append((clock.now, sender, body))
        pacer.answered(sender, body)

    work = paced(send)
    assert [(sender, int(body[:8])) for _, sender, body in sent] == [divmod(n, 2)[::-1] for n in range(80)]
    assert {body[8:] for _, _, body in sent} == {"x" * 12}
    due = [at - sent[0][0] for at, _, _ in sent]
    assert all(abs(at - n * MS) < 50_000 for n, at in enumerate(due))
    assert work.counters == {}
    assert [len(times.rtts) for times in work.times] == [40, 40]
    assert all(0 < rtt < 50_000 for times in work.times for rtt in times.rtts)
    starts = [at - work.times[0].starts[0] for at in work.times[1].starts]
    assert starts == [MS * (2 * n + 1) for n in range(40)]


def test_a_system_that_stalls_cannot_hide_it(clock):
    def send(pacer, number, sender, body):
        if number == 20:
            clock.now += 25 * MS
        pacer.answered(sender, body)

    work = paced(send)
    times = [work.times[n % 2].rtts[n // 2] for n in range(80)]
    # A closed loop would have one slow message; here all that were due meanwhile are as slow as they were.
    stalled = [rtt / MS for rtt in times[20:47]]
    assert stalled == pytest.approx([*range(25, -1, -1), 0], abs=0.9)
    assert work.counters[LATE] == sum(rtt > MS for rtt in times[21:])
    assert 23_000 < work.counters[LATEST_US] < 25_000
    assert all(LOST not in times.rtts for times in work.times)


def test_what_is_late_before_or_after_it_is_measured_does_not_count(clock):
    def send(pacer, number, sender, body):
        clock.now += 8 * MS * (number == 1)
        pacer.answered(sender, body)

    assert LATE not in paced(send).counters


def test_a_sender_that_waits_lets_others_go_on(clock):
    turns = []

    async def waiting(sender, body):
        await asyncio.sleep(0)
        turns.append(sender)

    def send(pacer, _, sender, body):
        pacer.answered(sender, body)
        return waiting(sender, body)

    paced(send)
    assert turns == [0, 1] * 40


def test_what_is_never_answered_is_known_and_the_rest_keeps_its_place(clock):
    def send(pacer, number, sender, body):
        if number not in {4, 30}:
            pacer.answered(sender, body)

    work = paced(send)
    assert [n for n in range(40) if work.times[0].rtts[n] == LOST] == [2, 15]
    assert LOST not in work.times[1].rtts
    handover = os.memfd_create("handover")
    try:
        with os.fdopen(os.dup(handover), "wb") as file:
            for times in work.times:
                times.starts.tofile(file)
                times.rtts.tofile(file)
        data, _ = round_trips(ONE, {0: Done(10**9, (40, 40))}, {0: handover})
    finally:
        os.close(handover)
    assert len(data.pair) == 78
    assert (data.rtt_ns >= 0).all()
    assert data.index[data.pair == 0].tolist() == [n for n in range(40) if n not in {2, 15}]


def test_an_answer_that_comes_twice_is_an_error(clock):
    def send(pacer, _, sender, body):
        pacer.answered(sender, body)
        pacer.answered(sender, body)

    with pytest.raises(RuntimeError, match="message 0 of sender 0 was answered twice"):
        paced(send)


def test_arrivals_in_bunches_are_those_of_the_schedule(clock):
    bunches = ONE.sized(arrivals=POISSON)
    work = paced(echo, bunches, seed=9)
    starts = sorted([*work.times[0].starts, *work.times[1].starts])
    wanted = schedule(POISSON, 1000, 80, 9)
    assert array("q", (at - starts[0] for at in starts)) == array("q", (at - wanted[0] for at in wanted))


def test_a_sender_that_cannot_keep_its_schedule_makes_the_repetition_worthless():
    assert why_late(ONE, {}) == why_late(ONE, {LATE: 3}) == []
    (why,) = why_late(ONE, {LATE: 4})
    assert why == "the sender could not keep its schedule (7% of its messages were late)"
    assert why_late(ONE.sized(rate=0), {LATE: 40}) == []


def test_rates_and_arrivals_are_measured_for_some_seconds_each():
    plan = make_plan(parse(OPEN_LOOP, rate="100,2000", arrivals="constant,poisson", platform="tcp"))
    assert {(c.placement, Paced.of(c).rate, Paced.of(c).arrivals) for c in plan} == {
        (APART, rate, arrivals) for rate in (100, 2000) for arrivals in (CONSTANT, POISSON)
    }
    for one in map(Paced.of, plan):
        assert one.pairs * one.measured / one.rate == pytest.approx(2, rel=0.1)
        assert min(one.rounds) > 0
    assert len({one.key for one in plan}) == len(plan)
    asked = make_plan(Options(OPEN_LOOP, sizes={"rounds": (1, 7, 1)}))
    assert {c.exchange.measured for c in asked} == {7}


def test_who_takes_part_in_an_open_loop():
    plan = make_plan(Options(OPEN_LOOP, sizes={"rate": (10,)}))
    assert {(c.platform, c.kind, c.placement) for c in plan} == {
        ("formicary", "behaviours", SAME), ("formicary", "micro", SAME), ("tasks", "", SAME),
        ("formicary", "behaviours", APART), ("formicary", "micro", APART), ("tcp", "", APART),
    }  # fmt: skip
    assert command(plan[0]).endswith(" --pairs 10 --payload 100 --rounds 1,2,1 --rate 10 --arrivals constant")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"rate": "0"}, "--rate takes whole numbers from 1 to 1000000, not '0'"),
        ({"arrivals": "burst"}, "no kind of arrivals 'burst'; choose one of: constant, poisson"),
        ({"payload": "7"}, "identifies messages by the first 8 bytes of their bodies; use --payload 8"),
        (
            {"rate": "1", "pairs": "100", "rounds": "1,98,1"},
            "100 pairs at 1 messages/s would take 2.8 hours",
        ),
        ({"platform": "callbacks"}, "callbacks cannot do messaging/open-loop"),
    ],
)
def test_what_cannot_be_measured_is_refused(given, sentence):
    with pytest.raises(UsageError, match=sentence):
        make_plan(parse(OPEN_LOOP, **given))


def test_closed_loops_have_no_rate():
    with pytest.raises(UsageError, match="messaging/pairs has no --rate"):
        parse("messaging/pairs", rate="100")


def at(rate, p99, **about):
    known = {
        "experiment": OPEN_LOOP,
        "rate": rate,
        "arrivals": CONSTANT,
        "rounds": (1, 5, 1),
        "full_load": None,
    }
    figures = {"rtt_p50_us": 10.0, "rtt_p99_us": p99, "round_trips_per_s": float(rate)}
    return repeated(row(pairs=10, **figures, **{**known, **about}), many=1)


SLOW = at(1000, 80.0, late_sends=0, unanswered=0)
FAST = at(5000, 120.0, late_sends=3, latest_send_us=1500.0, unanswered=2)
BROKEN = voided(at(9000, 9000.0, late_sends=900, invalid=("the sender could not keep its schedule",)))


def test_the_report_says_what_was_late_lost_and_not_valid():
    rows = [SLOW, FAST, BROKEN]
    cells = {column.title: column.cells for column in columns(OPEN_LOOP, rows, rows)}
    assert cells["messages/s"] == ("1 000", "5 000", "9 000")
    assert cells["answered/s"] == ("1000", "5000", "not valid")
    assert cells["sent late"] == ("0", "3", "—")
    assert cells["never answered"] == ("0", "2", "—")
    (sentence,) = said(OPEN_LOOP, rows, rows)
    assert "agents at 5 000 messages/s: half are answered within 10.0 µs" in sentence
    assert "99% within 120 µs" in sentence
    (remark,) = open_loop_remarks(rows)
    assert "Agents, 5 000 messages/s (3, the latest by 1.50 ms)" in remark
    assert open_loop_remarks([SLOW]) == []


def test_the_figure_has_a_line_for_each_kind_of_arrivals_and_nothing_that_is_not_valid():
    rows = [SLOW, FAST, BROKEN, at(1000, 200.0, arrivals=POISSON)]
    first, *_ = charts(OPEN_LOOP, rows, rows)
    assert first.title == "99th percentile against messages/s"
    lines = {
        series.label: [(point.x, point.y) for point in points] for series, points in first.plot.lines.items()
    }
    assert lines == {"Agents": [(1000, 80.0), (5000, 120.0)], "Agents, poisson": [(1000, 200.0)]}


def test_nobodys_rate_is_held_against_anothers_where_both_were_told_theirs():
    apart = {"placement": APART, "route": "direct"}
    rows = [at(1000, 80.0, **apart, tls=True), at(1000, 50.0, **apart)]
    assert with_less(rows[0], rows) == []
    rows = [repeated(one) for one in (at(1000, 80.0), at(1000, 40.0, platform="tasks", kind=""))]
    cells = {column.title: column.cells for column in columns(OPEN_LOOP, rows, rows)}
    assert cells["beside it"][0].startswith("2.0× slower (")
    assert [chart.title for chart in charts(OPEN_LOOP, rows, rows)] == ["99th percentile, 1 000 messages/s"]
