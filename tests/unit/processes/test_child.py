"""Processes that are started, and how they end."""

import signal
import subprocess
import sys

import msgspec
import psutil
import pytest

from formicary.processes.child import Child
from formicary.processes.lines import LineError

ECHO = "import sys; [print(line, end='', flush=True) for line in sys.stdin]"
MANY = "import subprocess, time; print(subprocess.Popen(['sleep', '600']).pid, flush=True); time.sleep(600)"


class Said(msgspec.Struct, frozen=True):
    number: int


def child(program, **options):
    return Child([sys.executable, "-c", program], **options)


async def test_what_is_said_to_it_comes_back_and_its_end_is_heard():
    with child(ECHO, is_piped=True) as process:
        line = await process.line(Said)
        line.send(Said(7))
        assert await line.receive() == Said(7)
        line.close()
    assert process.returncode == -signal.SIGKILL
    assert await process.ended() == -signal.SIGKILL


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("no JSON\\n", "'no JSON' "),
        ('{\\"number\\":\\"x\\"}\\n', "Expected `int`"),
        ("{", r"'\{' \(the line does not end\)"),
        ("x" * 200, "a line of more than 100 bytes"),
    ],
)
async def test_what_is_no_line_of_the_protocol_is_refused(said, sentence):
    with child(f'print("{said}", end="")', is_piped=True) as process:
        line = await process.line(Said, 100)
        with pytest.raises(LineError, match=sentence):
            await line.receive()
        line.close()


async def test_nothing_is_heard_of_what_has_ended():
    with child("", is_piped=True) as process:
        line = await process.line(Said)
        assert await line.receive() is None
        assert await process.ended() == 0
        line.send(Said(1))
        await line.drain()
        line.close()


def test_it_is_ended_with_all_that_it_has_started():
    with child(MANY, is_piped=True) as process:
        other = psutil.Process(int(process.stdout.readline()))
    psutil.wait_procs([other], 20)
    assert not other.is_running() or other.status() == psutil.STATUS_ZOMBIE


def test_its_last_words_are_kept():
    with child(
        "import sys; print('first'); sys.exit('no more room\\n\\n')",
        keeps_words=True,
        stdout=subprocess.DEVNULL,
    ) as process:
        assert process.end_within(20) == 1
        assert process.last_words() == "no more room"


def test_it_is_killed_when_its_time_is_over():
    with child("import time; time.sleep(600)") as process:
        assert process.end_within(0.01) == -signal.SIGKILL


def test_what_cannot_be_started_is_the_systems_error():
    with pytest.raises(FileNotFoundError):
        Child(["/nowhere/at/all"], keeps_words=True)
