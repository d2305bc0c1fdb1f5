"""Positions of values on axes, and the ticks of axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Format = Callable[[float], str]

LOGARITHMIC, LINEAR, NINES = "logarithmic", "linear", ""

_ROOM, _LOG_ROOM, _NEAR = 0.06, 0.05, 0.011  # parts of what is shown; at least so many decades; around ratios
_FINEST = 1e-12
_FEW = 3  # an axis with fewer names says little


class Tick(NamedTuple):
    """A named place on an axis: 0 at its begin, 1 at its end."""

    place: float
    text: str


class Scale(msgspec.Struct, frozen=True):
    """An axis from `first` to `last`, in lengths: `kind` says how a value is turned into one."""

    kind: str
    first: float
    last: float
    names: tuple[tuple[float, str], ...]

    def place(self, value: float) -> float:
        """Return the position of a value, from 0 to 1; values outside are put on the edge."""
        return min(max(self._raw(value), 0.0), 1.0)

    @property
    def ticks(self) -> list[Tick]:
        """The named places that are shown."""
        return [
            Tick(place, text)
            for value, text in self.names
            if -_FINEST <= (place := self._raw(value)) <= 1 + _FINEST
        ]

    def _raw(self, value: float) -> float:
        return (_LENGTHS[self.kind](value) - self.first) / (self.last - self.first)


def logarithmic(values: Iterable[float], text: Format, least: float = _LOG_ROOM) -> Scale:
    """Make an axis of powers of ten with ticks at round values, and room for at least `least` decades."""
    logs = [_log(value) for value in values]
    low, high = min(logs), max(logs)
    room = max((high - low) * _ROOM, least)
    first, last = low - room, high + room
    powers = [10.0**decade for decade in range(math.floor(first), math.ceil(last) + 1)]
    marks = (
        [value for power in powers for step in steps if 10**first <= (value := step * power) <= 10**last]
        for steps in ((1,), (1, 2, 5))
    )
    # What is so near one another has about the places that equal steps would give it.
    named = next((found for found in marks if len(found) >= _FEW), None) or _round(10**first, 10**last)
    return Scale(LOGARITHMIC, first, last, tuple((value, text(value)) for value in named))


def ratios(values: Iterable[float], text: Format) -> Scale:
    """Make a logarithmic axis of ratios, with 1 on it."""
    return logarithmic([1.0, *values], text, _NEAR)


def linear(values: Iterable[float], text: Format) -> Scale:
    """Make a linear axis with ticks at round values; it does not go below zero unless a value does."""
    known = list(values)
    low, high = min(known), max(known)
    room = (high - low) * _ROOM or abs(high) * _ROOM or 1.0
    first, last = low - room if low else 0.0, high + room
    return Scale(LINEAR, first, last, tuple((value, text(value)) for value in _round(first, last)))


def from_zero(values: Iterable[float], text: Format) -> Scale:
    """Make a linear axis that includes zero."""
    return linear([0.0, *values], text)


def logarithmic_at(values: Iterable[float], text: Format) -> Scale:
    """Make a logarithmic axis with ticks at the measured values."""
    return _at(set(values), text, logarithmic)


def linear_at(values: Iterable[float], text: Format) -> Scale:
    """Make a linear axis with ticks at the measured values."""
    return _at(set(values), text, linear)


def tail(probabilities: Iterable[float], text: Format) -> Scale:
    """Make an axis of probabilities on which every nine takes the same space: 0, 90%, 99%, 99.9%."""
    last = max(1.0, *(_nines(p) for p in probabilities))
    named = (0.0, 0.5, *(1 - 10.0**-n for n in range(1, math.floor(last + 1e-6) + 1)))
    return Scale(NINES, 0.0, last, tuple((p, text(p)) for p in named))


def _at(values: set[float], text: Format, scale: Callable[[set[float], Format], Scale]) -> Scale:
    names = tuple((value, text(value)) for value in sorted(values))
    return msgspec.structs.replace(scale(values, str), names=names)


def _round(first: float, last: float) -> list[float]:
    """Return a few round values, as far from one another."""
    power = 10.0 ** math.floor(math.log10((last - first) / _FEW))
    step = next((size for size in (5 * power, 2 * power) if (last - first) / size >= _FEW), power)
    return [number * step for number in range(math.ceil(first / step), math.floor(last / step) + 1)]


def whole(value: float) -> str:
    """Write a whole number at an axis."""
    return str(int(value))


def _log(value: float) -> float:
    return math.log10(max(value, _FINEST))


def _nines(probability: float) -> float:
    return -math.log10(max(1 - probability, _FINEST))


_LENGTHS: dict[str, Callable[[float], float]] = {LOGARITHMIC: _log, LINEAR: float, NINES: _nines}
