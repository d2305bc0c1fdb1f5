"""A directory's file whose process is killed in the middle of writes, is locked, or has no room to grow."""

from __future__ import annotations

import random
import resource
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.plugins.missing import leave_out

from formicary.directory.central.store import Store
from formicary.errors import StoreError

WRITER = Path(__file__).with_name("writer.py")
MARGIN = 5  # as many as the program has writers: so many may be written and not confirmed yet


@pytest.fixture
def path(tmp_path):
    return tmp_path / "directory.sqlite"


def start(path, first=0, *, before=(), **options):
    return subprocess.Popen(
        [*before, sys.executable, WRITER, path, str(first)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        **options,
    )


def load(path):
    with closing(Store(path)) as store:
        return {int(record.description.name) for record in store.load()}


def test_a_killed_process_loses_nothing_that_it_had_confirmed(path):
    confirmed = set()
    for turn in range(4):
        with start(path, turn * 100_000) as writer:
            for _ in range(random.randrange(1, 400)):
                confirmed.add(int(writer.stdout.readline()))
            writer.kill()
            confirmed.update(int(line) for line in writer.stdout if line.endswith("\n"))
        found = load(path)
        assert confirmed - found == set()
        assert len(found - confirmed) <= MARGIN * (turn + 1)


def test_a_file_that_another_process_has_is_refused(path):
    with start(path) as writer:
        assert writer.stdout.readline() == "0\n"
        with pytest.raises(StoreError, match="is in use by another process"):
            Store(path)
        with start(path) as second:
            assert "StoreError" in second.stdout.read()
        writer.kill()
    assert 0 in load(path)


def fill(writer):
    """Read what is confirmed until writes fail; return it and the writers' sentences."""
    confirmed = set()
    for line in writer.stdout:
        if line.startswith("failed: "):
            return confirmed, line
        confirmed.add(int(line))
    pytest.fail("the program has ended")


def proceed(writer):
    """Let all writers try again, and return what is confirmed until as many as they have been."""
    confirmed = set()
    writer.stdin.write("\n" * MARGIN)
    writer.stdin.flush()
    while len(confirmed) < MARGIN:
        line = writer.stdout.readline()
        if not line.startswith("failed: "):
            confirmed.add(int(line))
    return confirmed


def test_on_a_full_disk_writes_fail_until_there_is_room_and_nothing_is_lost(small_disk):
    path = small_disk / "directory.sqlite"
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(300_000))
    with start(path) as writer:
        confirmed, failure = fill(writer)
        assert (
            failure == f"failed: {path} cannot grow because the disk is full; free some space and try again\n"
        )
        ballast.unlink()
        confirmed |= proceed(writer)
        writer.kill()
        confirmed.update(int(line) for line in writer.stdout if line.endswith("\n") and line[0] != "f")
    found = load(path)
    assert confirmed - found == set()
    assert len(found - confirmed) <= MARGIN


@pytest.fixture
def small_disk(tmp_path):
    """Give a folder on a disk of 1 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "none", folder]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        leave_out(f"no disk can be mounted: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_file_that_must_not_grow_further_says_so_and_can_be_read_again(path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    with start(path, preexec_fn=limit) as writer:
        confirmed, failure = fill(writer)
        assert failure.startswith(f"failed: {path} cannot be read or written: ")
        assert "check whether the disk is full or failing" in failure
        writer.kill()
    found = load(path)
    assert confirmed - found == set()
    assert len(found - confirmed) <= MARGIN


def test_a_directory_on_a_full_disk_cannot_be_started(small_disk):
    (small_disk / "ballast").write_bytes(bytes(1_048_576))
    with pytest.raises(StoreError, match="full"):
        Store(small_disk / "directory.sqlite")
