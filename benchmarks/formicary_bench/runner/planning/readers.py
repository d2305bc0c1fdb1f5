"""Readers of single options of the command line: each returns a value, or says what to write instead."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from formicary.errors import UsageError
from formicary_bench.results.summary.warm_up import DETECT, read_rule
from formicary_bench.results.summary.warm_up import OPTION as WARM_UP
from formicary_bench.runner.planning.options import MOST_SECONDS, MOST_TRIPS, ON_OFF
from formicary_bench.subjects.drivers.recipes import RECIPES, how_to_install
from formicary_bench.subjects.registry import subjects
from formicary_bench.vocabulary.traffic import SAID

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_LISTS = {"experiment": "formicary bench list", "platform": "formicary bench platforms"}
_SOME_ROUNDS = "500,1000,500"
_UNITS = {"us": 1, "ms": 1000, "s": 1_000_000}


def numbers(option: str, text: str | None, low: int, high: int) -> tuple[int, ...] | None:
    """Read numbers with commas between them, each only once; None is none.

    Raises:
        UsageError: one of them is none, or too small or too large.
    """
    if text is None:
        return None
    return tuple(dict.fromkeys(_number(option, word.strip(), low, high) for word in text.split(",")))


def one_number(option: str, text: str | None, low: int, high: int) -> int | None:
    """Read one whole number from `low` to `high`; None is none."""
    return None if text is None else _number(option, text.strip(), low, high)


def _number(option: str, word: str, low: int, high: int, example: str = "") -> int:
    # isdecimal also takes other scripts' digits, as int does; a plus sign or an underscore is a slip.
    if not word.isdecimal() or not low <= int(word[:20]) <= high:
        raise UsageError(
            f"{option} takes whole numbers from {low} to {high}, not {word[:40]!r}; "
            f"write {option} {example or max(low, 1)}, say"
        )
    return int(word)


def duration(option: str, text: str | None) -> int | None:
    """Read a time with its unit as microseconds: `800us`, `5ms`, `1s`."""
    if text is None:
        return None
    found = re.fullmatch(r"([0-9]{1,9})(us|ms|s)", text.strip())
    time = int(found[1]) * _UNITS[found[2]] if found else 0
    if not 0 < time <= MOST_SECONDS * _UNITS["s"]:
        raise UsageError(
            f"{option} takes a time with its unit, us, ms or s, not {text[:40]!r}; write {option} 5ms, say"
        )
    return time


def phases(text: str | None) -> tuple[int, int, int] | None:
    """Read how many round trips come before, while and after it is measured."""
    if text is None:
        return None
    words = text.split(",")
    if len(words) != 3:  # noqa: PLR2004 -- the three phases
        raise UsageError(
            f"--rounds takes three numbers, for warm-up, measurement and cool-down, not {text!r}; "
            f"write --rounds {_SOME_ROUNDS}, say"
        )
    lows = (0, 1, 0)
    first, second, third = (
        _number("--rounds", word.strip(), low, MOST_TRIPS, _SOME_ROUNDS)
        for word, low in zip(words, lows, strict=True)
    )
    return first, second, third


def warm_up_rule(text: str | None, rounds: str | None) -> int | str | None:
    """Read what is left out as warm-up, which `rounds` may have said already."""
    rule = None if text is None else read_rule(text)
    if isinstance(rule, int) and rounds is not None:
        raise UsageError(
            f"--rounds {rounds} says already how long the warm-up is: leave --{WARM_UP} {text} out, or write "
            f"--{WARM_UP} {DETECT}"
        )
    return rule


def switches(option: str, text: str | None) -> tuple[bool, ...] | None:
    """Read `on`, `off`, or both."""
    if text is None:
        return None
    known = {word: value for value, word in ON_OFF.items()}
    words = dict.fromkeys(word.strip() for word in text.split(","))
    for word in words:
        if word not in known:
            raise UsageError(f"{option} is on, off, or on,off, not {word[:40]!r}; write {option} on, say")
    return tuple(known[word] for word in words)


def read_subjects(text: str | None) -> tuple[str, ...] | None:
    """Read names of subjects; `formicary` means both kinds of our agents."""
    if text is None:
        return None
    every = subjects()
    known = {subject.name: subject for subject in every}
    families = {subject.platform for subject in every} - set(known)
    named = names("platform", text, [*families, *known, *RECIPES]) or ()
    for name in named:
        if name in RECIPES and name not in known:
            raise UsageError(f"{name} is not installed; {how_to_install(name)}")
    chosen = [s for s in every if s.name in named or (s.platform in named and not s.hidden)]
    for subject in chosen:
        if not subject.is_installed():
            raise UsageError(
                f"{subject.name} is not installed; install it with: "
                f"pip install 'formicary[{subject.extra or subject.package}]'"
            )
    return tuple(subject.name for subject in chosen)


def names(what: str, text: str | None, known: Sequence[str]) -> tuple[str, ...] | None:
    """Read names with commas between them, each only once, all of them known."""
    if text is None:
        return None
    found = tuple(dict.fromkeys(word.strip() for word in text.split(",")))
    for name in found:
        if name not in known:
            raise UsageError(unknown(what, name, known))
    return found


def spreads(text: str | None) -> tuple[str, ...] | None:
    """Read where services are."""
    known = {word: spread for spread, word in SAID.items()}
    found = names("spread", text, list(known))
    return None if found is None else tuple(known[name] for name in found)


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Say that there is none of a name, and which was perhaps meant."""
    known = list(known)
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    # `pairs` is as good a guess at messaging/pairs as any that difflib makes.
    close = close or [one for one in known if name and name in one]
    hint = f"did you mean {close[0]}?" if close else f"take one of: {', '.join(sorted(known))}"
    if not close and what in _LISTS:  # too many to name
        hint = f"look at all with: {_LISTS[what]}"
    return f"there is no {what} {name!r}; {hint}"
