"""The platform's loggers, whose messages are on one line and safe for terminals, whatever they quote.

The program chooses handlers and formatters, so a filter of the loggers themselves makes records safe before
they reach any handler.
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
    """Return the logger of a name, `formicary` or below it, with which no line can be forged.

    A traceback has several lines; further lines of exceptions' messages are indented in it.

    Args:
        name: its name, as of `logging.getLogger`; the same logger is returned for the same name.
    """
    logger = logging.getLogger(name)
    logger.addFilter(_make_safe)  # once: it is the same one each time
    return logger


class PlatformLog(logging.StreamHandler[TextIO]):
    """Shows the platform's warnings, unless the program has set up logging, and counts errors.

    So `logging.basicConfig` works as usual, and nothing is shown twice.

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
    with contextlib.suppress(Exception):  # handlers report messages that cannot be formatted
        message = record.getMessage()
        if not message.isprintable():
            record.msg, record.args = printable(message), ()
        error = record.exc_info[1] if record.exc_info else None
        said = [] if error is None else list(_texts(error))
        if error is not None and not all(map(str.isprintable, said)):
            record.exc_text = _traceback(record.exc_info, said)
    return True


def _traceback(raised: Any, said: list[str]) -> str:
    """Return a traceback of exceptions whose messages have control characters or several lines."""
    text = "".join(traceback.format_exception(*raised)).rstrip("\n")
    for each in sorted(filter(None, said), key=len, reverse=True):
        text = text.replace(each, each.replace("\n", "\n    "))
    return "\n".join(map(printable, text.split("\n")))


def _texts(error: BaseException) -> Iterator[str]:
    """Yield the messages of an exception and of all others in its traceback."""
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
