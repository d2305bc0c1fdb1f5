"""How many times as fast one row is as another, or why that is inconclusive, and what would decide it.

Sentences, tiles, charts, tables and verdicts that compare use this. A comparison is inconclusive if a side
was cold, did not hold full load, was disturbed or has too few repetitions, or if the interval of the ratio
includes 1. An existing verdict, which is corrected for all comparisons of its experiment, takes precedence.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary.core.quoting import counted
from formicary_bench.results.summary.baselines import BASELINES, based, typical_of, values_of
from formicary_bench.statistics.comparisons import FEWEST, RESOLUTION, Verdict, repetitions_for
from formicary_bench.statistics.intervals import Interval, widening
from formicary_bench.statistics.ratios import ratio_of_values, speed
from formicary_bench.statistics.stability import is_advice
from formicary_bench.subjects.registry import label_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.results.summary.baselines import Warmth
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.metrics import Metric

QUIETER = "a quieter machine"


class Doubt(msgspec.Struct, frozen=True):
    """Why a comparison is inconclusive.

    Attributes:
        reason: Why, in a few words.
        remedy: What would decide it, as a noun or an option.
        who: The side that causes it; empty if neither does.
        repetitions: How many would decide it; 0 if more would not.
    """

    reason: str
    remedy: str
    who: str = ""
    repetitions: int = 0

    @property
    def sentence(self) -> str:
        """The doubt as a sentence, without full stop."""
        of = f"{self.who}: " if self.who else ""
        return f"{of}{self.reason}; {self.remedy} would tell"


class Factor(msgspec.Struct, frozen=True, kw_only=True):
    """The speed of one row beside another.

    Attributes:
        name: The other one's name in sentences.
        ratio: How many times as fast it is, with its interval; None if inconclusive.
        doubt: Why it is inconclusive; None if it is not.
        is_same: Whether all differences that matter are ruled out.
        way: How the sides were run, where that makes a difference: `warm`.
        depends: Whether the interval is widened, as repetitions are correlated.
        of: The anchors of both rows, if it is of rows.
    """

    name: str
    ratio: Interval | None = None
    doubt: Doubt | None = None
    is_same: bool = False
    way: str = ""
    depends: bool = False
    of: tuple[str, ...] = ()


def factor(row: Row, other: Row, metric: Metric) -> Factor | None:
    """Return the speed of a row beside another; None if either lacks the figure."""
    if typical_of(row, metric) is None or typical_of(other, metric) is None:
        return None
    name = "a message and its answer" if other.family != row.family else name_of(other)
    if compared := based(row):
        name = compared.said(compared.base)
    ours, theirs = values_of(row, metric), values_of(other, metric)
    doubt = doubt_of(row, other) or too_few(row, ours) or too_few(other, theirs)
    found = factor_of(ours, theirs, name, doubt, is_rate=bool(metric.more_is_better))
    found = msgspec.structs.replace(found, way=_way(row, other), of=(row.anchor, other.anchor))
    verdict = _verdict(row, other, metric.name)
    if found.ratio is None or verdict is None:
        return found
    if verdict is Verdict.UNDECIDED:
        chance = Doubt("it may be chance, among so many comparisons", "more repetitions")
        return msgspec.structs.replace(found, ratio=None, doubt=chance)
    return msgspec.structs.replace(found, is_same=verdict is Verdict.SAME)


def factor_of(
    values: Sequence[float], base: Sequence[float], name: str, doubt: Doubt | None = None, *, is_rate: bool
) -> Factor:
    """Return the speed of some figures beside others, as `factor` does."""
    if doubt is None and min(len(values), len(base)) < FEWEST:
        doubt = _few(min(len(values), len(base)))
    ratio = None if doubt else ratio_of_values(values, base)
    if ratio is None:
        return Factor(
            name=name, doubt=doubt or Doubt("not all figures are above zero", "a look at the raw values")
        )
    depends = widening(values, base) > 1
    is_same = max(ratio.high, 1 / ratio.low) <= 1 + RESOLUTION
    if ratio.low <= 1 <= ratio.high and not is_same:
        return Factor(name=name, doubt=_wide(ratio, min(len(values), len(base)), depends=depends))
    found = speed(ratio, is_rate=is_rate)
    return Factor(name=name, ratio=found, is_same=is_same and ratio.low <= 1 <= ratio.high, depends=depends)


def doubt_of(row: Row, other: Row) -> Doubt | None:
    """Return why two rows cannot be compared, whatever their figures; None if they can."""
    return doubt_about(row) or doubt_about(other)


def doubt_about(row: Row) -> Doubt | None:
    """Return why a row cannot be compared; None if it can."""
    who = name_of(row)
    if row.invalid:
        return Doubt("not valid", "another run", who)
    if doubt := doubt_of_warmth(row.warmth, who):
        return doubt
    if row.full_load is False:
        return Doubt("full load not held", "a longer cool-down (T3 in --rounds)", who)
    return None


def doubt_of_warmth(warmth: Warmth | None, who: str) -> Doubt | None:
    """Return that a platform was not warm; None if it was, or need not be."""
    if warmth is None or warmth.settled:
        return None
    return Doubt(warmth.word, QUIETER if warmth.warm_up_s else "warm rounds", who)


def too_few(row: Row, values: Sequence[float]) -> Doubt | None:
    """Return that a row has too few figures to be compared; None if it has enough."""
    return _few(len(values) or row.repetitions, name_of(row)) if len(values) < FEWEST else None


def name_of(row: Row) -> str:
    """Return a subject's name in sentences."""
    known = label_of(row.platform, row.kind) or f"{row.platform} {row.kind}".strip()
    name = BASELINES.get(row.platform, known).removeprefix("two ").removeprefix("bare ")
    return name + (" with TLS" if row.tls else "")


def _few(many: int, who: str = "") -> Doubt:
    return Doubt(counted(many, "repetition"), f"--repeat {FEWEST}", who, repetitions=FEWEST)


def _wide(ratio: Interval, many: int, *, depends: bool) -> Doubt:
    needed = max(many + 1, repetitions_for(ratio, many, RESOLUTION))
    reason = "the interval of the ratio includes 1"
    if depends or not is_advice(needed):
        return Doubt(reason, QUIETER)
    return Doubt(reason, f"about {needed} repetitions", repetitions=needed)


def _way(row: Row, other: Row) -> str:
    return next((one.warmth.word for one in (other, row) if one.warmth), "")


def _verdict(row: Row, other: Row, figure: str) -> Verdict | None:
    """Return the verdict on two rows from either of them; None if there is none."""
    for one, base in ((row, other), (other, row)):
        who = base.platform, base.kind, base.route
        for known in one.compared:
            same = known.figure == figure and (known.platform, known.kind, known.route) == who
            if same and one.placement == base.placement and one.tls == base.tls:
                return known.comparison.verdict
    return None
