"""Folders of processes that live stay, those of processes that were killed go; nothing else is touched."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.plugins.missing import leave_out

from formicary.core import scratch
from formicary.core.scratch import MARK, ScratchFolder, scratch_folder, sweep

OTHER = """
import socket, sys
from formicary.core.scratch import ScratchFolder
folder = ScratchFolder.make()
listening = socket.socket(socket.AF_UNIX)
listening.bind(str(folder.path / "direct"))
(folder.path / "below").mkdir()
(folder.path / "below" / "file").touch()
print(folder.path, flush=True)
sys.stdin.read()
folder.remove()
"""


@pytest.fixture(autouse=True)
def above(tmp_path, monkeypatch):
    """Return a temporary folder of the system's that nobody else uses."""
    found = tmp_path / "tmp"
    found.mkdir()
    monkeypatch.setenv("TMPDIR", str(found))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return found


@contextmanager
def other_process(*before):
    """Have another process make a folder; give the process and the folder."""
    command = [*before, sys.executable, "-c", OTHER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def test_a_folder_is_private_and_gone_with_its_block(above):
    with scratch_folder() as folder:
        assert folder.parent == above
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "file").touch()
        (folder / "link").symlink_to("/")
    assert list(above.iterdir()) == []


def test_what_a_killed_process_has_left_goes_and_what_a_living_one_has_stays(above):
    with other_process() as (living, stays), other_process() as (killed, goes):
        assert sweep() == 0
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert sorted(path.name for path in goes.iterdir()) == ["below", "direct", MARK]
        assert sweep() == 1
        assert list(above.iterdir()) == [stays]
        assert (stays / "below" / "file").exists()
        living.communicate("")
        assert list(above.iterdir()) == []


def test_each_process_cleans_up_before_it_makes_its_first(above):
    with other_process() as (killed, goes):
        killed.kill()
        killed.wait()
        with other_process() as (_, stays):
            assert list(above.iterdir()) == [stays] != [goes]


def test_a_process_of_another_namespace_is_not_taken_for_dead(above, as_root):
    if not shutil.which("unshare"):
        leave_out("there is no `unshare`; install util-linux")
    with other_process("unshare", "--pid", "--fork", "--kill-child") as (_, stays):
        assert sweep() == 0
        assert list(above.iterdir()) == [stays]


def test_a_process_that_stands_still_is_not_taken_for_dead(above):
    with other_process() as (process, stays):
        process.send_signal(signal.SIGSTOP)
        assert sweep() == 0
        assert list(above.iterdir()) == [stays]


def left_behind(above, name="formicary-dead"):
    """Make what a killed process leaves."""
    folder = ScratchFolder.make()
    os.close(folder._lock)
    return folder.path.rename(above / name)


def link_to_a_folder(dead):
    return dead.rename(dead.parent.parent / "mine"), (dead.symlink_to("../mine"))


def without_mark(dead):
    (dead / MARK).unlink()


def with_a_mark_of_its_own(dead):
    (dead / MARK).write_text("mine")


def with_a_link_as_mark(dead):
    (dead / MARK).rename(dead.parent.parent / "mark")
    (dead / MARK).symlink_to("../../mark")


def with_a_pipe_as_mark(dead):
    (dead / MARK).unlink()
    os.mkfifo(dead / MARK)


def that_others_may_read(dead):
    dead.chmod(0o755)


def of_another_name(dead):
    dead.rename(dead.with_name("mine"))


def that_is_a_file(dead):
    shutil.rmtree(dead)
    dead.write_text("mine")


STRANGE = [
    link_to_a_folder, without_mark, with_a_mark_of_its_own, with_a_link_as_mark, with_a_pipe_as_mark,
    that_others_may_read, of_another_name, that_is_a_file,
]  # fmt: skip


@pytest.mark.parametrize("strange", STRANGE)
def test_nothing_is_removed_that_may_be_somebody_elses(above, strange):
    dead = left_behind(above)
    (dead / "precious").write_text("mine")
    strange(dead)
    before = sorted(path for path in above.parent.rglob("*") if not path.is_dir())
    assert sweep() == 0
    assert sorted(path for path in above.parent.rglob("*") if not path.is_dir()) == before


def test_a_folder_of_another_user_stays(above, as_root):
    dead = left_behind(above)
    os.chown(dead, 65534, 65534)
    assert sweep() == 0
    assert dead.exists()


def test_links_in_a_folder_are_not_followed(above, tmp_path):
    mine = tmp_path / "mine"
    (mine / "below").mkdir(parents=True)
    (mine / "below" / "file").touch()
    dead = left_behind(above)
    (dead / "folder").symlink_to(mine)
    (dead / "file").symlink_to(mine / "below" / "file")
    (dead / "below").mkdir()
    (dead / "below" / "folder").symlink_to(mine)
    assert sweep() == 1
    assert list(above.iterdir()) == []
    assert (mine / "below" / "file").exists()


def test_those_who_start_at_once_remove_nothing_of_each_other(above):
    for number in range(20):
        left_behind(above, f"formicary-dead{number}")

    def live(number):
        removed = sweep()
        with scratch_folder() as folder:
            (folder / "file").write_text(str(number))
            removed += sweep()
            assert (folder / "file").read_text() == str(number)
        return removed

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(live, range(40))) == 20
    assert list(above.iterdir()) == []


def test_a_former_folder_is_had_again_once_its_process_is_gone(above):
    with other_process() as (process, path):
        assert ScratchFolder.claim(path) is None
        process.kill()
        process.wait()
        scratch._sweep_once.cache_clear()
        claimed = ScratchFolder.claim(path)
        assert claimed.path == path
        assert sweep() == 0
        assert ScratchFolder.claim(path) is None
        claimed.remove()
        assert list(above.iterdir()) == []
        ScratchFolder.claim(path).remove()
        assert list(above.iterdir()) == []


def test_a_former_folder_that_others_may_write_to_is_not_had_again(above, tmp_path):
    folder = above / "formicary-former"
    folder.mkdir()
    folder.chmod(0o777)
    assert ScratchFolder.claim(folder) is None
    (above / "formicary-link").symlink_to(tmp_path)
    assert ScratchFolder.claim(above / "formicary-link") is None


def test_where_files_cannot_be_locked_nothing_is_taken_for_left_behind(above, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", refuse)
    folder = ScratchFolder.make()
    assert list(folder.path.iterdir()) == []
    assert sweep() == 0
    (folder.path / "file").touch()
    folder.remove()
    folder.remove()
    assert list(above.iterdir()) == []


def test_a_folder_may_be_gone_already(above):
    folder = ScratchFolder.make()
    shutil.rmtree(folder.path)
    folder.remove()
    assert list(above.iterdir()) == []


def test_there_need_not_be_a_temporary_folder(monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    assert sweep() == 0
