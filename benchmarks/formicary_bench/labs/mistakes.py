"""Where in a student's program something went wrong: the line, and what stands there."""

from __future__ import annotations

import linecache
import re
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import FrameType, TracebackType

_PLACE = re.compile(r"\((?P<file>[^()]+\.py):(?P<line>\d+), in [^()]*\)$")


def quoted(path: Path, line: int) -> str:
    """Return a line of a program as sentences show it: `program.py, line 7: x = int(body)`."""
    code = linecache.getline(str(path), line).strip()
    return f"{path.name}, line {line}: {code}" if code else f"{path.name}, line {line}"


def line_of_error(error: BaseException, path: Path) -> int | None:
    """Return the innermost line of a program that an exception came through; None if it is not from there."""
    lines = [line for file, line in _trace(error.__traceback__) if file == str(path)]
    return lines[-1] if lines else None


def running_line(path: Path, frame: FrameType | None) -> int | None:
    """Return the line of a program that runs just now, in this thread or another one; None if none does."""
    frames = [frame, *sys._current_frames().values()]  # noqa: SLF001 -- documented, and there is no other way
    for innermost in frames:
        each = innermost
        while each is not None:
            if each.f_code.co_filename == str(path):
                return each.f_lineno
            each = each.f_back
    return None


def with_code(failure: str, path: Path) -> str:
    """Add to what is said of an agent's failure what stands in the line that it names.

    Args:
        failure: such as `ping/Ask: ValueError: ... (program.py:12, in run)`.
        path: the program.
    """
    found = _PLACE.search(failure)
    if found is None or found["file"] != path.name:
        return failure
    return f"{failure[: found.start()].rstrip()} ({quoted(path, int(found['line']))})"


def _trace(trace: TracebackType | None) -> Iterator[tuple[str, int]]:
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
