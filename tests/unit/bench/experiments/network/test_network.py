"""What is computed and said of the wire."""

import asyncio
import socket
from types import SimpleNamespace

import msgspec
import pytest
from tests.unit.bench.synthetic import add_repetition, configured, main_extras, make_run

from formicary import Message
from formicary.transport.link import outbox
from formicary_bench.experiments import network
from formicary_bench.experiments.network.pipeline import on_the_wire
from formicary_bench.reports.document.report import charts, columns, said
from formicary_bench.reports.formats.html import render
from formicary_bench.results.summary.summary import summarise
from formicary_bench.runner.observers.profiled import counters
from formicary_bench.runner.planning.options import Options
from formicary_bench.runner.planning.plan import make_plan
from formicary_bench.subjects.variants.links import CHANGED
from formicary_bench.worker import marks
from formicary_bench.worker.marks import Carried, carried, mark_window
from formicary_bench.worker.messages import Mark
from formicary_bench.worker.workload import Workload

# A second in which 1000 round trips of 100 bytes are made, each message in 150 bytes, 4 messages to a packet.
COUNTED = {"seconds": 1.0, "round_trips": 1000.0, "wire_bytes": 300_000.0, "wire_packets": 500.0}


@pytest.fixture
def run(tmp_path):
    return run_on_the_wire(tmp_path / "run")


def run_on_the_wire(path):
    options = Options(
        "network",
        sizes={"pairs": (1, 10), "rounds": (5, 20, 5)},
        subjects=("formicary-behaviours",),
    )
    plan = [c for c in make_plan(options) if not c.tls]
    run = make_run(path, plan, repetitions=0)
    for place, configuration in enumerate(plan):
        like = msgspec.structs.replace(configuration, route="xmpp")  # whose times are made up
        for number in (1, 2):
            scaled = {
                **COUNTED,
                "wire_bytes": COUNTED["wire_bytes"]
                * (1.9 + 0.1 * number - configuration.exchange.pairs / 10),
            }
            repetition = add_repetition(
                make_run(run.path / f"{place}{number}", [like], repetitions=0), like, number, 1
            )
            data = _data(run, place, number, repetition)
            run.add(
                msgspec.structs.replace(repetition, configuration=configuration.key, counters=scaled), data
            )
    return run


def _data(run, place, number, repetition):
    from formicary_bench.results.store.raw import RoundTrips, read_raw

    return read_raw(run.path / f"{place}{number}" / "raw" / repetition.raw, RoundTrips)


def configuration(route="direct", size=100):
    options = Options(
        "network",
        sizes={"pairs": (1,), "payload_bytes": (size,)},
        subjects=("formicary-micro",),
        routes=(route,),
    )
    return make_plan(options)[0]


def found(counted, **about):
    return on_the_wire(configuration(**about), SimpleNamespace(counters=counted), None)


def test_figures_are_of_both_messages_of_a_round_trip():
    assert found(COUNTED) == {
        network.THROUGHPUT: 8 * 300_000,
        network.BODIES: 8 * 200_000,
        network.OVERHEAD: 1.5,
        network.EACH_MESSAGE: 150,
        network.PACKETS: 500,
        network.PER_PACKET: 4,
        network.SHARE: 0,
        network.BEYOND: 50,
        network.TO_SERVER: None,
        network.FROM_SERVER: None,
    }


def test_the_servers_share_is_that_of_what_its_connections_carry():
    carried = dict(zip(Carried._fields, (250_000.0, 50_000.0, 60_000.0, 40_000.0), strict=True))
    some = found({**COUNTED, **carried}, route="auto")
    assert some[network.SHARE] == pytest.approx(0.75)
    assert (some[network.TO_SERVER], some[network.FROM_SERVER]) == (250, 50)
    # Where connections are not counted, the route says it.
    everything = found(COUNTED, route="xmpp")
    assert (everything[network.SHARE], everything[network.TO_SERVER]) == (1, None)


def test_connections_are_told_apart_by_their_peers():
    with socket.create_server(("127.0.0.1", 0)) as theirs, socket.create_server(("127.0.0.1", 0)) as others:
        server = SimpleNamespace(port=theirs.getsockname()[1], client_port=0)
        ends = [socket.create_connection(one.getsockname()) for one in (theirs, others)]
        accepted = [one.accept()[0] for one in (theirs, others)]
        try:
            before, before_any = carried(server), carried(None)
            ends[0].sendall(b"x" * 1000)
            accepted[0].recv(1000, socket.MSG_WAITALL)
            accepted[1].sendall(b"x" * 300)
            ends[1].recv(300, socket.MSG_WAITALL)
            # Who has been answered knows that what it sent has come.
            accepted[0].sendall(b"y")
            ends[0].recv(1)
            after, after_any = carried(server), carried(None)
        finally:
            for one in (*ends, *accepted):
                one.close()
    assert after.to_server - before.to_server == 1000
    assert after.from_server - before.from_server == 1
    assert after.from_others - before.from_others >= 300
    assert (after_any.to_server, before_any.to_server) == (0, 0)


def test_a_window_counts_what_connections_have_carried():
    first = Mark(True, 0, 0, (0, 0), (10, 20, 30, 40))
    last = Mark(False, 100, 10**9, (5000, 50), (110, 220, 330, 440))
    counted = counters([first, last])
    assert [counted[name] for name in Carried._fields] == [100, 200, 300, 400]


