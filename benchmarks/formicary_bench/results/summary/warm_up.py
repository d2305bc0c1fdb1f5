"""The end of the warm-up: as planned, as in the papers, or where the values have settled.

The raw values are stored, so the same run can be shown in each of these ways.
"""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean, median
from typing import TYPE_CHECKING, Any

import msgspec

from formicary.errors import UsageError
from formicary_bench.results.store.raw import COOL_DOWN, MEASURED, WARM_UP, RoundTrips
from formicary_bench.statistics.warmup import FEWEST, PAPERS, WarmUp, across, detect

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from formicary_bench.results.store.folder import RunFolder
    from formicary_bench.results.store.model import Manifest, Repetition
    from formicary_bench.vocabulary.configuration import Configuration


OPTION = "warm-up"
"""The name of the option on the command line and in manifests."""

DETECT, PAPER = "detect", "paper"

_TREND = 0.05
_MOST = 10_000_000
_CELLS = 2**17  # of a table, read together
_MOST_PAIRS = 256  # enough at each index for their median


class WarmUpLeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """The warm-up discarded from a configuration's figures.

    Attributes:
        rule: `planned` (the run's T1), `detect`, or a number.
        least: the fewest round trips of each pair over the repetitions.
        most: the most.
        settled: for each repetition, the round trips after which it settled; None if it never did, or if
            there are too few to tell.
        remark: a sentence without full stop for readers, if any.
    """

    rule: str
    least: int
    most: int
    settled: tuple[int | None, ...] = ()
    remark: str = ""


class Cut(msgspec.Struct, frozen=True):
    """The warm-up discarded from one repetition.

    Attributes:
        index: the round trips of each pair.
        found: where it settles.
        is_known: whether there are enough to tell.
        matters: whether the start of what counts differs from the rest by more than a twentieth.
    """

    index: int
    found: WarmUp
    is_known: bool
    matters: bool


def read_rule(text: str) -> int | str:
    """Read a rule: `detect`, `paper`, or a number of round trips; return `detect` or the number.

    Raises:
        UsageError: it is none of these.
    """
    word = text.strip()
    if word == DETECT:
        return DETECT
    if word == PAPER:
        return PAPERS
    if not word.isdecimal() or int(word[:20]) > _MOST:
        raise UsageError(
            f"--{OPTION} is detect, paper (the first {PAPERS}), or a number up to {_MOST}, "
            f"not {word[:40]!r}; use, for example, --{OPTION} detect"
        )
    return int(word)


def with_rule(manifest: Manifest, text: str) -> Manifest:
    """Return a run with another rule; raises UsageError if the rule does not exist."""
    read_rule(text)
    return msgspec.structs.replace(manifest, options={**manifest.options, OPTION: text})


def measured(run: RunFolder, configuration: Configuration, repetition: Repetition) -> tuple[RoundTrips, Cut]:
    """Read a repetition's round trips, with phases by the run's rule.

    Raises:
        UsageError: they are missing or broken, or the manifest has an invalid rule.
    """
    given = run.manifest.options.get(OPTION)
    rule = None if given is None else read_rule(str(given))
    data = run.raw(repetition, RoundTrips)
    series = _series(data)
    found = detect(series)
    index = found.index if rule == DETECT else rule
    if not isinstance(index, int) or index >= len(series):
        index = configuration.exchange.warm_up
    cut = Cut(index, found, len(series) >= FEWEST, _begins_otherwise(series[index:]))
    return (data if index == configuration.exchange.warm_up else _relabelled(data, index)), cut


def left_out(run: RunFolder, configuration: Configuration, cuts: Sequence[Cut]) -> WarmUpLeftOut:
    """Return the warm-up discarded from a configuration with at least one repetition."""
    given = run.manifest.options.get(OPTION)
    rule = "planned" if given is None else str(read_rule(str(given)))
    indices = [cut.index for cut in cuts]
    return WarmUpLeftOut(
        rule=rule,
        least=min(indices),
        most=max(indices),
        settled=tuple(cut.found.index for cut in cuts),
        remark=_remark(rule, configuration.exchange.warm_up, cuts),
    )


def _remark(rule: str, planned: int, cuts: Sequence[Cut]) -> str:
    """Return a remark if the discarded warm-up is not the requested one, or too short."""
    if rule.isdecimal():
        short = [cut.index for cut in cuts if cut.index != int(rule)]
        return (
            f"too few round trips to discard {rule} as warm-up: the planned {planned} are discarded"
            if short
            else ""
        )
    unknown = sum(not cut.is_known for cut in cuts)
    restless = [cut for cut in cuts if cut.is_known and cut.found.index is None]
    if rule == DETECT and (unknown or restless):
        why = restless[0].found.sentence if restless else cuts[0].found.sentence
        many = unknown + len(restless)
        return f"in {many} of {len(cuts)} repetitions the planned warm-up of {planned} is discarded, as {why}"
    late = [cut for cut in cuts if cut.is_known and cut.matters]
    if 2 * len(late) <= len(cuts):
        return ""
    return (
        f"a warm-up of {planned} is too short: {len(late)} of {len(cuts)} repetitions had not warmed up; "
        f"show the run with --{OPTION} {DETECT}, or measure with a longer one"
    )


