"""Programs to profile, and the command line that does."""

from __future__ import annotations

import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-c", "from formicary.cli import main; main()", "profile"]


@pytest.fixture
def script(tmp_path):
    """Write a program and give its path."""

    def write(text, name="program.py"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def profile():
    """Run `formicary profile` to its end."""

    def run(*arguments, **options):
        return subprocess.run(
            [*COMMAND, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=170,
            check=False,
            **options,
        )

    return run


@pytest.fixture
def started():
    """Start programs, and end them after the test, by their own process."""
    running = []

    def start(*command, **options):
        process = subprocess.Popen([*map(str, command)], text=True, **options)
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
