"""Whether a run reproduces or refutes the papers' conclusions.

Each claim is judged at all points that both of its sides have, by simultaneous intervals: it is reproduced if
all lie where the claim says, and refuted if one lies elsewhere. Hosts that are one machine decide nothing,
and a run that is accurate only to an order of magnitude refutes nothing.
"""

from __future__ import annotations

import math
from enum import StrEnum
from itertools import product
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.published.claims import Claim  # noqa: TC001 - msgspec resolves the annotations
from formicary_bench.results.summary.baselines import BASELINES
from formicary_bench.results.summary.each import samples_of
from formicary_bench.results.summary.row import Row
from formicary_bench.results.verdicts.factors import doubt_about
from formicary_bench.statistics.comparisons import FEWEST
from formicary_bench.statistics.intervals import Interval  # noqa: TC001 - msgspec resolves the annotations
from formicary_bench.statistics.ratios import product_of_values
from formicary_bench.statistics.stability import is_advice
from formicary_bench.vocabulary.places import HOSTED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from formicary_bench.published.claims import Check, Side

_MAGNITUDE = "the run is accurate only to an order of magnitude"
_SHARE = "share of "
_SERVER = "server"
_OF_LOOPS = {"loop", "way"}
_PLACES = ("placement", "hosts", "traffic")


class Outcome(StrEnum):
    """The verdict on a claim."""

    REPRODUCED = "reproduced"
    REFUTED = "refuted"
    OPEN = "inconclusive"


class At(msgspec.Struct, frozen=True, kw_only=True):
    """One point at which a claim is judged.

    Attributes:
        rows: The rows that it judges: one, or those that are compared.
        value: The value, ratio or growth, with its interval, if any.
        outcome: The verdict of this point alone.
        doubt: Why it decides nothing, whatever its figures; empty if it may.
    """

    rows: tuple[Row, ...]
    value: Interval | None
    outcome: Outcome
    doubt: str = ""


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on a claim, with its points.

    Attributes:
        claim: The claim.
        outcome: The verdict.
        points: All points at which it was judged; none if it was not measured.
        takes: What would decide it, as an order without full stop; empty if it is decided.
    """

    claim: Claim
    outcome: Outcome
    points: tuple[At, ...] = ()
    takes: str = ""

    @property
    def counted(self) -> str:
        """The number of points by outcome, if there are several."""
        many = len(self.points)
        if many < 2:  # noqa: PLR2004 - several
            return ""
        there = {outcome: sum(one.outcome is outcome for one in self.points) for outcome in Outcome}
        said = {"holds": Outcome.REPRODUCED, "fails": Outcome.REFUTED, "inconclusive": Outcome.OPEN}
        parts = [f"{word} at {there[outcome]}" for word, outcome in said.items() if there[outcome]]
        return f"{', '.join(parts)} of {many} points"


def judge(claim: Claim, rows: Sequence[Row]) -> Card:
    check = claim.check
    if check is None:
        return Card(claim=claim, outcome=Outcome.OPEN, takes=claim.needs)
    found = _along(check, rows) if check.along else _side_by_side(check, rows)
    points = tuple(_judged(check, rows, divided, len(found)) for rows, divided in found)
    outcomes = {one.outcome for one in points}
    if not points:
        return Card(claim=claim, outcome=Outcome.OPEN, takes=_to_measure(claim, check))
    if Outcome.REFUTED in outcomes:
        return Card(claim=claim, outcome=Outcome.REFUTED, points=points)
    if Outcome.OPEN in outcomes:
        takes = next(filter(None, (_to_decide(check, one) for one in points)), claim.needs)
        return Card(claim=claim, outcome=Outcome.OPEN, points=points, takes=takes)
    return Card(claim=claim, outcome=Outcome.REPRODUCED, points=points)


def is_at(side: Side, row: Row, figure: str) -> bool:
    """Return whether a row belongs to a side of a test, by a figure."""
    names = {row.platform, f"{row.platform}-{row.kind}"}
    return (
        row.experiment in side.experiments
        and (side.subject in names if side.subject else row.platform not in BASELINES)
        and (not side.placements or row.placement in side.placements)
        and (not side.route or row.route == side.route)
        and (side.tls is None or row.tls == side.tls)
        and side.pairs_from <= row.exchange.load <= side.pairs_to
        and (side.agents is None or row.size("agents") == side.agents)
        and (not side.way or row.size("way") == side.way)
        and bool(values_of(row, figure))
    )


def values_of(row: Row, figure: str) -> Sequence[float]:
    """Return a figure of each repetition; of those that held full load, if any did."""
    if figure.startswith(_SHARE):
        return _shares(row, figure.removeprefix(_SHARE)) if row.profiled else ()
    if row.profiled:
        return ()
    held = samples_of([one for one in row.each if one.full_load]).get(figure)
    return held or samples_of(row.each).get(figure, [])


def _shares(row: Row, group: str) -> list[float]:
    """Return what part of the agents' processes' CPU time a group took, in each repetition.

    What agents call counts as theirs, as in the papers, which measure threads.
    """
    parts = [one for one in row.cpu.strands if one.role != _SERVER] if row.cpu else []
    many = min((len(one.values) for one in parts), default=0)
    all_of_it = [math.fsum(one.values[at] for one in parts) for at in range(many)]
    of_group = [math.fsum(one.values[at] for one in parts if one.group == group) for at in range(many)]
    return [part / whole for part, whole in zip(of_group, all_of_it, strict=True) if whole > 0]


_Divided = list[tuple[int, "Sequence[float]"]]
_Found = list[tuple[tuple[Row, ...], _Divided]]


def _side_by_side(check: Check, rows: Iterable[Row]) -> _Found:
    """Return what is judged for each row of the claim's first side."""
    rows = list(rows)
    ones = [row for row in rows if is_at(check.one, row, check.figure)]
    if check.other is None:
        return [((row,), [(1, values_of(row, check.figure))]) for row in ones]
    against = check.other.figure or check.figure
    others = [row for row in rows if is_at(check.other, row, against)]
    return [
        ((one, other), [(1, values_of(one, check.figure)), (-1, values_of(other, against))])
        for one, other in product(ones, others)
        if _are_alike(check, one, other)
    ]


