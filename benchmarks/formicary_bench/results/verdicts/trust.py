"""How far a run can be trusted, in a few words: the badge that stands above everything, in every format.

Figures are no better than the larger of two things: how much the repetitions scatter, and what others took of
the machine meanwhile, which all repetitions have in common and their scatter does not show.
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
"""Within what part of themselves figures may be known; beyond that, only their order of magnitude is."""

MAGNITUDE = "Order of magnitude only"
NOTHING = "Nothing to trust yet"

MOST_REPETITIONS = 50
"""More repetitions than these are no advice: what scatters so much has a cause that can be removed."""

_MOST_FIGURES = 0.9  # of all figures, those that are known at least so well as is said
BUSY = 0.05
"""Which part of the machine others may use before that matters."""

_STOLEN = 0.01
_HOST = "host@"
_REPEATS = (5, 10, 20, MOST_REPETITIONS)


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """How far a run can be trusted.

    Attributes:
        level: In two or three words, such as `Within 10%`.
        within: The same as a part of the figures; None where not even that is known.
        reasons: Why, in a few words each, the weightiest first.
        advice: What would help, as orders without full stop; empty where nothing need be done.
        repeat: How many repetitions would help; 0 where more would not.
    """

    level: str
    within: float | None
    reasons: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    repeat: int = 0

    @property
    def is_good(self) -> bool:
        """Whether there is no reason to hesitate."""
        return self.within is not None and not self.advice

    @property
    def sentence(self) -> str:
        """All of it in one line."""
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
    # Who has half of a machine may be told twice the time.
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
    """Return within what part of themselves nine of ten figures are known; infinity where nothing says so."""
    halves = sorted(math.inf if half is None else half for row in rows for half in _halves(row))
    return halves[math.ceil(_MOST_FIGURES * len(halves)) - 1] if halves else math.inf


def _halves(row: Row) -> list[float | None]:
    return [one.assessment.half_width for one in row.stability if one.figure != MEAN.name]


def lost_in(manifest: Manifest, repetitions: Sequence[Repetition]) -> float:
    """Return what part of the machine, or of the busiest host, others took during some repetitions of a run.

    It is 0 where nobody looked.
    """
    return min((_taken_in(manifest, repetitions) or 0.0) + _stolen_in(repetitions), 1.0)


def _taken(manifest: Manifest) -> float:
    """Return what part of the machine others used: while it was measured, or as the load was before."""
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
    """Return what others took of a host's CPU time in each repetition: of the one of which they took most."""
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
    """Return how many rows are worth less than the others, and why."""
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

    What is far away is not extrapolated from three values: the next step is as much as is worth trying.
    """
    fewest = min((row.repetitions for row in rows), default=1)
    if math.isinf(scatter):
        return _REPEATS[0]
    if fewest < _REPEATS[1]:
        return _REPEATS[2]
    needed = fewest * (scatter / LEVELS[3]) ** 2
    return next((many for many in _REPEATS if many >= needed and many > fewest), 0)
