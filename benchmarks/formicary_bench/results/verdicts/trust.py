"""How far a run can be trusted, in a few words: the badge at the top of every format.

The error of figures is the larger of two things: the scatter of repetitions, and what other processes used of
the machine, which affects all repetitions alike and does not show in their scatter.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.statistics.stability import FEWEST, Stability
from formicary_bench.vocabulary.metrics import MEAN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary_bench.results.store.model import Manifest, Repetition
    from formicary_bench.results.summary.row import Row

LEVELS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""Relative errors that are told apart; beyond them, only the order of magnitude is known."""

MAGNITUDE = "Order of magnitude only"
NOTHING = "Nothing to trust yet"

MOST_REPETITIONS = 50
"""More repetitions are never advised: so much scatter has a cause that can be removed."""

_MOST_FIGURES = 0.9  # of all figures, those that keep within the level
BUSY = 0.05
"""The part of the machine that others may use before it matters."""

_STOLEN = 0.01
_HOST = "host@"
_REPEATS = (5, 10, 20, MOST_REPETITIONS)


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """How far a run can be trusted.

    Attributes:
        level: In two or three words, such as `Within 10%`.
        within: The relative error; None beyond the levels.
        reasons: Why, in a few words each, the most important first.
        advice: What would help, as orders without full stop; empty if nothing is needed.
        repeat: How many repetitions would help; 0 if more would not.
    """

    level: str
    within: float | None
    reasons: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    repeat: int = 0

    @property
    def is_good(self) -> bool:
        """Whether nothing needs to be improved."""
        return self.within is not None and not self.advice

    @property
    def sentence(self) -> str:
        """The level, reasons and advice in one line."""
        because = f": {'; '.join(self.reasons)}" if self.reasons else ""
        todo = f". To improve: {'; '.join(self.advice)}" if self.advice else ""
        return f"{self.level}{because}{todo}."


def trust_of(manifest: Manifest, rows: Sequence[Row]) -> Trust:
    """Return how far a run can be trusted."""
    plain = [row for row in rows if not row.profiled] or list(rows)
    if not plain:
        return Trust(level=NOTHING, within=None)
    sound = [row for row in plain if row.full_load is not False and not row.invalid]
    scatter = _scatter(sound)
    taken, stolen = _taken(manifest), _stolen_in(manifest.repetitions)
    lost = min(taken + stolen, 1.0)
    # With half of a machine, it may take twice the time.
    error = max(scatter, lost / (1 - lost) if lost < 1 else math.inf)
    within = next((level for level in LEVELS if error <= level), None)
    repeat = _repeat(plain, scatter) if scatter > LEVELS[3] else 0
    return Trust(
        level=MAGNITUDE if within is None else f"Within {within:.0%}",
        within=within,
        reasons=tuple(_reasons(manifest, plain, scatter, (taken, stolen))),
        advice=tuple(_advice(plain, scatter, repeat, (taken, stolen)))[:2],
        repeat=repeat,
    )


def _scatter(rows: Iterable[Row]) -> float:
    """Return the relative error that nine of ten figures keep within; infinity if unknown."""
    halves = sorted(math.inf if half is None else half for row in rows for half in _halves(row))
    return halves[math.ceil(_MOST_FIGURES * len(halves)) - 1] if halves else math.inf


def _halves(row: Row) -> list[float | None]:
    return [one.assessment.half_width for one in row.stability if one.figure != MEAN.name]


def lost_in(manifest: Manifest, repetitions: Sequence[Repetition]) -> float:
    """Return what part of the machine, or of the busiest host, other processes used during some repetitions.

    It is 0 if unknown.
    """
    return min((_taken_in(manifest, repetitions) or 0.0) + _stolen_in(repetitions), 1.0)


def _taken(manifest: Manifest) -> float:
    """Return what part of the machine others used: during the run, or by the load before it."""
    known = _taken_in(manifest, manifest.repetitions)
    if known is None and manifest.load_before:
        return min(manifest.load_before[0] / _cores(manifest), 1.0)
    return known or 0.0


