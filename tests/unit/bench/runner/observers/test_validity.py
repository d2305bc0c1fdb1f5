"""Whether measurements over hosts can be believed: from counters, without any host."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from formicary_bench.remote.host_agent import counters
from formicary_bench.remote.host_agent.protocol import Looked
from formicary_bench.runner.observers import hosts as observers
from formicary_bench.runner.observers.hosts import HostObserver
from formicary_bench.runner.observers.observer import NOBODY, PlacedWorker
from formicary_bench.runner.observers.validity import (
    SWAPPED,
    Controller,
    HostLooks,
    notes,
    taken,
    why_invalid,
)
from formicary_bench.worker.messages import Accounted, Mark

AWAY = Controller("desk", 0.5, 10.0)
BEGIN = Looked(at_ns=10**9, machine="boot-b", cores=4, cpu_s={7: 1.0}, busy_s=100.0, idle_s=300.0)


def host(name="b", seconds=10.0, busy_s=10.0, senders=(), cpu_s=None, **changed):
    """A host of four cores, on which processes of the run use so much, and all together `busy_s`."""
    cpu_s = {7: 9.0} if cpu_s is None else cpu_s
    first = replace(BEGIN, cpu_s=dict.fromkeys(cpu_s, 1.0), machine=changed.get("machine", "boot-b"))
    last = replace(
        first,
        at_ns=first.at_ns + int(seconds * 1e9),
        busy_s=100.0 + busy_s,
        idle_s=300.0 + 4 * seconds - busy_s,
        cpu_s={pid: 1.0 + used for pid, used in cpu_s.items()},
        **changed,
    )
    return HostLooks(name, first, last, senders)


def reasons(*hosts, controller=AWAY, is_closed=True):
    return why_invalid(hosts, controller, is_closed=is_closed)


def test_what_the_run_itself_uses_disturbs_nothing():
    assert reasons(host()) == []
    assert reasons(host(busy_s=30.0, cpu_s={7: 9.9, 8: 9.9, 9: 9.9})) == []


def test_others_load_a_host():
    # 24 of 40 seconds of CPU are used, 10 of them by the run.
    assert reasons(host(busy_s=24.0, cpu_s={7: 10.0})) == [
        "host b was used by other processes (35% of its CPU)"
    ]
    assert reasons(host(busy_s=15.9, cpu_s={7: 10.0})) == []
    loaded = host(busy_s=24.0, cpu_s={7: 10.0}, stolen_s=4.0)
    assert taken(loaded, [loaded], AWAY) == pytest.approx((14 / 44, 4 / 44))


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"swapped_bytes": SWAPPED + 1}, "host b swapped memory"),
        ({"throttled_s": 1.0}, "host b was throttled (10% of the time)"),
        ({"stolen_s": 4.0}, "host b lost 9% of its CPU to other virtual machines"),
    ],
)
def test_a_host_that_could_not_do_its_work(changed, reason):
    assert reasons(host(**changed)) == [reason]
    assert reasons(host(**{name: value / 100 for name, value in changed.items()})) == []


def test_a_controller_that_had_no_time_left():
    assert reasons(host(), controller=Controller("desk", 9.0, 10.0)) == [
        "the controller was saturated (90% of a core)"
    ]
    assert reasons(host(), controller=Controller("desk", 7.9, 10.0)) == []


def test_hosts_of_one_machine_are_no_load_to_each_other():
    # All see the counters of the machine: the run's own processes on it are 36 of 38 seconds.
    lab = [host(name, busy_s=38.0, cpu_s={pid: 9.0}) for name, pid in zip("abcd", range(4), strict=True)]
    assert reasons(*lab) == []
    # On machines of their own the same counters say that somebody else is there.
    apart = [
        host(name, busy_s=38.0, cpu_s={pid: 9.0}, machine=f"boot-{name}")
        for name, pid in zip("abcd", range(4), strict=True)
    ]
    assert len(reasons(*apart)) == 4


def test_processes_of_the_same_number_on_two_machines_are_two():
    hosts = [host(name, busy_s=20.0, cpu_s={7: 20.0}, machine=f"boot-{name}") for name in "ab"]
    assert reasons(*hosts) == []


def test_a_controller_on_the_same_machine_is_no_other():
    loaded = host(busy_s=17.0, cpu_s={7: 9.0})
    assert reasons(loaded, controller=Controller("boot-b", 7.0, 10.0)) == []
    assert len(reasons(loaded, controller=Controller("desk", 7.0, 10.0))) == 1


def test_a_process_that_ended_meanwhile_is_not_counted():
    gone = host(busy_s=5.0)
    gone.last.cpu_s.clear()
    assert gone.ours_s == {}
    assert reasons(gone) == []


def test_a_saturated_sender_is_a_part_of_a_closed_loop_and_spoils_any_other():
    full = host(senders=(7,), cpu_s={7: 9.9})
    assert reasons(full) == []
    assert notes([full]) == ["a sender's process on host b was saturated: this is part of the measurement"]
    assert reasons(full, is_closed=False) == ["a sender's process on host b was saturated"]
    assert notes([host(senders=(), cpu_s={7: 9.9})]) == notes([host(senders=(7,), cpu_s={7: 9.0})]) == []


def test_in_a_moment_nothing_can_be_told():
    assert reasons(host(seconds=0.4, busy_s=1.6), controller=Controller("desk", 0.4, 0.4)) == []


class WorkerHost:
    """A host whose counters are known."""

    def __init__(self, name, looks):
        self.name = name
        self.looks = iter(looks)
        self.asked = []

    def look(self, pids):
        self.asked.append(pids)
        return next(self.looks)


class Learning:
    """An observer that keeps what it learns."""

    marks = False

    def __init__(self):
        self.learned = []

    def begin(self, workers):
        self.learned.append(list(workers))

    def advance(self, done, at_ns):
        self.learned.append((done, at_ns))

    def mark(self, mark):
        self.learned.append(mark.begins)

    def heard(self, worker, report):
        self.learned.append((worker, report.step))


def slot(role, place, server=0):
    return SimpleNamespace(role=role, host=place, server=SimpleNamespace(pid=server) if server else None)


def watched(observer=NOBODY, machines=("boot-a", "boot-b")):
    """Watch a host with a sender and a server, and one with who answers, while there is a window."""
    first = host("a", cpu_s={7: 5.0, 9: 2.0}, machine=machines[0])
    second = host("b", cpu_s={8: 4.0}, machine=machines[1])
    places = [WorkerHost(one.name, (one.first, one.last)) for one in (first, second)]
    watch = HostObserver(observer)
    workers = {
        "ask@a": PlacedWorker(slot("ask", places[0], 9), SimpleNamespace(pid=7)),
        "echo@b": PlacedWorker(slot("echo", places[1]), SimpleNamespace(pid=8)),
    }
    watch.begin(workers)
    watch.advance(5, 6)
    watch.mark(Mark(True, 0, 1, (0, 0)))
    watch.heard("ask@a", Accounted("begin"))
    watch.mark(Mark(False, 9, 2, (0, 0)))
    return watch, places


def test_whatever_is_learned_goes_on_to_who_measures():
    observer = Learning()
    watch, _ = watched(observer)
    assert watch.marks
    assert observer.learned == [["ask@a", "echo@b"], (5, 6), True, ("ask@a", "begin"), False]


def test_the_processes_of_each_host_are_looked_at():
    watch, places = watched()
    assert [place.asked for place in places] == [[(7, 9)] * 2, [(8,)] * 2]
    assert [one.senders for one in watch.hosts()] == [(7,), ()]
    counted = watch.counters()
    assert counted["ask@a cores"] == pytest.approx(0.5)
    assert counted["server@a cores"] == pytest.approx(0.2)
    assert counted["echo@b cores"] == pytest.approx(0.4)
    assert counted["host@a seconds"] == pytest.approx(10)
    assert counted["host@a busy"] == pytest.approx(0.25)
    assert 0 <= counted["host@a others"] <= 0.25
    assert counted["host@a stolen"] == 0


def test_namespaces_of_one_machine_are_counted_as_one():
    assert watched()[0].counters()["machines"] == 2
    assert watched(machines=("boot-a", "boot-a"))[0].counters()["machines"] == 1


def test_without_a_window_nothing_is_known(monkeypatch):
    watch = HostObserver(NOBODY)
    assert (watch.hosts(), watch.why_invalid(), watch.notes(), watch.counters()) == ([], [], [], {})


def test_reasons_are_those_of_the_hosts(monkeypatch):
    watch, _ = watched()
    assert watch.why_invalid() == []
    monkeypatch.setattr(observers, "why_invalid", lambda hosts, *_, **__: [f"{len(hosts)} hosts"])
    assert watch.why_invalid() == ["2 hosts"]


def test_a_machine_has_one_name():
    assert counters.machine() == counters.machine() == counters.look("").machine != ""
    assert counters.look("").cores >= 1
