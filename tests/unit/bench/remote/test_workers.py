"""A worker on another host, between the session's thread, which tells, and the runner's, which asks."""

from __future__ import annotations

import os
import select
import signal
import threading

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formicary.processes.lines import encode
from formicary.processes.messages import Failed, Go
from formicary_bench.remote import HostError
from formicary_bench.remote import workers as remote_workers
from formicary_bench.remote.host_agent.protocol import Data, Ended, Said, Started
from formicary_bench.remote.workers import RemoteWorker
from formicary_bench.worker.messages import Progress

SECONDS = 60.0


class HostAgent:
    """Notes what it is told."""

    def __init__(self):
        self.told = []
        self.kills = 0
        self.worker = RemoteWorker("b", self.told.append, self._kill)

    def _kill(self):
        self.kills += 1


@pytest.fixture
def agent():
    agent = HostAgent()
    yield agent
    agent.worker.take(Ended(1, 0, ""))
    agent.worker.close()


def is_readable(worker):
    return bool(select.select([worker], [], [], 0)[0])


def progress(done):
    return msgspec.Raw(encode(Progress(done)))


def test_it_is_readable_only_when_it_has_said_something(agent):
    worker = agent.worker
    assert not is_readable(worker)
    worker.take(Said(1, progress(1)))
    worker.take(Said(1, progress(2)))
    assert is_readable(worker)
    assert worker.read() == [Progress(1), Progress(2)]
    assert not is_readable(worker)
    assert worker.read() == []


def test_what_it_has_said_comes_before_its_end_which_stays_readable(agent):
    worker = agent.worker
    worker.take(Started(1, 7))
    worker.take(Said(1, progress(1)))
    worker.take(Ended(1, 3, "no more"))
    assert worker.read() == [Progress(1)]
    assert is_readable(worker)
    assert worker.read() is None
    assert is_readable(worker)
    assert (worker.pid, worker.wait(0), worker.last_words()) == (7, 3, "no more")


@given(st.lists(st.integers(0, 9), max_size=30))
def test_nothing_is_lost_while_one_thread_says_and_another_reads(values):
    worker = HostAgent().worker

    def say():
        for value in values:
            worker.take(Said(1, progress(value)))
        worker.take(Ended(1, 0, ""))

    thread = threading.Thread(target=say)
    thread.start()
    heard = []
    while True:
        assert select.select([worker], [], [], SECONDS)[0]
        reports = worker.read()
        if reports is None:
            break
        heard += [report.done for report in reports]
    thread.join()
    worker.close()
    assert heard == values


def test_it_is_told_what_it_is_sent(agent):
    agent.worker.send(Go())
    assert agent.told == [Go()]


def test_what_cannot_be_understood_is_a_failure(agent):
    agent.worker.take(Said(1, msgspec.Raw(b"hello")))
    (report,) = agent.worker.read()
    assert "it said 'hello' (" in report.reason


def test_what_is_handed_over_is_in_the_file_in_order(agent):
    agent.worker.take(Data(1, b"ab"))
    agent.worker.take(Data(1, b"cd"))
    assert os.pread(agent.worker.raw_values(), 100, 0) == b"abcd"


def test_a_full_disk_is_a_failure_and_ends_it(agent):
    agent.worker._values.close()
    agent.worker._values = open("/dev/full", "wb", buffering=0)  # noqa: SIM115, PTH123 -- closed by the worker
    agent.worker.take(Data(1, b"ab"))
    reason = "its results cannot be stored here: No space left on device"
    assert agent.worker.read() == [Failed(reason)]
    assert agent.kills == 1


def test_too_much_is_a_failure_and_ends_it(agent, monkeypatch):
    monkeypatch.setattr(remote_workers, "LARGEST_HANDOVER", 3)
    agent.worker.take(Data(1, b"abcd"))
    assert "cannot be stored here" in agent.worker.read()[0].reason
    assert agent.kills == 1


def test_who_talks_without_being_read_is_a_failure(agent, monkeypatch):
    monkeypatch.setattr(remote_workers, "_MOST_UNREAD", 1000)
    for number in range(100):
        agent.worker.take(Said(1, progress(number)))
    assert Failed("it prints too much") in agent.worker.read()
    assert len(agent.worker._unread) == 0


def test_many_words_wake_without_waiting(agent):
    for number in range(100_000):  # more than the pair of sockets holds
        agent.worker.take(Said(1, progress(number % 10)))
    assert len(agent.worker.read()) == 100_000


def test_what_hangs_is_killed_and_given_up(agent, monkeypatch):
    monkeypatch.setattr(remote_workers, "_SECONDS_TO_END", 0.01)
    assert agent.worker.wait(0) == -signal.SIGKILL
    assert agent.kills == 1


def test_one_that_does_not_start_says_why(agent, monkeypatch):
    monkeypatch.setattr(remote_workers, "_SECONDS_TO_START", 0.01)
    with pytest.raises(HostError, match=r"^host b: no worker has started within 0.01 s; is it overloaded\?$"):
        agent.worker.wait_for_start()
    agent.worker.take(Ended(1, 126, "Cannot allocate memory"))
    with pytest.raises(HostError, match=r"^host b: no worker can be started: Cannot allocate memory$"):
        agent.worker.wait_for_start()


def test_what_is_told_after_its_block_changes_nothing(agent):
    agent.worker.take(Ended(1, 0, ""))
    agent.worker.close()
    agent.worker.take(Said(1, progress(1)))
    agent.worker.take(Data(1, b"x"))
    agent.worker.take(Ended(1, 1, "again"))
    assert agent.worker.wait(0) == 0
