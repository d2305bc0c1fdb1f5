"""Who is told when a repetition ends before its time: without any process."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager

import pytest

from formicary_bench.runner.execution.repetition import RepetitionRun, Task
from formicary_bench.runner.execution.worker_hosts import WorkerSlot
from formicary_bench.runner.observers.hosts import HostObserver
from formicary_bench.runner.observers.observer import Observer, ProgressListener
from formicary_bench.runner.observers.profiled import Sampling
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.vocabulary.places import ASK, ECHO


class Here:
    """A host whose workers say when they are ended."""

    name = ""

    def __init__(self, ended):
        self.ended = ended

    @contextmanager
    def worker(self):
        try:
            yield
        finally:
            self.ended.append("worker")


class Watching(Observer):
    """Says when it has to let go, and may be unable to."""

    def __init__(self, ended, error=None):
        self.ended = ended
        self.error = error

    def give_up(self):
        self.ended.append("observer")
        if self.error is not None:
            raise self.error


def running(ended, observer):
    configuration = Configuration(experiment="messaging/pairs", platform="formicary", kind="micro")
    slots = tuple(WorkerSlot(role, Here(ended)) for role in (ECHO, ASK))
    return RepetitionRun(Task(configuration, 1, 7, slots=slots), ProgressListener(), observer)


@pytest.mark.parametrize("wrap", [lambda observer: observer, HostObserver])
def test_who_observes_lets_go_before_the_workers_of_an_interrupted_repetition_are_ended(wrap):
    ended = []
    with pytest.raises(KeyboardInterrupt), running(ended, wrap(Watching(ended))):
        raise KeyboardInterrupt
    assert ended == ["observer", "worker", "worker"]


def test_where_it_cannot_the_workers_are_ended_all_the_same():
    ended = []
    with pytest.raises(OSError, match="held"), running(ended, Watching(ended, OSError("held"))):
        raise KeyboardInterrupt
    assert ended == ["observer", "worker", "worker"]


def test_who_observes_a_repetition_that_goes_well_is_not_told_to_let_go():
    ended = []
    with running(ended, Watching(ended)):
        pass
    assert ended == ["worker", "worker"]


def test_samplers_end_before_the_workers_whose_repetition_is_interrupted():
    ended = []
    with ExitStack() as undo:
        undo.callback(ended.append, "sampler")
        with pytest.raises(KeyboardInterrupt), running(ended, Sampling(undo)):
            raise KeyboardInterrupt
        assert ended == ["sampler", "worker", "worker"]
    assert ended == ["sampler", "worker", "worker"]
