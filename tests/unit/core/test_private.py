"""Files that are secret or believed, and their folders: whose they may be, and what others may do."""

import grp
import os
import pwd
import stat
from types import SimpleNamespace

import pytest
from tests.unit.core.owners import give_away

from formicary.core.private import check_secret, make_private_folder, read_private


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "folder" / "file"
    path.parent.mkdir(mode=0o700)
    path.touch(mode=0o600)
    path.write_text("what is believed")
    return path


@pytest.fixture
def no_umask():
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def refused(path):
    with pytest.raises(PermissionError) as caught:
        read_private(path, 100)
    return caught.value.strerror


def test_what_is_the_users_alone_is_read_up_to_a_limit(file):
    assert read_private(file, 100) == b"what is believed"
    assert read_private(file, 4) == b"what"


@pytest.mark.parametrize("bits", [0o640, 0o604, 0o620, 0o602, 0o666])
def test_a_file_that_others_may_read_or_write_is_refused(file, bits):
    file.chmod(bits)
    assert refused(file) == f"other users may read or write it: chmod 600 {file}"


@pytest.mark.parametrize(
    ("bits", "step"), [(0o777, "chmod go-w {}"), (0o702, "chmod go-w {}"), (0o1777, "use one of your own")]
)
def test_a_folder_that_others_may_write_to_is_refused(file, bits, step):
    file.parent.chmod(bits)
    folder = file.parent
    assert refused(file) == f"other users may write to the folder {folder}: {step.format(folder)}"
    file.parent.chmod(0o755)
    assert read_private(file, 100) == b"what is believed"


def test_a_file_of_somebody_else_is_refused(file, monkeypatch):
    give_away(file, monkeypatch)
    assert refused(file).endswith("belongs to another user")


def test_a_folder_of_somebody_else_is_refused(file, monkeypatch):
    give_away(file.parent, monkeypatch)
    assert refused(file) == f"the folder {file.parent} belongs to another user"
    with pytest.raises(PermissionError, match="belongs to another user"):
        make_private_folder(file.parent)


def test_a_link_is_as_safe_as_what_it_leads_to(file, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(file)
    assert read_private(link, 100) == b"what is believed"
    file.parent.chmod(0o777)
    assert str(file.parent) in refused(link)


def test_a_link_in_a_folder_of_everybody_is_refused(file, tmp_path):
    (tmp_path / "all").mkdir()
    link = tmp_path / "all" / "link"
    link.symlink_to(file)
    link.parent.chmod(0o777)
    assert str(link.parent) in refused(link)


@pytest.mark.parametrize(
    ("name", "members", "is_safe"), [("me", [], True), ("me", ["x"], False), ("all", [], False)]
)
def test_a_group_that_is_the_users_own_may_write_to_a_folder(file, monkeypatch, name, members, is_safe):
    monkeypatch.setattr(pwd, "getpwuid", lambda _: SimpleNamespace(pw_name="me"))
    monkeypatch.setattr(grp, "getgrgid", lambda _: SimpleNamespace(gr_name=name, gr_mem=members))
    file.parent.chmod(0o770)
    if is_safe:
        assert read_private(file, 100) == b"what is believed"
    else:
        assert "may write to the folder" in refused(file)


def test_a_pipe_is_read_to_its_end_and_one_without_a_writer_does_not_keep_us(file):
    reading, writing = os.pipe()
    os.write(writing, b"by a pipe")
    os.close(writing)
    assert read_private(file.parent.joinpath(f"/dev/fd/{reading}"), 100) == b"by a pipe"
    os.close(reading)
    os.mkfifo(file.with_name("pipe"), mode=0o600)
    assert read_private(file.with_name("pipe"), 100) == b""


def test_what_is_not_there_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_private(tmp_path / "file", 100)
    with pytest.raises(FileNotFoundError):
        read_private(tmp_path / "folder" / "file", 100)


@pytest.mark.usefixtures("no_umask")
def test_all_folders_that_were_missing_are_the_users_alone_whatever_its_umask(tmp_path):
    make_private_folder(tmp_path / "state" / "formicary" / "join")
    assert [mode(path) for path in sorted(tmp_path.rglob("*"))] == [0o700] * 3
    make_private_folder(tmp_path / "state" / "formicary" / "join")


def test_a_secret_may_be_readable_where_its_folder_keeps_others_out(file):
    file.chmod(0o644)
    check_secret(file)
    file.parent.chmod(0o711)
    with pytest.raises(PermissionError) as caught:
        check_secret(file)
    assert caught.value.strerror == f"it is a secret that other users may read: chmod 600 {file}"
    file.chmod(0o600)
    check_secret(file)
