"""What went wrong, as a sentence, and where in a student's program: the line, and what stands there."""

from __future__ import annotations

import linecache
import re
import sys
from typing import TYPE_CHECKING

from formicary.errors import FormicaryError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import FrameType, TracebackType

_PLACE = re.compile(r"\((?P<file>[^()]+\.py):(?P<line>\d+), in [^()]*\)$")


class Broken(FormicaryError):  # noqa: N818 -- what must hold is broken, as a promise is
    """Something that must hold in a scenario does not.

    Args:
        sentence: what is wrong.
        about: the names of the agents whose messages show it; all if there are none.
        conversation: the conversation that shows it; all if empty.
    """

    def __init__(self, sentence: str, *, about: Iterable[str] = (), conversation: str = "") -> None:
        super().__init__(sentence)
        self.about = tuple(about)
        self.conversation = conversation


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


def what_failed(error: BaseException, path: Path) -> str:
    """Return what an exception says, and which line of a program it came through.

    Args:
        error: the exception.
        path: the program.
    """
    line = line_of_error(error, path)
    where = f" ({quoted(path, line)})" if line else ""
    if isinstance(error, Broken):
        return str(error)
    if isinstance(error, SystemExit):
        return f"the program ends its process with sys.exit(){where}; end agents with stop()"
    own = "" if line else " while your program was checked"
    return f"{type(error).__name__}: {error}{own}{where}"


def _trace(trace: TracebackType | None) -> Iterator[tuple[str, int]]:
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next
