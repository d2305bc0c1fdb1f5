"""Figures in text: how values are written, and which rows they are from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

from formicary_bench.experiments.registry import declared, metric_of
from formicary_bench.reports import formatting
from formicary_bench.vocabulary.metrics import BITS, BYTES, MICROSECONDS, PART, PER_SECOND, SECONDS, TIMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.metrics import Metric
    from formicary_bench.vocabulary.parameters import Parameter


def _seconds(value: float) -> str:
    return formatting.duration(1e6 * value)


_WRITERS: dict[str, Callable[[float], str]] = {
    MICROSECONDS: formatting.duration,
    SECONDS: _seconds,
    BYTES: formatting.size,
    BITS: lambda value: f"{formatting.count(value)}bit/s",
    PER_SECOND: formatting.per_second,
    PART: "{:.1%}".format,
    TIMES: formatting.times,
}


def writer(metric: Metric) -> Callable[[float], str]:
    """Return how a value of a metric is written, with its unit."""
    return _WRITERS.get(metric.unit, formatting.count)


def cell(metric: Metric, value: float | None) -> str:
    """Write a value below the heading of its metric, or after a noun: a rate without `per second`."""
    if value is None:
        return formatting.NOTHING
    return formatting.count(value) if metric.unit == PER_SECOND else writer(metric)(value)


def value_of(row: Row, metric: Metric) -> str:
    """Write a figure of a row below the heading of its metric."""
    return cell(metric, row.mean(metric))


def spread_of(row: Row, metric: Metric) -> str:
    """Write half an interval's width relative to its mean; nothing without an interval."""
    return formatting.spread(row.mean(metric), row.bounds(metric))


def sized(parameter: Parameter, value: Any) -> str:
    """Write a value of a parameter below its heading; nothing where it does not apply."""
    if value is None or value in ("", ()):
        return ""
    if parameter.unit == "bytes":
        return formatting.short(formatting.size(value))
    if parameter.unit.startswith(MICROSECONDS):
        return formatting.short(formatting.duration(value))
    return formatting.number(value) if isinstance(value, int) else str(value).replace("-", " ")


def said(parameter: Parameter, value: Any) -> str:
    """Format a parameter's value for a sentence, with its unit: `10 pairs`."""
    written = sized(parameter, value) or "0"  # where it does not apply
    if parameter.unit in {"", "bytes"} or parameter.unit.startswith(MICROSECONDS):
        return written
    noun = parameter.unit.removesuffix("s") if value == 1 and "/" not in parameter.unit else parameter.unit
    return f"{written} {noun}"


def main_metric(experiment: str, names: Iterable[str]) -> Metric:
    """Return the main metric of an experiment if it is among some names; else the first of these."""
    known, given = declared(experiment), list(names)
    main = known.main_metric if known else None
    return main if main and main.name in given else metric_of(experiment, given[0])


class Citation(NamedTuple):
    """The place of a figure in a text, and the anchors of its rows."""

    begin: int
    end: int
    of: str


class Cited(str):
    """A text that links some of its figures to rows."""

    __slots__ = ("citations",)

    citations: tuple[Citation, ...]

    def __new__(cls, text: str, citations: Iterable[Citation] = ()) -> Self:
        found = super().__new__(cls, text)
        found.citations = tuple(citations)
        return found


def anchors(*rows: Row) -> str:
    """Return the anchors of rows, separated by spaces."""
    return " ".join(dict.fromkeys(row.anchor for row in rows))


def cite(text: str, *rows: Row) -> Cited:
    """Return a written figure that cites its rows."""
    return cite_anchors(text, anchors(*rows))


def cite_anchors(text: str, of: str) -> Cited:
    """Return a written figure that cites rows by their anchors, if any."""
    return Cited(text, [Citation(0, len(text), of)] if of else [])


def told(*parts: str) -> Cited:
    """Join parts into one text that cites what they cite."""
    citations, length = [], 0
    for part in parts:
        known = part.citations if isinstance(part, Cited) else ()
        citations += [Citation(length + one.begin, length + one.end, one.of) for one in known]
        length += len(part)
    return Cited("".join(parts), citations)


def joined(separator: str, parts: Iterable[str]) -> Cited:
    """Join parts with a separator into one text that cites what they cite."""
    between = [word for part in parts for word in (separator, part)]
    return told(*between[1:])


def pieces(text: str) -> Iterator[tuple[str, str]]:
    """Split a text at its figures, and yield each piece with the anchors of its rows, if any."""
    end = 0
    for one in text.citations if isinstance(text, Cited) else ():
        yield text[end : one.begin], ""
        yield text[one.begin : one.end], one.of
        end = one.end
    yield text[end:], ""
