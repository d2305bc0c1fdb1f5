"""Files and folders that are either complete or not there."""

import fcntl
import os
import socket
import stat
from contextlib import nullcontext
from pathlib import Path

import pytest

from formicary.core.files import (
    new_folder,
    output_file,
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


def test_a_link_to_a_file_elsewhere_is_replaced_and_that_file_stays(tmp_path):
    (tmp_path / "elsewhere").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with replacing(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "elsewhere").read_text() == "old"
    assert not (tmp_path / "link").is_symlink()


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


def test_a_link_stays_one_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "folder").mkdir()
    file, link = tmp_path / "folder" / "file", tmp_path / "link"
    link.symlink_to(file)
    for text in ("new", "newer"):  # also where there is nothing yet
        with output_file(link) as temporary:
            temporary.write_text(text)
        assert (link.is_symlink(), file.is_symlink(), file.read_text()) == (True, False, text)


def test_a_pipe_stays_one_and_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with output_file(pipe) as temporary:
        temporary.write_text("new")
        assert temporary.parent != tmp_path
    assert os.read(reading, 100) == b"new"
    with pytest.raises(ZeroDivisionError), output_file(pipe) as temporary:
        temporary.write_text(str(1 / 0))
    assert os.read(reading, 100) == b""
    os.close(reading)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_pipe_that_nobody_reads_is_said_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="nothing reads from it"), output_file(tmp_path / "pipe") as temporary:
        temporary.write_text("new")


def test_a_pipe_by_its_number_is_written_to(tmp_path):
    reading, writing = os.pipe()
    with output_file(Path(f"/dev/fd/{writing}")) as temporary:
        temporary.write_text("new")
    os.close(writing)
    assert os.read(reading, 100) == b"new"
    os.close(reading)


@pytest.mark.parametrize(("number", "refused"), [(3, None), (7, "No space left on device")])
def test_a_device_stays_one(tmp_path, number, refused):
    device = tmp_path / "device"  # of our own, with the numbers of /dev/null and /dev/full
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, number))
        device.open("wb").close()
    except PermissionError:
        pytest.skip("only root makes a device, and only some hosts let it")
    ended = nullcontext() if refused is None else pytest.raises(OSError, match=refused)
    with ended, output_file(device) as temporary:
        temporary.write_text("new")
    assert stat.S_ISCHR(device.stat().st_mode)


def test_what_takes_no_bytes_is_refused_and_stays(tmp_path):
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
    for path, why in (
        (tmp_path / "socket", "neither a regular file nor a pipe"),
        (tmp_path, "Is a directory"),
    ):
        with pytest.raises(OSError, match=why), output_file(path) as temporary:
            temporary.write_text("new")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(OSError, match="symbolic links"), output_file(tmp_path / "loop") as temporary:
        temporary.write_text("new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["loop", "socket"]
