"""The lines of a TOML file's keys, which Python's own reader does not give."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Key = tuple[str, ...]
"""A key after its tables, the outermost first."""

_TOKEN = re.compile(
    r"""
    (?P<text>"{3}(?:\\.|[^\\])*?"{3,5} | '{3}.*?'{3,5} | "(?:\\.|[^"\\])*" | '[^']*')
    | (?P<bare>[A-Za-z0-9_+:-]+)
    | (?P<mark>[\[\]{}=,\n])
    | \#[^\n]* | .
    """,
    re.VERBOSE | re.DOTALL,
)


class _Scan:
    """Reads a valid TOML file, and notes the line of each key."""

    def __init__(self) -> None:
        self.lines: dict[Key, int] = {}
        self._line = 1
        self._table: Key = ()  # what the last header said
        self._value: Key = ()  # the key whose value is being read
        self._open: list[tuple[str, Key]] = []  # brackets of values, and the key each belongs to
        self._key: list[str] | None = []  # what there is of a key; None while none is being read

    def read(self, text: str) -> None:
        for token in _TOKEN.finditer(text):
            if mark := token["mark"]:
                self._read_mark(mark)
            elif self._key is not None and token.lastgroup:
                self._key.append(_plain(token[0]))
            self._line += token[0].count("\n")

    def _read_mark(self, mark: str) -> None:
        if self._key is not None and mark in "[]=":
            self._read_in_key(mark)
        elif mark in "[{":
            self._open.append((mark, self._value))
            self._key = [] if mark == "{" else None
        elif mark in "]}":
            if self._open:  # none is open at the second bracket of [[...]]
                _, self._value = self._open.pop()
            self._key = None
        elif (self._open[-1][0] == "{") if mark == "," else not self._open:
            self._key = []  # one may follow

    def _read_in_key(self, mark: str) -> None:
        key = tuple(self._key or ())
        if mark == "[":  # a header begins
            return
        self._key = None
        if mark == "]":
            self._table = key
            self._note((), key)
        else:
            within = self._open[-1][1] if self._open else self._table
            self._note(within, key)
            self._value = within + key

    def _note(self, within: Key, key: Key) -> None:
        for length in range(1, len(key) + 1):
            self.lines.setdefault(within + key[:length], self._line)


def _plain(token: str) -> str:
    return str(tomllib.loads(f"key = {token}")["key"]) if token[0] in "\"'" else token


def lines_of(text: str) -> Mapping[Key, int]:
    """Return the first line of each key, counted from 1."""
    scan = _Scan()
    scan.read(text)
    return scan.lines
