"""What is said of a connection that the system does not let us make."""

from __future__ import annotations

import errno
import resource
import socket
import sys

import pytest

from formicary.transport import os_errors
from formicary.transport.os_errors import descriptor_limit, reason, reason_and


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed ('::1', 1)"), "Connection refused"),
        (socket.gaierror(-2, "Name or service not known"), "Name or service not known"),
        (OSError("Multiple exceptions"), "Multiple exceptions"),
    ],
)
def test_the_reason_is_in_the_systems_words_and_what_to_do_stands_behind_it(error, said):
    assert reason(error) == said
    assert reason_and("is it running?", error) == f"{said}; is it running?"


def test_where_file_descriptors_lack_that_is_what_to_mend(monkeypatch):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 4096))
    assert reason_and("is it running?", OSError(errno.EMFILE, "x")) == (
        "Too many open files; this process may only have 256 files and connections open at once: raise "
        "this with `ulimit -n`"
    )
    assert reason_and("is it running?", OSError(errno.ENFILE, "x")) == (
        "Too many open files in system; the system has reached its limit: end other programs"
    )


@pytest.mark.parametrize(("limit", "said"), [(256, 256), (resource.RLIM_INFINITY, sys.maxsize)])
def test_the_limit_is_a_number(monkeypatch, limit, said):
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    assert descriptor_limit() == said


def test_what_it_needs_is_loaded_before_file_descriptors_lack():
    assert os_errors.resource is resource