def _taken_in(manifest: Manifest, repetitions: Sequence[Repetition]) -> float | None:
    known = [one.others_cores / _cores(manifest) for one in repetitions if one.others_cores is not None]
    known = known or _of_hosts(repetitions, "others")
    return min(sum(known) / len(known), 1.0) if known else None


def _stolen_in(repetitions: Sequence[Repetition]) -> float:
    known = [one.stolen for one in repetitions if one.stolen is not None]
    known = known or _of_hosts(repetitions, "stolen")
    return sum(known) / len(known) if known else 0.0


def _cores(manifest: Manifest) -> int:
    return manifest.machine.threads or manifest.machine.usable or 1


def _of_hosts(repetitions: Sequence[Repetition], what: str) -> list[float]:
    """Return what others took of the CPU time of the busiest host, in each repetition."""
    found = [
        [
            part
            for name, part in one.counters.items()
            if name.startswith("host@") and name.endswith(f" {what}")
        ]
        for one in repetitions
    ]
    return [max(parts) for parts in found if parts]


def _reasons(
    manifest: Manifest, rows: Sequence[Row], scatter: float, shares: tuple[float, float]
) -> Iterable[str]:
    taken, stolen = shares
    if not manifest.complete:
        yield "partial run"
    for many, what in _exceptions(rows):
        yield f"{what} in {many} of {len(rows)}"
    cores = _cores(manifest)
    if taken >= BUSY and _of_hosts(manifest.repetitions, "others"):
        yield f"other processes used {taken:.0%} of a host"
    elif taken >= BUSY:
        yield f"{_who_took(manifest)} {taken * cores:.1f} of {cores} cores"
    if stolen >= _STOLEN:
        yield f"{stolen:.0%} of CPU time stolen"
    if math.isinf(scatter):
        yield f"fewer than {FEWEST} repetitions"
    else:
        yield f"9 of 10 results within ±{max(scatter, LEVELS[0]):.0%}"


def _who_took(manifest: Manifest) -> str:
    is_known = any(one.others_cores is not None for one in manifest.repetitions)
    return "other processes used" if is_known else "load before:"


def _exceptions(rows: Sequence[Row]) -> Iterable[tuple[int, str]]:
    """Return how many rows are less reliable, and why."""
    counted = {
        "full load not held": sum(row.full_load is False for row in rows),
        "not warm": sum(row.warmth is not None and not row.warmth.settled for row in rows),
        "not valid": sum(bool(row.invalid) for row in rows),
        "drift": sum(
            any(one.assessment.stability is Stability.DRIFTS for one in row.stability) for row in rows
        ),
        "dependence": sum(any(one.assessment.depends for one in row.stability) for row in rows),
    }
    return [(many, what) for what, many in counted.items() if many]


def _advice(rows: Sequence[Row], scatter: float, repeat: int, shares: tuple[float, float]) -> Iterable[str]:
    taken, stolen = shares
    if taken >= BUSY:
        yield "close other programs"
    if stolen >= _STOLEN:
        yield "use a machine that is not shared"
    if any(row.full_load is False for row in rows):
        yield "lengthen the cool-down (T3 in --rounds)"
    if scatter > LEVELS[3]:
        yield f"use --repeat {repeat}" if repeat else "use longer --rounds"


def _repeat(rows: Sequence[Row], scatter: float) -> int:
    """Return how many repetitions would make figures known within 10%; 0 if that is out of reach.

    From few values, only the next step is advised.
    """
    fewest = min((row.repetitions for row in rows), default=1)
    if math.isinf(scatter):
        return _REPEATS[0]
    if fewest < _REPEATS[1]:
        return _REPEATS[2]
    needed = fewest * (scatter / LEVELS[3]) ** 2
    return next((many for many in _REPEATS if many >= needed and many > fewest), 0)
