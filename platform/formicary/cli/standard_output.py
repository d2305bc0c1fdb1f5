"""Standard output as commands find it: it takes any text, and what cannot be written is said in the end.

So no command needs to think of a full disk, a closed pipe, or a terminal that knows only ASCII.
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
    """Have standard output be so while the block lasts.

    Raises:
        FormicaryError: something could not be written, whatever has become of the block.
        SystemExit: whoever read it has gone; that needs no words.
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
    """A file that notes why it could not be written, and takes no more once it is over."""

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
        self._is_over = True  # or what is left would be written again when the stream is closed
        if self._refusal is None:
            return
        if self._refusal.errno == errno.EPIPE:
            raise SystemExit(1)
        raise FormicaryError(
            f"what is printed cannot be written ({self._refusal.strerror}): make room, or print it elsewhere"
        ) from self._refusal


def _open_closed() -> None:
    """Open what the shell has closed, or files that are opened later would take its place."""
    for name, mode in _MODES.items():
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 -- a device


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Return characters as JSON and Python escape them."""
    import json

    assert isinstance(error, UnicodeEncodeError)
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end
