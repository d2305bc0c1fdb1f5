"""What tests of sessions share: hosts of a lab, and what workers there say."""

from __future__ import annotations

import selectors
import time
from contextlib import suppress

import psutil

from formicary.processes.messages import Go
from formicary_bench.vocabulary.configuration import Configuration
from formicary_bench.worker.messages import Job, Meet, Met, Ready

SECONDS = 60.0


def wait_until(condition, seconds=SECONDS, what="it does not happen"):
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.1)


def job(load=2, measured=50):
    configuration = Configuration(
        experiment="messaging/pairs",
        platform="callbacks",
        parameters={"pairs": load, "payload_bytes": 10, "rounds": (10, measured, 10)},
    )
    return Job(configuration, "both", 1, module="formicary_bench.subjects.baselines.callbacks")


def begin(worker, job):
    """Start a worker's measurement."""
    worker.send(job)
    hear(worker, Ready)
    worker.send(Meet())
    hear(worker, Met)
    worker.send(Go())


def hear(worker, kind):
    """Wait for a worker's report; None is its end."""
    with selectors.DefaultSelector() as selector:
        selector.register(worker, selectors.EVENT_READ)
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            assert selector.select(SECONDS)
            reports = worker.read()
            if reports is None:
                assert kind is None
                return None
            for report in reports:
                if kind is not None and isinstance(report, kind):
                    return report
    raise AssertionError(f"no {kind}")


def host_agents(host):
    """The host agents on a host of the lab."""
    found = []
    for pid in host.pids():
        with suppress(psutil.NoSuchProcess):
            if "formicary_bench.remote.host_agent.agent" in psutil.Process(pid).cmdline():
                found.append(pid)
    return found
