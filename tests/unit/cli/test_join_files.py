"""Join addresses in files: each error is one sentence, never a traceback."""

from __future__ import annotations

import io
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from formicary.cli import join_files
from formicary.errors import UsageError

DOMAINS = [f"c{number}.lab.localhost" for number in (1, 2)]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def test_a_container_that_ends_during_the_search_hides_no_others(monkeypatch):
    with join_files.published(DOMAINS[0], "a"), join_files.published(DOMAINS[1], "b"):
        plain = os.open

        def vanishing(path, *arguments):
            if Path(path).name == "c1":
                raise FileNotFoundError(2, "No such file or directory")
            return plain(path, *arguments)

        monkeypatch.setattr(join_files.os, "open", vanishing)
        assert join_files.listening() == ["c2"]
        with pytest.raises(UsageError, match="c1 ended unexpectedly"):
            join_files.read("c1")
        monkeypatch.undo()


def test_a_file_of_another_user_is_reported_as_unreadable(monkeypatch):
    with join_files.published(DOMAINS[0], "a"):

        def refuse(*_):
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(join_files.os, "open", refuse)
        with pytest.raises(UsageError, match=r"cannot read the join address in .*c1 \(Permission denied\)"):
            join_files.read("c1")
        monkeypatch.undo()


@pytest.mark.parametrize(
    ("given", "read"), [(b" formicary://x \n", "formicary://x"), (b"\xff\xfe", "\ufffd" * 2)]
)
def test_any_standard_input_is_read(monkeypatch, given, read):
    monkeypatch.setattr(join_files.sys, "stdin", SimpleNamespace(buffer=io.BytesIO(given)))
    assert join_files.read("-") == read
