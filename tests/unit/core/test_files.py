"""Files and folders that are either complete or not there."""

import fcntl
import os
import stat
from pathlib import Path

import pytest

from formicary.core.files import (
    new_folder,
    replacing,
    user_cache,
    user_state,
    write_locked,
    write_private,
)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_replaced_when_the_block_ends(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with replacing(path) as temporary:
        temporary.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_block_that_raises_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), replacing(path) as temporary:
        temporary.write_text(str(1 / 0))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_private_file_is_private_from_the_beginning(tmp_path):
    with replacing(tmp_path / "file", private=True) as temporary:
        assert mode(temporary) == 0o600
    assert mode(tmp_path / "file") == 0o600


def test_a_failed_private_write_leaves_the_old_file_and_no_other(tmp_path):
    write_private(tmp_path / "file", b"old")
    with pytest.raises(UnicodeEncodeError):
        write_private(tmp_path / "file", "new \udcff")
    assert (tmp_path / "file").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_locked_file_is_private_and_locked(tmp_path, overwrite):
    path = tmp_path / "file"
    if overwrite:
        path.write_text("old")
    descriptor = write_locked(path, b"new", overwrite=overwrite)
    try:
        assert (path.read_bytes(), mode(path)) == (b"new", 0o600)
        with path.open() as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)
    finally:
        os.close(descriptor)


def test_a_locked_file_takes_nobodys_place(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(FileExistsError):
        write_locked(path, b"new", overwrite=False)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_there_when_the_block_ends(tmp_path):
    with new_folder(tmp_path / "folder") as temporary:
        (temporary / "file").write_text("")
        assert not (tmp_path / "folder").exists()
    assert [path.name for path in (tmp_path / "folder").iterdir()] == ["file"]
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_folder_that_is_half_filled_is_removed(tmp_path):
    with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "folder") as temporary:
        (temporary / "file").write_text(str(1 / 0))
    assert list(tmp_path.iterdir()) == []


def test_a_users_folders_follow_the_xdg_specification(monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", "/state")
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    assert (user_state(), user_cache()) == (Path("/state/formicary"), Path("/cache/formicary"))
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert user_state() == Path.home() / ".local/state/formicary"
    assert user_cache() == Path.home() / ".cache/formicary"
