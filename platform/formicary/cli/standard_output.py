"""Standard output that takes any text, and reports at the end what could not be written.

So no command has to handle a full disk, a closed pipe, or a terminal that knows only ASCII.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from formicary.core.errors import FormicaryError

if TYPE_CHECKING:
    from collections.abc import Iterator

_ESCAPES = "formicary.escapes"
_MODES = {"stdin": "r", "stdout": "w", "stderr": "w"}


@contextmanager
def checked() -> Iterator[None]:
    """Replace standard output while the block lasts.

    Raises:
        FormicaryError: something could not be written, whether or not the block raised.
        SystemExit: the reader of a pipe has gone, which needs no message.
    """
    _open_closed()
    plain = sys.stdout
    if not isinstance(plain, io.TextIOWrapper):
        yield
        return
    codecs.register_error(_ESCAPES, _escaped)
    noting = _Noting(plain.fileno(), "w", closefd=False)
    sys.stdout = printed = io.TextIOWrapper(
        noting if plain.write_through else io.BufferedWriter(noting),
        encoding=plain.encoding,
        errors=_ESCAPES if plain.errors == "strict" else plain.errors,
        line_buffering=plain.line_buffering,
        write_through=plain.write_through,
    )
    try:
        yield
    finally:
        sys.stdout = plain
        noting.end(printed)


class _Noting(io.FileIO):
    """A file that remembers why a write failed, and discards what is written after `end`."""

    _refusal: OSError | None = None
    _is_over = False

    def write(self, data: Any) -> int:
        if self._is_over:
            return memoryview(data).nbytes
        try:
            return super().write(data)
        except OSError as error:
            self._refusal = self._refusal or error
            raise

    def end(self, printed: io.TextIOWrapper) -> None:
        with suppress(OSError):
            printed.flush()
        self._is_over = True  # otherwise closing the stream would write the rest again
        if self._refusal is None:
            return
        if self._refusal.errno == errno.EPIPE:
            raise SystemExit(1)
        raise FormicaryError(
            f"cannot write the output ({self._refusal.strerror}): free some space, or redirect it elsewhere"
        ) from self._refusal


def _open_closed() -> None:
    """Open standard streams that the shell has closed, so that no other file takes their place."""
    for name, mode in _MODES.items():
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 -- a device


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Escape characters as JSON and Python do."""
    import json

    assert isinstance(error, UnicodeEncodeError)
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end
