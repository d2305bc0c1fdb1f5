"""What is said where the extra `lab` is not installed."""

from __future__ import annotations

import pytest

from formicary.errors import UsageError
from formicary_bench import remote


def test_all_that_is_missing_is_named_with_how_to_install_it(monkeypatch):
    there = {"packaging": object()}
    monkeypatch.setattr(remote, "find_spec", there.get)
    with pytest.raises(
        UsageError, match=r'asyncssh, pip is not installed; .*: pip install "formicary\[bench,lab\]"'
    ):
        remote.need_extra()


def test_with_the_extra_nothing_is_said():
    remote.need_extra()
