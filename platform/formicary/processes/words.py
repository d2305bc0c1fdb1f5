"""Descriptions of how a process ended, as parts of a sentence."""

from __future__ import annotations

import os
import signal
from typing import IO, Final

_LAST_WORDS: Final = 2000  # bytes at the end of its standard error to search
_LONGEST_LINE: Final = 300


def last_line(file: IO[bytes]) -> str:
    """Return the last non-empty line of a file; its start, if it is long."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _LAST_WORDS))
    lines = file.read().decode(errors="replace").split("\n")
    return next((line.strip()[:_LONGEST_LINE] for line in reversed(lines) if line.strip()), "")


def ended_how(code: int) -> str:
    """Return how a process ended, from its exit code, negative for a signal."""
    return f"ended with exit code {code}" if code >= 0 else f"was ended by {signal_name(-code)}"


def signal_name(number: int) -> str:
    """Return a signal's name, such as SIGKILL."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
