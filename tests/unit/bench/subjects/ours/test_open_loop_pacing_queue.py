"""The open loop before a server of known speed: waiting is what the theory of queues says of it."""

import asyncio
from collections import deque

import pytest

from formicary_bench.subjects.ours import open_loop
from formicary_bench.subjects.ours.open_loop import Pacer
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.names import OPEN_LOOP
from formicary_bench.vocabulary.values import CONSTANT, LATE, POISSON, schedule
from formicary_bench.worker.messages import Job
from formicary_bench.worker.workload import Workload

RATE = 1000
MESSAGES = 50_000
SEED = 11
LATER = pytest.mark.full("other loads")


class Server:
    """Serves one message after the other, each for the same time; and is the clock by which it does so.

    The clock goes from one thing that happens to the next: a message is due, or has been served.
    """

    def __init__(self, service_ns):
        self.service_ns = service_ns
        self.now = self.free_at = 10**9
        self.waiting = deque()
        self.sent = 0

    def __call__(self):
        return self.now

    def send(self, sender, body):
        self.sent += 1
        self.free_at = max(self.now, self.free_at) + self.service_ns
        self.waiting.append((self.free_at, sender, body))

    async def serve(self, pacer, due):
        sending = asyncio.create_task(pacer.run(self.send))
        await asyncio.sleep(0)
        begin = pacer._begin_ns
        while not sending.done():
            events = [begin + due[self.sent]] if self.sent < len(due) else []
            events += [self.waiting[0][0]] if self.waiting else []
            self.now = max(self.now, min(events, default=0))
            while self.waiting and self.waiting[0][0] <= self.now:
                pacer.answered(*self.waiting.popleft()[1:])
            await asyncio.sleep(0)


def times(monkeypatch, arrivals, load):
    """Return the times of all messages in units of that of a service, where the server is busy for `load`."""
    one = Configuration(
        experiment=OPEN_LOOP,
        platform="tasks",
        parameters={
            "pairs": 1,
            "payload_bytes": 8,
            "rate": RATE,
            "arrivals": arrivals,
            "rounds": (0, MESSAGES, 0),
        },
    )
    server = Server(round(load * 1e9 / RATE))
    monkeypatch.setattr(open_loop, "perf_counter_ns", server)
    monkeypatch.setattr(open_loop, "_SLEPT_NS", 10**15)  # real time means nothing here
    work = Workload(Job(one, "both", SEED))
    asyncio.run(server.serve(Pacer(work), schedule(arrivals, RATE, MESSAGES, SEED)))
    assert LATE not in work.counters
    return [rtt / server.service_ns for rtt in work.times[0].rtts]


@pytest.mark.parametrize("load", [pytest.param(0.3, marks=LATER), pytest.param(0.6, marks=LATER), 0.8])
def test_messages_in_bunches_wait_as_long_as_pollaczek_and_khinchine_say(monkeypatch, load):
    found = times(monkeypatch, POISSON, load)
    # M/D/1: the mean wait is load / (2 (1 - load)) services; a share of 1 - load does not wait at all.
    assert sum(found) / MESSAGES == pytest.approx(1 + load / (2 * (1 - load)), rel=0.05)
    assert sum(time < 1.001 for time in found) / MESSAGES == pytest.approx(1 - load, abs=0.02)


def test_messages_after_equal_times_never_wait_where_the_server_is_fast_enough(monkeypatch):
    assert set(times(monkeypatch, CONSTANT, 0.8)) == {1.0}


def test_where_the_server_is_too_slow_the_last_message_has_waited_for_all_that_was_too_much(monkeypatch):
    found = times(monkeypatch, CONSTANT, 1.25)
    assert found[-1] == pytest.approx(MESSAGES * (1 - 1 / 1.25), rel=0.001)
    assert found == sorted(found)
