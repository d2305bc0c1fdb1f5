"""How a process has ended, in words."""

import io

from formicary.processes.words import ended_how, last_line, signal_name


def test_an_end_in_words():
    assert ended_how(3) == "ended with exit code 3"
    assert ended_how(-15) == "was ended by SIGTERM"
    assert ended_how(-99) == "was ended by signal 99"
    assert signal_name(9) == "SIGKILL"


def test_the_last_line_is_the_last_that_says_anything():
    assert last_line(io.BytesIO(b"first\n second \n \n")) == "second"
    assert last_line(io.BytesIO(b"")) == ""
    assert last_line(io.BytesIO(b"\xff" * 5000)) == "\ufffd" * 300