def _are_alike(check: Check, one: Row, other: Row) -> bool:
    """Return whether two rows do the same work, except where their sides differ."""
    assert check.other is not None
    if one == other:
        return check.figure != (check.other.figure or check.figure)
    same = []
    is_one_subject = check.one.subject == check.other.subject
    if is_one_subject:
        same += ["platform", "kind"]
    is_one_place = check.one.placements == check.other.placements
    if check.one.tls is None and check.other.tls is None:
        same += ["tls"]
    if is_one_place:
        same += _PLACES
    if is_one_place and is_one_subject and not check.one.route:
        same += ["route"]
    is_one_experiment = check.one.experiments == check.other.experiments
    same += ["spread"] if is_one_place and is_one_experiment else []
    same += ["experiment"] if is_one_experiment else []
    unlike = set() if is_one_experiment else _OF_LOOPS
    is_same_size = _sizes(one, unlike) == _sizes(other, unlike)
    return is_same_size and all(getattr(one, name) == getattr(other, name) for name in same)


def _sizes(row: Row, unlike: Collection[str]) -> tuple[object, ...]:
    """Return a row's sizes, without those that may differ."""
    return tuple(one for one in row.sizes if one[0] not in unlike)


def _along(check: Check, rows: Iterable[Row]) -> _Found:
    """Return what is judged of growth: the largest and the smallest row of each series."""
    rows = list(rows)
    ones = _ends(check, check.one, rows)
    if check.other is None:
        return [((most, least), _growth(check, most, least)) for most, least in ones]
    return [
        (
            (most, least),
            [*_growth(check, most, least), *((-power, values) for power, values in _growth(check, *base))],
        )
        for most, least in ones
        for base in _ends(check, check.other, rows)
        if _are_alike(check, most, base[0]) and _are_alike(check, least, base[1])
    ]


