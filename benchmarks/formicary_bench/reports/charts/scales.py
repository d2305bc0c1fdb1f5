"""Where on an axis a value lies, and which values an axis names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Format = Callable[[float], str]

_ROOM = 0.06
_FINEST = 1e-12
_STEPS = ((1.0,), (1.0, 2.0, 5.0), tuple(range(1, 10)), tuple(step / 10 for step in range(10, 100)))
_FEW = 3  # an axis with fewer names says little
_CLOSE_RATIOS = (0.01, 0.02, 0.05, 0.1, 0.2)  # steps between ratios, where all of them are near 1
_MOST_TICKS = 8  # of ratios near 1
_NEAR = 0.006  # on each side at least: a bit more than one in a hundred
_FEW_DECADES = 2.5  # of ratios that are not, where there is room for names between powers of ten


class Tick(msgspec.Struct, frozen=True):
    """A named place on an axis: 0 at its begin, 1 at its end."""

    place: float
    text: str


class Scale(msgspec.Struct, frozen=True):
    """An axis: `transform` turns a value into a length, `first` and `last` are the ends of what is shown.

    `kind` is `logarithmic`, `linear`, or empty where it is neither.
    """

    transform: Callable[[float], float]
    first: float
    last: float
    ticks: tuple[Tick, ...]
    kind: str = ""

    def place(self, value: float) -> float:
        """Return where a value lies, 0 to 1; what lies outside is put on the edge."""
        raw = (self.transform(value) - self.first) / (self.last - self.first)
        return min(max(raw, 0.0), 1.0)


def logarithmic(values: Iterable[float], text: Format) -> Scale:
    """Make an axis of powers of ten with ticks at round values."""
    logs = [_log(value) for value in values]
    low, high = min(logs), max(logs)
    room = max((high - low) * _ROOM, 0.05)
    first, last = low - room, high + room
    return _with_ticks(_log, first, last, [(value, text(value)) for value in _round_values(first, last)])


def ratios(values: Iterable[float], text: Format) -> Scale:
    """Make a logarithmic axis of ratios, with 1 on it, and ticks as far apart on both sides of it."""
    logs = [0.0, *(_log(value) for value in values)]
    low, high = min(logs), max(logs)
    room = max((high - low) * _ROOM, _NEAR)
    first, last = low - room, high + room
    named: list[float] = []
    for step in _CLOSE_RATIOS:  # equal steps, as far as they go
        named = [1 + step * number for number in range(-_MOST_TICKS, _MOST_TICKS + 1) if step * number > -1]
        if first > _log(1 - step * _MOST_TICKS / 2) and last < _log(1 + step * _MOST_TICKS / 2):
            break
    else:
        decades = range(math.floor(first), math.ceil(last) + 1)
        steps = (1.0, 2.0, 5.0) if last - first < _FEW_DECADES else (1.0,)
        named = [step * 10.0**decade for decade in decades for step in steps]
    shown = [value for value in named if first <= _log(value) <= last]
    return _with_ticks(_log, first, last, [(value, text(value)) for value in shown])


def linear(values: Sequence[float], text: Format) -> Scale:
    """Make an axis of equal steps with ticks at round values."""
    low, high = min(values), max(values)
    room = (high - low) * _ROOM or abs(high) * _ROOM or 1.0
    first, last = low - room, high + room
    power = 10.0 ** math.floor(math.log10((last - first) / _FEW))
    step = next(size for size in (5 * power, 2 * power, power) if (last - first) / size >= _FEW)
    wanted = (number * step for number in range(math.ceil(first / step), math.floor(last / step) + 1))
    return _with_ticks(float, first, last, [(value, text(value)) for value in wanted])


def from_zero(values: Sequence[float], text: Format) -> Scale:
    """Make an axis of equal steps that begins at zero, or below it where a value is."""
    low, high = min(0.0, *values), max(values) or 1.0
    last = high + (high - low) * _ROOM
    first = low - (high - low) * _ROOM if low < 0 else 0.0
    power = 10.0 ** math.floor(math.log10((last - first) / _FEW))
    step = next(size for size in (5 * power, 2 * power, power) if (last - first) / size >= _FEW)
    wanted = (number * step for number in range(math.ceil(first / step), math.floor(last / step) + 1))
    return _with_ticks(float, first, last, [(value, text(value)) for value in wanted])


def logarithmic_at(values: Sequence[float], text: Format) -> Scale:
    """Make an axis of powers of ten with ticks at the very values that were measured."""
    logs = sorted({_log(value) for value in values})
    room = max((logs[-1] - logs[0]) * _ROOM, 0.05)
    named = [(value, text(value)) for value in sorted(set(values))]
    return _with_ticks(_log, logs[0] - room, logs[-1] + room, named)


def tail(probabilities: Iterable[float], text: Format) -> Scale:
    """Make an axis of probabilities on which every nine takes the same room: 0, 90%, 99%, 99.9%."""
    last = max(1.0, *(_nines(p) for p in probabilities))
    named = [(p, text(p)) for p in (0.0, 0.5, *(1 - 10.0**-n for n in range(1, math.floor(last + 1e-6) + 1)))]
    return _with_ticks(_nines, 0.0, last, named)


def _with_ticks(
    transform: Callable[[float], float], first: float, last: float, named: Iterable[tuple[float, str]]
) -> Scale:
    ticks = (Tick((transform(value) - first) / (last - first), text) for value, text in named)
    kind = {_log: "logarithmic", float: "linear"}.get(transform, "")
    return Scale(transform, first, last, tuple(ticks), kind)


def _round_values(first: float, last: float) -> list[float]:
    """Return powers of ten, and as many values between them as it takes to name a few."""
    decades = range(math.floor(first), math.ceil(last) + 1)
    found: list[float] = []
    for steps in _STEPS:
        values = (step * 10.0**decade for decade in decades for step in steps)
        found = [value for value in values if first <= math.log10(value) <= last]
        if len(found) >= _FEW:
            break
    return found


def _log(value: float) -> float:
    return math.log10(max(value, _FINEST))


def _nines(probability: float) -> float:
    return -math.log10(max(1 - probability, _FINEST))
