"""Numbers for readers: few digits, in a suitable unit."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from formicary.core.quoting import counted as _counted

if TYPE_CHECKING:
    from formicary_bench.results.summary.row import Bounds
    from formicary_bench.statistics.intervals import Interval

NOTHING = "—"
"""The text in place of a missing figure."""


def duration(microseconds: float | None) -> str:
    """Return a time with three digits: `1.92 µs`, `144 µs`, `12.3 ms`."""
    if microseconds is None:
        return NOTHING
    if microseconds < 1000:  # noqa: PLR2004 - the next unit
        return f"{digits(microseconds)} µs"
    if microseconds < 1e6:  # noqa: PLR2004 - the next unit
        return f"{digits(microseconds / 1e3)} ms"
    return f"{digits(microseconds / 1e6)} s"


def count(number: float | None) -> str:
    """Return a large number with three digits: `427 k`, `1.19 M`."""
    if number is None:
        return NOTHING
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        # From 9999 on, so that 1000 pairs are 1000 and not 1 k.
        if number >= size * (10 if unit == " k" else 1):
            return f"{digits(number / size)}{unit}"
    return f"{number:.0f}" if number >= 100 or number == int(number) else digits(number)  # noqa: PLR2004


def per_second(value: float) -> str:
    """Write a rate."""
    return f"{count(value)}/s"


def number(value: int) -> str:
    """Write a whole number with all of its digits, in groups: `100 000`."""
    return f"{value:,}".replace(",", " ")


counted = _counted


def one_or(number: int, word: str) -> str:
    """Write the same with a word for one: `one pair`, `10 pairs`."""
    return f"one {word}" if number == 1 else counted(number, word)


def size(number: float | None) -> str:
    """Return a size in bytes with three digits: `100 B`, `2.31 kB`."""
    if number is None:
        return NOTHING
    for step, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if number >= step:
            return f"{digits(number / step)} {unit}"
    return f"{number:.0f} B"


def times(ratio: float) -> str:
    """Return a ratio: `0.032`, `0.87`, `1.44`, `4.4`, `65`."""
    return digits(ratio, 3 if 1 <= ratio < 1.995 else 2)  # noqa: PLR2004 - 1.4 may be 1.35 or 1.45


def short(text: str) -> str:
    """Remove trailing zeros from a figure that is a round value rather than a measurement."""
    return re.sub(r"(\.\d*?)0+(?=\D|$)", r"\1", text).replace(". ", " ").removesuffix(".")


def between(low: str, high: str) -> str:
    """Return an interval of two formatted figures, with one unit: `3.17–3.22 µs`."""
    unit = re.search(r"[ /].*$", high)
    return f"{low.removesuffix(unit[0]) if unit else low}–{high}"


def spread(mean: float | None, bounds: Bounds | None) -> str:
    """Return half an interval's width relative to its mean: `±2.1%`; nothing without an interval."""
    if not mean or bounds is None:
        return ""
    percent = (bounds[1] - bounds[0]) / 2 / mean * 100
    return f"±{percent:.1f}%" if percent >= 0.1 else "±<0.1%"  # noqa: PLR2004 - as far as it matters


def spread_of(interval: Interval | None) -> str:
    """Return the same for a figure with its interval; nothing if that has no width.

    A single repetition has no interval, nor has a ratio of such figures.
    """
    if interval is None or interval.low == interval.high:
        return ""
    return spread(interval.mean, (interval.low, interval.high))


def factors(ratio: Interval) -> str:
    """Return the interval of a ratio of speeds as factors above 1: `30–48`; across 1, as it is."""
    low, high = (ratio.low, ratio.high) if ratio.mean >= 1 else (1 / ratio.high, 1 / ratio.low)
    return f"{times(low)}–{times(high)}"


def compared(ratio: Interval) -> str:
    """Return a ratio of speeds with its interval: `4.3× slower (3.6–5.3)`."""
    return f"{faster(ratio.mean)} ({factors(ratio)})"


def beside(ratio: Interval, name: str) -> str:
    """Return the same beside a name, as part of its speed: `0.71× asyncio tasks (0.69–0.74)`."""
    return f"{times(ratio.mean)}× {name} ({times(ratio.low)}–{times(ratio.high)})"


def part(probability: float) -> str:
    """Return a probability as a percentage with all of its nines: `50%`, `99.9%`."""
    return f"{100 * probability:.10g}%"


def probability(p: float) -> str:
    """Write the p of a test."""
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"  # noqa: PLR2004 - less is as good


def slug(text: str) -> str:
    """Return a name for links made from a text: lower-case ASCII letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def digits(number: float, wanted: int = 3) -> str:
    """Round a number to some digits, and write it without an exponent."""
    if number == 0 or not math.isfinite(number):
        return "0" if number == 0 else NOTHING
    places = wanted - 1 - math.floor(math.log10(abs(number)))
    rounded = round(number, places)
    return f"{rounded:.{max(places, 0)}f}"


def faster(ratio: float, name: str = "") -> str:
    """Return how many times faster something is, by the ratio of speeds.

    `38× faster than JADE`, `1.15× slower than asyncio tasks`, `as fast as callbacks`; `38× faster` without a
    name.
    """
    factor = times(max(ratio, 1 / ratio)) if ratio > 0 else NOTHING
    if factor == times(1.0):
        return f"as fast as {name}" if name else "as fast"
    than = f" than {name}" if name else ""
    return f"{factor}× {'faster' if ratio > 1 else 'slower'}{than}"