def _ends(check: Check, side: Side, rows: Iterable[Row]) -> list[tuple[Row, Row]]:
    varies = {check.along, "senders"} if check.along == "pairs" else {check.along}
    same = (*_PLACES, "experiment", "platform", "kind", "route", "tls", "spread")
    series: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        if is_at(side, row, check.figure) and row.size(check.along) >= check.least:
            at = *(getattr(row, name) for name in same), *_sizes(row, varies)
            series.setdefault(at, []).append(row)
    ordered = [sorted(members, key=lambda row: row.size(check.along)) for members in series.values()]
    return [(each[-1], each[0]) for each in ordered if each[-1].size(check.along) > each[0].size(check.along)]


def _growth(check: Check, most: Row, least: Row) -> _Divided:
    scale = most.size(check.along) / least.size(check.along) if check.proportional else 1.0
    return [
        (1, [value / scale for value in values_of(most, check.figure)]),
        (-1, values_of(least, check.figure)),
    ]


def _judged(check: Check, rows: tuple[Row, ...], divided: _Divided, family: int) -> At:
    doubt = _doubt(rows, divided)
    value = product_of_values(divided, family)
    if doubt or value is None:
        return At(rows=rows, value=value, outcome=Outcome.OPEN, doubt=doubt or "a figure is not above zero")
    low, high = check.between
    if low <= value.low and value.high <= high:
        return At(rows=rows, value=value, outcome=Outcome.REPRODUCED)
    is_refuted = value.high < low or value.low > high
    if is_refuted and any(row.trust and row.trust.within is None for row in rows):
        return At(rows=rows, value=value, outcome=Outcome.OPEN, doubt=_MAGNITUDE)
    return At(rows=rows, value=value, outcome=Outcome.REFUTED if is_refuted else Outcome.OPEN)


def _doubt(rows: tuple[Row, ...], divided: _Divided) -> str:
    """Return why figures decide nothing, whatever they are."""
    for row in rows:
        if found := doubt_about(row):
            return f"{found.who}: {found.reason}"
        if 0 < row.machines < row.hosts:
            return "the hosts are namespaces of one machine"
    fewest = min(len(values) for _, values in divided)
    return f"{fewest} repetition{'s' * (fewest != 1)}" if fewest < FEWEST else ""


def _to_decide(check: Check, point: At) -> str:
    """Return what would decide an open point."""
    if point.outcome is not Outcome.OPEN:
        return ""
    if "repetition" in point.doubt:
        return f"repeat each at least {FEWEST} times (--repeat {2 * FEWEST})"
    if point.doubt:
        return f"measure again without this: {point.doubt}"
    assert point.value is not None
    mean, spread = math.log(point.value.mean), math.log(point.value.high / point.value.low) / 2
    limits = [math.log(limit) for limit in check.between if 0 < limit < math.inf]
    room = min((abs(mean - limit) for limit in limits), default=0.0)
    many = min(len(values_of(row, check.figure)) or FEWEST for row in point.rows)
    needed = math.ceil(many * (spread / room) ** 2) if room > 0 else None
    if needed is not None and is_advice(needed):
        return f"repeat it about {max(needed, many + 1)} times (--repeat)"
    return "use a quieter machine: too close to call, or too much scatter"


def _to_measure(claim: Claim, check: Check) -> str:
    """Return the command that measures what no row has."""
    sides = [check.one, *([check.other] if check.other else [])]
    experiment = check.one.experiments[0]
    subjects = list(dict.fromkeys(side.subject for side in sides if side.subject))
    places = list(dict.fromkeys(place for side in sides for place in _nearest(side.placements)))
    words = [f"formicary bench run {experiment}", f"--repeat {2 * FEWEST}"]
    words += [f"--platform {','.join(subjects)}"] if subjects else []
    words += [f"--placement {','.join(places)}"] if places else []
    words += ["--hosts hosts.toml", "--tls off"] if set(places) & {*HOSTED} else []
    words += [f"--agents {check.one.agents}"] if check.one.agents is not None else []
    least = max(side.pairs_from for side in sides)
    words += [f"--pairs {least}"] if least else []
    return claim.needs or " ".join(words)


def _nearest(placements: Sequence[str]) -> Sequence[str]:
    """Return the placements that need no other host, or all if there are none."""
    return [place for place in placements if place not in HOSTED] or placements


def verdict_on(claims: Iterable[Claim], rows: Sequence[Row]) -> list[Card]:
    """Judge claims by the rows of a run, in their order."""
    return [judge(claim, rows) for claim in claims]
