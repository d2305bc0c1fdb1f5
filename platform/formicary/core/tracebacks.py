"""Finds where an exception was raised, for error messages."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType, TracebackType


def raised_at(error: BaseException) -> str:
    """Return where an exception was raised, such as `market.py:12, in run`; empty if it is not known.

    This is the innermost place in the user's code, rather than in the platform or a library, if there is one.
    """
    trace, found = error.__traceback__, ""
    is_of_user = False
    while trace is not None:
        code = trace.tb_frame.f_code
        if (here := is_of_users(code)) or not is_of_user:
            found = place(code, trace.tb_lineno)
            is_of_user = here
        trace = trace.tb_next
    return found


def as_raised(error: BaseException) -> tuple[type[BaseException], BaseException, TracebackType | None]:
    """Return an exception as `sys.exc_info` does, without the frames that called the user's code."""
    trace = error.__traceback__
    while trace is not None and not is_of_users(trace.tb_frame.f_code):
        trace = trace.tb_next
    is_whole = trace is None and not isinstance(error, SyntaxError)  # whose text names the place
    return type(error), error, error.__traceback__ if is_whole else trace


def place(code: CodeType, line: int) -> str:
    """Return a place in a program, such as `market.py:12, in run`."""
    from pathlib import PurePath

    return f"{PurePath(code.co_filename).name}:{line}, in {code.co_name}"


def is_of_users(code: CodeType) -> bool:
    """Return whether code is the user's own, rather than the platform's or a library's."""
    return not code.co_filename.startswith(_libraries())


@cache
def _libraries() -> tuple[str, ...]:
    import sysconfig
    from pathlib import PurePath

    platform = PurePath(__file__).parents[1]
    paths = sysconfig.get_paths()
    return (f"{platform}/", "<frozen", *(f"{paths[each]}/" for each in ("stdlib", "purelib", "platlib")))
