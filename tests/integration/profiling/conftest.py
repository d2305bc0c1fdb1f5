"""Programs to profile, and the command line that does."""

from __future__ import annotations

import subprocess

import pytest

from formicary.cli import main


@pytest.fixture
def script(tmp_path):
    """Write a program and give its path."""

    def write(text, name="program.py"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def profile(capfd):
    """Run `formicary profile` to its end, in this process."""

    def run(*arguments):
        command = ["profile", *map(str, arguments)]
        with pytest.raises(SystemExit) as ended:
            main(command)
        return subprocess.CompletedProcess(command, ended.value.code or 0, *capfd.readouterr())

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
