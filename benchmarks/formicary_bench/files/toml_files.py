"""TOML files that people write, with all mistakes in one error, by line and key."""

from __future__ import annotations

import json
import re
import stat
import tomllib
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args, get_origin

import msgspec

from formicary.errors import UsageError
from formicary_bench.files.toml_lines import lines_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from formicary_bench.files.toml_lines import Key

_LARGEST = 1 << 20  # bytes
_SHOWN = 40  # characters of a value
_LONGEST_WORD = 253  # that is worth a guess
_PLAIN = re.compile(r"[A-Za-z0-9_-]+")

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class FileWording:
    """How sentences refer to a kind of file.

    Attributes:
        what: what it is, with its article.
        example: an example of its name.
        instead: what to do if there is none.
        lists: what it lists, and nothing else.
        lines: examples of its lines.
        how: what to write into it.
    """

    what: str
    example: str
    instead: str
    lists: str
    lines: str
    how: str


class WrongError(ValueError):
    """A value is not valid for its key.

    Args:
        sentence: what is wrong, and what to write instead.
        within: the wrong key, if the value is a table; empty if all of it is wrong.
    """

    def __init__(self, sentence: str, *within: str) -> None:
        super().__init__(sentence)
        self.within = within


class TomlFile:
    """A TOML file.

    Attributes:
        document: its content.
    """

    def __init__(self, path: Path, text: str) -> None:
        self.document: dict[str, Any] = tomllib.loads(text)
        self._path = path
        self._lines = lines_of(text)
        self._problems: list[tuple[int, str]] = []

    def complain(self, where: Key, what: str) -> None:
        """Note a problem with a key, or with the whole file."""
        self._problems.append((self.line(where), f"{dotted(where)}: {what}" if where else what))

    @contextmanager
    def noting(self, *where: str) -> Iterator[None]:
        """Note each `WrongError` that the block raises about the value of a key."""
        try:
            yield
        except* WrongError as found:
            for error in found.exceptions:
                for one in error.exceptions if isinstance(error, ExceptionGroup) else (error,):
                    self.complain((*where, *getattr(one, "within", ())), str(one))

    @property
    def has_problems(self) -> bool:
        """Whether a problem was noted."""
        return bool(self._problems)

    def line(self, where: Key) -> int:
        """Return the line of a key, or of its innermost existing table; 0 if there is none."""
        while where and where not in self._lines:
            where = where[:-1]
        return self._lines.get(where, 0)

    def refuse(self) -> None:
        """Raise an error with all mistakes.

        Raises:
            UsageError: there are any.
        """
        listed = [f"line {line}, {what}" if line else what for line, what in sorted(self._problems)]
        if len(listed) == 1:
            raise UsageError(f"{self._path}, {listed[0]}")
        if listed:
            raise UsageError("\n  ".join([f"{self._path} has {len(listed)} mistakes:", *listed]))


def read(path: Path, wording: FileWording) -> TomlFile:
    """Read a file.

    Raises:
        UsageError: it cannot be read, or is not TOML.
    """
    text = _text(path, wording)
    try:
        return TomlFile(path, text)
    except RecursionError:
        raise UsageError(
            f"{path}: this is not valid TOML (too deeply nested brackets); {wording.how}"
        ) from None
    except ValueError as error:
        found = re.fullmatch(
            r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", str(error), re.DOTALL
        )
        what, line, column = found.groups() if found else (str(error), None, None)
        where = f"line {line}, column {column}" if line else "at its end" if found else "somewhere"
        raise UsageError(
            f"{path}, {where}: this is not valid TOML ({what}); write lines such as "
            f"{wording.lines}, with text in quotes"
        ) from None


def _text(path: Path, wording: FileWording) -> str:
    noun = wording.what.partition(" ")[2]
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            what = "a folder" if path.is_dir() else "not a regular file"
            raise UsageError(
                f"{path} is {what}; specify the path of {wording.what}, such as {wording.example}"
            )
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except FileNotFoundError:
        raise UsageError(f"no file {path}; {wording.instead}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"the {noun} {str(path)!r} cannot be read ({reason}); choose another one") from None
    if len(content) > _LARGEST:
        raise UsageError(
            f"{path} is larger than {_LARGEST >> 20} MiB; {wording.what} only lists {wording.lists}"
        )
    try:
        return content.decode("utf-8-sig")  # editors on Windows put a mark at the beginning
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UsageError(f"{path}, line {line}: this is not UTF-8; save the file as UTF-8") from None


def convert(value: Any, kind: Any) -> Any:
    """Return a value of a file, converted to a type as msgspec does.

    The type's `Meta` gives the sentences: its `description` says what a wrong value is, and what to write
    instead ("no port; write ..."), its `title` what the words of a `Literal` are, its `examples` how a text
    may be. A tuple takes a list; of equal elements the first is taken.

    Raises:
        WrongError: the value is not of this type.
        ExceptionGroup: several elements of a list are not, with a WrongError for each.
    """
    if get_origin(kind) is tuple:
        one = get_args(kind)[0]
        if not isinstance(value, list):
            raise WrongError(f"{shown(value)} is not a list; write it in brackets, such as [{_example(one)}]")
        return tuple(dict.fromkeys(each(value, lambda element: convert(element, one))))
    if isinstance(value, str) and not value.isprintable():
        raise WrongError(f"{shown(value)} contains control characters; remove them")
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise WrongError(f"{shown(value)} is {_wrong(value, kind)}") from None


def each(items: Iterable[Any], check: Callable[[Any], T]) -> list[T]:
    """Return the result of a function for each item.

    Raises:
        ExceptionGroup: some are wrong, with a WrongError for each.
    """
    found, wrong = [], []
    for item in items:
        try:
            found.append(check(item))
        except WrongError as error:
            wrong.append(error)
    if wrong:
        raise ExceptionGroup("some are wrong", wrong)
    return found


def _wrong(value: Any, kind: Any) -> str:
    """Return what is wrong with a value that is not of a type, and what to write instead."""
    base, meta = _parts(kind)
    if get_origin(base) is Literal:
        known = get_args(base)
        near = guess(value, known) if isinstance(value, str) else ""
        return f"no {meta.title}; choose from {', '.join(known[:-1])} and {known[-1]}{near}"
    if base is str and not isinstance(value, str):
        return f"not text; write it in quotes, such as {_example(kind)}"
    return meta.description or ""


def _example(kind: Any) -> str:
    base, meta = _parts(kind)
    return json.dumps(get_args(base)[0] if get_origin(base) is Literal else (meta.examples or [""])[0])


def _parts(kind: Any) -> tuple[Any, msgspec.Meta]:
    base, meta = get_args(kind) if get_origin(kind) is Annotated else (kind, msgspec.Meta())
    return base, meta


def shown(value: object) -> str:
    """Return a value for a sentence."""
    if isinstance(value, dict | list):
        return "a table" if isinstance(value, dict) else "a list"
    try:
        text = ascii(value) if isinstance(value, str) else str(value)
    except ValueError:  # a number with thousands of digits
        return "this number"
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def guess(word: str, known: Iterable[str]) -> str:
    """Return a suggestion to append to a sentence; empty if no known word is similar."""
    near = get_close_matches(word[:_LONGEST_WORD], list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def dotted(path: Key) -> str:
    """Return a key with its tables as in a file, always on one line."""
    return ".".join(part if _PLAIN.fullmatch(part) else json.dumps(part)[:_SHOWN] for part in path)
