"""Standard output in any encoding, to a full disk, or to a closed pipe, for any command."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = "from formicary.cli import main; main()"


def run(program=PROGRAM, *arguments, **about):
    environment = {**os.environ, **about.pop("env", {})}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, env=environment, check=False, timeout=120, **about)


@pytest.fixture
def full(tmp_path):
    """Yield a device that is always full, of our own, so that the command cannot damage the system's."""
    path = tmp_path / "full"
    try:
        os.mknod(path, 0o666 | 0o020000, os.makedev(1, 7))
        path.open("wb").close()
    except PermissionError:
        pytest.skip("only root makes a device, and only some hosts let it")
    return path


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", [["--version"], ["doctor", "--json"]])
def test_what_cannot_be_printed_is_one_sentence_and_a_failure(full, arguments, unbuffered):
    with full.open("w") as stdout:
        done = run(PROGRAM, *arguments, stdout=stdout, env={"PYTHONUNBUFFERED": unbuffered})
    assert done.stderr == (
        b"formicary: cannot write the output (No space left on device): "
        b"free some space, or redirect it elsewhere\n"
    )
    assert done.returncode == 1


PRINT = """
from rich.console import Console
from formicary.cli import output, standard_output
with standard_output.checked():
    output.say("say: \xb1 \u2192 \U0001f41c")
    output.show_json({"json": "\xb1 \u2192 \U0001f41c"})
    output.show_table(["table"], [["\xb1 \u2192 \U0001f41c"]])
    Console().print("rich: \xb1 \u2192 \U0001f41c")
    print("print: \xb1 \u2192 \U0001f41c")
"""


def test_an_ascii_terminal_gets_ascii_and_valid_json():
    done = run(PRINT, stdout=subprocess.PIPE, env={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, b"")
    said, shown, _, *others = done.stdout.decode("ascii").splitlines()
    escaped = r"\u00b1 \u2192 \ud83d\udc1c"
    assert said == f"say: {escaped}"
    assert json.loads(shown) == {"json": "\xb1 \u2192 \U0001f41c"}
    assert others == [escaped, f"rich: {escaped}", f"print: {escaped}"]


def test_a_closed_pipe_ends_silently():
    reading, writing = os.pipe()
    os.close(reading)
    done = run(PROGRAM, "doctor", stdout=writing)
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, b"")


def test_standard_streams_closed_by_the_shell_are_not_reused():
    done = run(PROGRAM, "--version", preexec_fn=lambda: os.close(1))
    assert (done.returncode, done.stderr) == (0, b"")