def _begins_otherwise(series: NDArray[Any]) -> bool:
    """Return whether the first quarter of a series differs from its last half by over a twentieth."""
    import numpy as np

    if len(series) < FEWEST:
        return False
    first, last = np.median(series[: len(series) // 4]), np.median(series[len(series) // 2 :])
    return bool(abs(first - last) > _TREND * last)


def _series(data: RoundTrips) -> NDArray[Any]:
    """Combine the series of all pairs, without the cool-down; empty if impossible."""
    import numpy as np

    if not len(data.pair):
        return np.empty(0)
    step = int(data.pair.max()) // _MOST_PAIRS + 1
    edges = [(int(pair.max()), int(index.min()), int(index.max())) for pair, index, _ in _used(data, step)]
    if not edges or min(first for _, first, _ in edges) < 0:
        return np.empty(0)
    shape = max(pair for pair, *_ in edges) + 1, max(last for *_, last in edges) + 1
    if shape[0] * shape[1] > 4 * len(data.pair):  # numbered differently from runs
        return np.empty(0)
    table = np.full(shape, np.nan, dtype=np.float32)  # its digits are enough to see where times settle
    for pair, index, rtt_ns in _used(data, step):
        table[pair, index] = rtt_ns
    width = max(_CELLS // shape[0], 1)
    blocks = (table[:, begin : begin + width] for begin in range(0, shape[1], width))
    return np.concatenate([_medians(block) for block in blocks])


def _used(data: RoundTrips, step: int) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """Return pair, number and time of the round trips of every `step`-th pair, part by part."""
    for part in data.parts():
        used = (part.phase != COOL_DOWN) & (part.pair % step == 0)
        if used.any():
            yield part.pair[used] // step, part.index[used], part.rtt_ns[used]


def _medians(block: NDArray[Any]) -> NDArray[Any]:
    """Return the medians of columns that have any value."""
    import numpy as np

    holes = np.isnan(block)
    if not holes.any():
        return across(block)
    return np.asarray(np.nanmedian(block[:, ~holes.all(axis=0)], axis=0))


def _relabelled(data: RoundTrips, index: int) -> RoundTrips:
    """End the warm-up at an index, leaving the cool-down alone."""
    import numpy as np

    phases = np.where(data.index < index, np.int8(WARM_UP), np.int8(MEASURED))
    phases[data.phase == COOL_DOWN] = COOL_DOWN
    return replace(data, phase=phases)


PARTS = (0.0, 0.1, 0.25, 0.5)
"""The parts of each pair's round trips before the cool-down that are left out."""


class OtherCut(msgspec.Struct, frozen=True):
    """The figures of another cut.

    Attributes:
        part: the share of round trips before the cool-down that is left out.
        median_us: the median of the repetitions' medians, in microseconds.
        mean_us: the mean of their means.
    """

    part: float
    median_us: float
    mean_us: float


def other_cuts(run: RunFolder, repetitions: Sequence[Repetition]) -> list[OtherCut]:
    """Return the figures of other cuts of repetitions with messages; empty if nothing was measured.

    Raises:
        UsageError: Raw values are missing or broken.
    """
    found = [figures for one in repetitions if (figures := _figures(run.raw(one, RoundTrips)))]
    return [
        OtherCut(part, median(one[place][0] for one in found), fmean(one[place][1] for one in found))
        for place, part in enumerate(PARTS if found else ())
    ]


def _figures(data: RoundTrips) -> list[tuple[float, float]]:
    """Return median and mean in microseconds for each cut of a repetition; empty if one leaves nothing.

    Of the values, which may be many millions, it holds one copy at a time.
    """
    import numpy as np

    counts = data.phase != COOL_DOWN
    if not counts.any():
        return []
    bounds = np.iinfo(data.index.dtype)
    first = int(data.index.min(where=counts, initial=bounds.max))
    many = int(data.index.max(where=counts, initial=bounds.min)) - first + 1
    found = []
    for part in PARTS:
        kept = data.rtt_ns[counts & (data.index >= first + part * many)]
        if not len(kept):
            return []
        mean = float(kept.mean())
        found.append((float(np.median(kept, overwrite_input=True)) / 1e3, mean / 1e3))
        del kept  # before the next one is made
    return found
