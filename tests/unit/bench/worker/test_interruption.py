"""Requests to end: noted, raised where they are welcome, and without effect once one was heeded."""

import os
import signal

import pytest
from tests.integration.bench.conftest import perform

from formicary_bench.runner.planning.options import Options
from formicary_bench.worker.interruption import (
    allow_interrupts,
    defer_interrupts,
    end_on_interrupt,
    raise_if_interrupted,
)

REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def handlers():
    """Make sure that no signal is ignored, as under nohup; restore all handlers."""
    before = {one: signal.getsignal(one) for one in REQUESTS}
    for one in REQUESTS:
        signal.signal(one, signal.default_int_handler)
    yield dict.fromkeys(REQUESTS, signal.default_int_handler)
    for one, handler in before.items():
        signal.signal(one, handler)


def request(number=signal.SIGTERM):
    os.kill(os.getpid(), number)


def end_at_once():
    with end_on_interrupt():
        request()
        with defer_interrupts():
            raise_if_interrupted()


@pytest.mark.parametrize("number", REQUESTS)
def test_a_request_is_raised_only_where_it_is_welcome(number, handlers):
    with defer_interrupts():
        request(number)
        with pytest.raises(KeyboardInterrupt):
            raise_if_interrupted()
        with pytest.raises(KeyboardInterrupt), allow_interrupts():
            pass
    assert {one: signal.getsignal(one) for one in REQUESTS} == handlers


def test_where_requests_are_welcome_they_stay_so_after_a_part_that_welcomes_them():
    def welcome_twice():
        with defer_interrupts(), allow_interrupts():
            with allow_interrupts():
                pass
            request()
            pytest.fail("the request was not raised")

    with pytest.raises(KeyboardInterrupt):
        welcome_twice()


def test_what_was_noted_is_not_forgotten_by_one_within(handlers):
    with end_on_interrupt(), defer_interrupts():
        pass
    with pytest.raises(KeyboardInterrupt):
        end_at_once()
    for one, handler in handlers.items():
        signal.signal(one, handler)
    # That of a run before is over, also for who measures without more ado.
    with allow_interrupts():
        raise_if_interrupted()
    with defer_interrupts():
        raise_if_interrupted()


def test_a_program_that_ends_after_a_request_hears_no_other():
    with pytest.raises(KeyboardInterrupt):
        end_at_once()
    for number in REQUESTS:
        request(number)


@pytest.mark.parametrize("is_asked", [True, False])
def test_a_program_that_goes_on_hears_them_again(is_asked, handlers):
    with end_on_interrupt():
        if is_asked:
            request()
    with pytest.raises(ValueError, match="another reason"):
        fail()
    assert {one: signal.getsignal(one) for one in REQUESTS} == handlers


def fail():
    with end_on_interrupt():
        raise ValueError("another reason")


class RunListener:
    """Wants to end when it hears how long it takes."""

    def __init__(self):
        self.said = []

    def say(self, sentence):
        self.said.append(sentence)
        request(signal.SIGINT)

    def plan(self, folder, configurations, repetitions):
        pass

    def agrees(self):
        return True

    def remains(self, seconds):
        self.seconds = seconds


def test_a_long_run_says_so_before_it_measures_anything(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    options = Options(
        "messaging/open-loop", sizes={"rate": (1,), "rounds": (50, 100, 50)},  subjects=("tasks",),
        placements=("same-container",),
    )  # fmt: skip
    listener = RunListener()
    outcome = perform(options, tmp_path / "run", listener)
    assert (outcome.interrupted, outcome.folder) == (True, None)
    assert listener.seconds == pytest.approx(2000, rel=0.01)
    (sentence,) = listener.said
    assert sentence == (
        "this takes about 33 minutes: Ctrl-C stops early and keeps what was measured; --resume "
        f"{tmp_path / 'run'} continues it"
    )
    assert not (tmp_path / "run").exists()
