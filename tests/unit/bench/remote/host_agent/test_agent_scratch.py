"""A host agent's folder for temporary files."""

from __future__ import annotations

import subprocess
import sys
import threading

from formicary_bench.remote.bootstrap.folder import SCRATCH
from formicary_bench.remote.host_agent.agent import remove_left_over, scratch

_DIE = """
import os, sys, signal
from pathlib import Path
from formicary_bench.remote.host_agent.agent import scratch
with scratch(Path(sys.argv[1])) as path:
    (path / "big").write_bytes(b"x")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_nothing_is_left_even_of_the_folders_above(tmp_path):
    folder = tmp_path / "ours"
    with scratch(folder) as path:
        (path / "file").touch()
        assert path.parent == folder / SCRATCH
        assert path.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()


def test_a_folder_that_was_there_before_stays(tmp_path):
    (tmp_path / "other").touch()
    with scratch(tmp_path):
        pass
    assert [one.name for one in tmp_path.iterdir()] == ["other"]


def test_what_a_killed_agent_has_left_is_removed_by_the_next(tmp_path):
    done = subprocess.run([sys.executable, "-c", _DIE, str(tmp_path)], check=False)
    assert done.returncode == -9
    (left,) = (tmp_path / SCRATCH).iterdir()
    with scratch(tmp_path) as path:
        assert [*(tmp_path / SCRATCH).iterdir()] == [path]
    assert not left.exists()


def test_what_a_living_agent_uses_stays(tmp_path):
    with scratch(tmp_path) as first:
        (first / "file").touch()
        with scratch(tmp_path) as second:
            assert first != second
        assert remove_left_over(tmp_path) == 0
        assert (first / "file").exists()


def test_many_begin_and_end_at_once(tmp_path):
    problems = []

    def run():
        try:
            for _ in range(50):
                with scratch(tmp_path / "ours") as path:
                    (path / "file").touch()
                    assert (path / "lock").exists()
        except Exception as error:  # noqa: BLE001 -- a thread says so only this way
            problems.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert not (tmp_path / "ours").exists()
