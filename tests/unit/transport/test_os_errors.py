"""What is said of a connection that the system does not let us make."""

from __future__ import annotations

import errno
import resource
import socket

import pytest

from formicary.transport import os_errors
from formicary.transport.os_errors import reason, reason_and


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


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE])
def test_where_file_descriptors_lack_that_is_what_to_mend(code):
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    said = reason_and("is it running?", OSError(code, "x"))
    assert said.endswith(
        f"; this process may have {limit} files and connections open at once: raise that with `ulimit -n`"
    )
    assert "running" not in said


def test_what_it_needs_is_loaded_before_file_descriptors_lack():
    assert os_errors.resource is resource