def test_routes_are_held_against_themselves_without_batches_and_with_tls(tmp_path):
    options = Options(
        "network",
        sizes={"pairs": (1, 50), "rounds": (5, 20, 5)},
        subjects=("formicary-behaviours", "formicary-unbatched"),
    )
    plan = make_plan(options)
    assert {(one.platform, one.route, one.tls) for one in plan} == {
        (platform, route, tls)
        for platform in ("formicary", "formicary-unbatched")
        for route in ("direct", "xmpp")
        for tls in (False, True)
    }
    run = make_run(tmp_path / "run", plan, repetitions=0)
    for place, one in enumerate(plan):
        like = msgspec.structs.replace(
            one, platform="formicary", kind="behaviours", route="xmpp", tls=False
        )  # whose times are made up
        repetition = add_repetition(make_run(run.path / f"{place}1", [like], repetitions=0), like, 1, 1)
        counted = {**COUNTED, "to_server": 500.0, "from_server": 500.0, "to_others": 0.0, "from_others": 0.0}
        kept = msgspec.structs.replace(repetition, configuration=one.key, counters=counted)
        run.add(kept, _data(run, place, 1, repetition))
    rows = summarise(run)
    table = {column.title: column.cells for column in columns("network", rows, rows)}
    assert len(table["who"]) == 16
    assert set(table["beyond the body"]) == {"50 B"}
    assert all(table["to the server"])
    drawn = charts("network", rows, rows)
    assert [chart.title.partition(": ")[0] for chart in drawn[:4]] == ["After Alberola 2010, Fig. 17"] * 4
    assert [chart.title.partition(": ")[2] for chart in drawn[:4]] == [
        "Throughput on the wire",
        "Overhead",
        "Batching",
        "What a message takes beyond its body",
    ]
    assert all("loopback" in chart.caption for chart in drawn[:4])


def test_without_batches_each_message_has_a_frame_of_its_own():
    sent = []
    carrier = SimpleNamespace(
        has_room=True, batch_limit=10**6, message_limit=10**6, at_turn_end=lambda _: None,
        send_batch=lambda data, letters: sent.append(len(letters)),
    )  # fmt: skip
    box = outbox.Outbox(carrier, "c2.lab", "c1.lab", **CHANGED["formicary-unbatched"])
    for number in range(5):
        box.accept(Message(to="echo@c2.lab", sender="ask@c1.lab", body=str(number)))
    assert sent == [1] * 5


def test_empty_bodies_have_no_overhead_and_the_server_has_all_that_goes_through_it():
    empty = found(COUNTED, route="xmpp", size=0)
    assert (empty[network.OVERHEAD], empty[network.SHARE]) == (None, 1)


@pytest.mark.parametrize("missing", [{}, {**COUNTED, "wire_packets": 0.0}, {"seconds": 1.0}])
def test_a_repetition_in_which_nothing_was_counted_is_left_out(missing):
    assert found(missing) == {}


def test_what_lies_between_two_marks_is_counted():
    begin, end = Mark(True, 100, 10**9, (1000, 10)), Mark(False, 300, 3 * 10**9, (5000, 30))
    assert counters([begin, end]) == {
        "seconds": 2.0, "round_trips": 200, "wire_bytes": 4000, "wire_packets": 20,
        **dict.fromkeys(Carried._fields, 0.0),
    }  # fmt: skip
    assert counters([begin]) == counters([]) == {}


def watch(steps, monkeypatch, warm_up=2, measured=3):
    """Return the marks while two pairs progress by `steps`, one step at each look."""
    times = [SimpleNamespace(rtts=[]) for _ in range(2)]
    configuration = configured(experiment="network", platform="formicary", rounds=(warm_up, measured, 0))
    work = Workload(SimpleNamespace(configuration=configuration, server=None), times)
    said, left = [], iter(steps)

    async def sleep(_):
        for pair, count in zip(times, next(left), strict=True):
            pair.rtts[:] = [1] * count

    monkeypatch.setattr(marks, "asyncio", SimpleNamespace(sleep=sleep))
    monkeypatch.setattr(marks, "wire_counters", lambda: (0, 0))
    asyncio.run(mark_window(work, said.append))
    return [(mark.begins, mark.done) for mark in said]


def test_the_window_is_that_in_which_all_pairs_are_measured(monkeypatch):
    steps = [(2, 1), (3, 2), (4, 3), (5, 4)]
    assert watch(steps, monkeypatch) == [(True, 5), (False, 9)]


def test_a_window_that_there_was_not_has_no_marks(monkeypatch):
    assert watch([(2, 1), (4, 1), (5, 2)], monkeypatch) == []


def test_bare_sockets_are_measured_beside_ours():
    plan = make_plan(Options("network", sizes={"pairs": (1,)}))
    assert {(c.platform, c.route, c.tls) for c in plan if c.platform == "tcp"} == {
        ("tcp", "tcp", False), ("tcp", "tcp", True),
    }  # fmt: skip
    assert {c.placement for c in plan} == {"two-containers"}


def test_reports_hold_the_wire_against_the_bodies(run):
    rows = summarise(run)
    assert all(row.mean(network.THROUGHPUT) > 0 for row in rows)
    table = {column.title: column.cells for column in columns("network", rows, rows)}
    assert set(table["messages per packet"]) == {"4.0"}
    sentences = said("network", rows, rows)
    assert all("4.0 of them in a packet" in one for one in sentences)
    extra = main_extras("network", rows, rows)[-1]
    assert ("Fast Ethernet capacity", "100000 kbit/s") in set(
        zip(extra.columns[1].cells, extra.columns[2].cells, strict=True)
    )
    page = render(run)
    assert "Batching" in page
    assert "Unix sockets" in page
