"""Ctrl-C while a command loads, and at a prompt: no words, and the exit code that shells have for it."""

import os
import pty
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

LOADING = """
import os, signal, sys
import importlib.abc
class Interrupting(importlib.abc.MetaPathFinder):
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
from formicary.__main__ import main
main()
"""


@pytest.mark.parametrize("module", ["formicary.cli", "typer", "formicary.cli.doctor", "formicary.doctor"])
def test_while_it_loads(module):
    command = [sys.executable, "-c", LOADING.format(module=module), "doctor"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_where_it_is_ignored_it_stays_so():
    command = [sys.executable, "-c", LOADING.format(module="typer"), "--version"]
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=60)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize(
    "arguments",
    [["run", "--account", "a@b.example", "x.py"], ["lab", "measure", "ping-pong"]],
)
def test_at_a_prompt(tmp_path, arguments):
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "formicary", *arguments]
    (tmp_path / "x.py").touch()
    with subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=tmp_path, start_new_session=True
    ) as running:
        os.close(theirs)
        said = b""
        while b": " not in said:
            said += os.read(ours, 1000)
        # Python misses one that comes after the prompt and just before it begins to read.
        # A second one may not come while it ends, which takes a while on a busy machine.
        for _ in range(6):
            running.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                running.wait(15)
                break
        assert running.returncode == 130
        assert b"Aborted" not in said
    os.close(ours)
