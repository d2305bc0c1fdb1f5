"""How a process has ended, as a part of a sentence."""

from __future__ import annotations

import os
import signal
from typing import IO, Final

_LAST_WORDS: Final = 2000  # bytes at the end of its standard error that are looked at
_LONGEST_LINE: Final = 300


def last_line(file: IO[bytes]) -> str:
    """Return the last line of a file that says anything; its beginning, if it is long."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _LAST_WORDS))
    lines = file.read().decode(errors="replace").split("\n")
    return next((line.strip()[:_LONGEST_LINE] for line in reversed(lines) if line.strip()), "")


def ended_how(code: int) -> str:
    """Return how a process ended, from its exit code, negative for a signal."""
    return f"ended with exit code {code}" if code >= 0 else f"was ended by {signal_name(-code)}"


def signal_name(number: int) -> str:
    """Return what a signal is called in a sentence: SIGKILL."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
