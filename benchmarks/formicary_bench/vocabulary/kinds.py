"""Kinds of values of a parameter, and how these are written on the command line and in files."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any

import msgspec

from formicary.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

MOST_TRIPS = 10_000_000
MOST_SECONDS = 86_400

_SHOWN = 40  # characters of a word
_UNITS = {"us": 1, "ms": 1000, "s": 1_000_000}
_LISTS = {"experiment": "formicary bench list", "platform": "formicary bench platforms"}


class WrongError(ValueError):
    """A value in a file is not valid for its key; the message says what to write instead."""


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True, kw_only=True)
class Kind:
    """The kind of values that a parameter takes.

    Attributes:
        takes: the kind in words.
        type: the type of a value in a file, as msgspec checks it.
        several: whether there may be more than one.
        read: returns the file's form of a word of the command line.
        make: returns the value of the file's form; raises ValueError, or UsageError with its own sentence.
        word: returns the word of the command line for a value.
        has_words: whether manifests contain these words instead of the values.
    """

    takes: str
    type: Any
    several: bool = True
    read: Callable[[str], Any] = str
    make: Callable[[Any], Any] = _same
    word: Callable[[Any], str] = str
    has_words: bool = False

    def one(self, given: Any) -> Any:
        """Return the value of a file's form; raises ValueError if it is not valid."""
        try:
            return self.make(msgspec.convert(given, self.type))
        except msgspec.ValidationError as error:
            raise ValueError(str(error)) from None

    def from_words(self, option: str, text: str, example: str) -> Any:
        """Read what was typed: values separated by commas, without repetitions.

        Raises:
            UsageError: it is not a valid value.
        """
        words = [word.strip() for word in text.split(",")] if self.several else [text.strip()]
        values = []
        for word in words:
            try:
                values.append(self.one(self.read(word)))
            except ValueError:
                raise UsageError(
                    f"{option} takes {self.takes}, not {word[:_SHOWN]!r}; use {option} {example}, for example"
                ) from None
        return tuple(dict.fromkeys(values)) if self.several else values[0]

    def from_file(self, given: Any, example: str) -> Any:
        """Read the form in a file: a value or, if there may be several, a list.

        Raises:
            WrongError: it is not a valid value.
        """
        items = given if self.several and isinstance(given, list) else [given]
        if not items:
            raise WrongError("the list is empty; add a value, or remove the key")
        values = []
        for item in items:
            try:
                values.append(self.one(item))
            except ValueError:
                from formicary_bench.files.toml_files import shown  # not needed to list experiments

                raise WrongError(
                    f"takes {self.takes}, not {shown(item)}; write {example}, for example"
                ) from None
            except UsageError as error:
                raise WrongError(str(error)) from None
        return tuple(dict.fromkeys(values)) if self.several else values[0]


def whole(low: int, high: int, *, several: bool = True) -> Kind:
    """Return the kind of whole numbers within bounds."""
    return Kind(
        takes=f"whole numbers from {low} to {high}",
        type=Annotated[int, msgspec.Meta(ge=low, le=high)],
        several=several,
        read=_number,
    )


def choice(what: str, known: Iterable[str] | Mapping[str, Any], *, several: bool = True) -> Kind:
    values = dict(known) if isinstance(known, dict) else {name: name for name in known}
    words = {value: name for name, value in values.items()}

    def make(name: str) -> Any:
        if name not in values:
            raise UsageError(unknown(what, name, values))
        return values[name]

    return Kind(
        takes=f"names of a {what}",
        type=str,
        several=several,
        make=make,
        word=lambda value: words[value],
        has_words=True,
    )


def switches() -> Kind:
    """Return the kind of switches: on, off, or both ways."""
    words = {"on": True, "off": False}
    return Kind(
        takes="on or off (true or false in files)",
        type=bool,
        read=lambda word: words.get(word, word),
        word=lambda value: "on" if value else "off",
        has_words=True,
    )


def duration(*, several: bool = False) -> Kind:
    """Return the kind of a time with its unit, converted to microseconds."""

    def make(text: str) -> int:
        found = re.fullmatch(r"([0-9]{1,9})(us|ms|s)", text.strip())
        time = int(found[1]) * _UNITS[found[2]] if found else 0
        if not 0 < time <= MOST_SECONDS * _UNITS["s"]:
            raise ValueError(text)
        return time

    return Kind(
        takes="a time with a unit (us, ms or s)",
        type=str,
        several=several,
        make=make,
        word=lambda time: f"{time}us",
        has_words=True,
    )


def phases() -> Kind:
    """Return the kind of round trips: warm-up, measured and cool-down."""
    any_number, some = (Annotated[int, msgspec.Meta(ge=low, le=MOST_TRIPS)] for low in (0, 1))
    return Kind(
        takes=f"three numbers up to {MOST_TRIPS}, for warm-up, measurement (1 or more) and cool-down",
        type=tuple[any_number, some, any_number],  # type: ignore[valid-type]
        several=False,
        read=lambda text: [_number(word.strip()) for word in text.split(",")],
        word=lambda rounds: ",".join(map(str, rounds)),
    )


def either(kinds: Sequence[Kind]) -> Kind:
    """Return the kind of values of any of several kinds, all of one type."""

    def make(given: Any) -> Any:
        for kind in kinds[:-1]:
            with suppress(ValueError, UsageError):
                return kind.one(given)
        return kinds[-1].one(given)

    def word(value: Any) -> str:
        for kind in kinds[:-1]:
            with suppress(KeyError):
                return kind.word(value)
        return kinds[-1].word(value)

    return replace(kinds[0], make=make, word=word)


FLAG = Kind(takes="true or false", type=bool, several=False)
TEXTS = Kind(takes="quoted texts", type=str)
TEXT = Kind(takes="a quoted text", type=str, several=False)
RULE = Kind(takes="detect, paper or a number", type=int | str, several=False, make=str)


def _number(word: str) -> int | str:
    # Like int, isdecimal accepts digits of other scripts; a plus sign or underscore is a slip.
    return int(word[:20]) if word.isdecimal() else word


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Return a sentence that a name is unknown, with a suggestion."""
    import difflib

    known = list(known)
    close = difflib.get_close_matches(name[:253], known, n=1, cutoff=0.5)
    # `pairs` is as good a guess for messaging/pairs as any of difflib's.
    close = close or [one for one in known if name and name in one]
    hint = f"did you mean {close[0]}?" if close else f"choose one of: {', '.join(sorted(known))}"
    if not close and what in _LISTS:  # too many to list
        hint = f"list all with: {_LISTS[what]}"
    return f"no {what} {name[:_SHOWN]!r}; {hint}"
