"""A worker stays on the cores that it is given."""

import os

import pytest

from formicary.errors import FormicaryError
from formicary_bench.worker.worker import use_cores


@pytest.fixture
def kept(monkeypatch):
    """Fake the cores 1, 4 and 6, and record those that the process is kept on."""
    found = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {6, 1, 4}, raising=False)
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, cores: found.append(cores), raising=False)
    return found


def test_it_is_kept_on_the_first_of_those_that_it_may_use(kept):
    use_cores(2)
    assert kept == [[1, 4]]


def test_nothing_is_changed_where_nothing_is_asked(kept):
    use_cores(0)
    assert kept == []


def test_more_than_there_are_cannot_be_used(kept):
    with pytest.raises(FormicaryError, match="4 cores were asked for, and this process may use 3"):
        use_cores(4)
    assert kept == []
