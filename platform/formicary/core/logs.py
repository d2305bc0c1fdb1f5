"""The platform's loggers: whatever a message quotes, it is one line, and steers no terminal.

How lines look is the program's choice, by its own handlers and formatters; so records are made safe before
they reach any of them, by a filter of the loggers themselves.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import traceback
from typing import TYPE_CHECKING, Any, TextIO

from formicary.core.quoting import printable

if TYPE_CHECKING:
    from collections.abc import Iterator


def get_logger(name: str) -> logging.Logger:
    """Return the logger of a name, `formicary` or below it, by which no line can be forged.

    A traceback has several lines, but what an exception says begins none of them: it is indented.

    Args:
        name: its name, as of `logging.getLogger`; the same logger is returned for the same name.
    """
    logger = logging.getLogger(name)
    logger.addFilter(_make_safe)  # once: it is the same one each time
    return logger


class PlatformLog(logging.StreamHandler[TextIO]):
    """Shows the platform's warnings, unless the program has set up logging, and counts errors.

    So `logging.basicConfig` works in a program, and nothing is shown twice.

    Args:
        form: the format of lines, as of `logging.Formatter`.
    """

    def __init__(self, form: str = "%(levelname)s %(name)s: %(message)s") -> None:
        super().__init__(sys.stderr)
        self.setLevel(logging.WARNING)
        self.setFormatter(logging.Formatter(form))
        self.errors = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count errors, and show the record if the program has no handlers of its own."""
        self.errors += record.levelno >= logging.ERROR
        if not logging.root.handlers:
            super().emit(record)


def _make_safe(record: logging.LogRecord) -> bool:
    with contextlib.suppress(Exception):  # what cannot be put together is for the handlers to say
        message = record.getMessage()
        if not message.isprintable():
            record.msg, record.args = printable(message), ()
        error = record.exc_info[1] if record.exc_info else None
        said = [] if error is None else list(_texts(error))
        if error is not None and not all(map(str.isprintable, said)):
            record.exc_text = _traceback(record.exc_info, said)
    return True


def _traceback(raised: Any, said: list[str]) -> str:
    """Return a traceback, of exceptions that say something with control characters or of several lines."""
    text = "".join(traceback.format_exception(*raised)).rstrip("\n")
    for each in sorted(filter(None, said), key=len, reverse=True):
        text = text.replace(each, each.replace("\n", "\n    "))
    return "\n".join(map(printable, text.split("\n")))


def _texts(error: BaseException) -> Iterator[str]:
    """Yield the text of an exception, and of all others that its traceback shows."""
    left: list[BaseException | None] = [error]
    seen: set[int] = set()
    while left:
        one = left.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield str(one)
        yield from getattr(one, "__notes__", ())
        left += [one.__cause__, one.__context__]
        if isinstance(one, BaseExceptionGroup):
            left += one.exceptions
