"""Round trips in the pipeline: how many are measured, how rows are made, and what is shown.

In one process, designs are compared with the hand-over by the sender, which leaves the platform's own path as
they do. Between two processes they are compared with our agents on the same route, as are tuned agents in one
process. As in the papers, a pool of workers is also compared with a single one, and a chain with the pool.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from formicary_bench.experiments.experiment import PAPER_ROUNDS
from formicary_bench.experiments.presets import preset_of
from formicary_bench.experiments.selections import SELECTIONS, longer_rounds, quick_rounds
from formicary_bench.reports.document.factors import faster
from formicary_bench.reports.document.report import ROUND_TRIPS
from formicary_bench.reports.document.round_trips import fewest, most
from formicary_bench.reports.document.sentences import Tile, at_once, is_finding, tile_of, where
from formicary_bench.results.summary.baselines import baseline_of
from formicary_bench.results.summary.round_trips import exchanges
from formicary_bench.runner.planning.hosts import cores_of
from formicary_bench.vocabulary.metrics import RATE, TIME, TOTAL
from formicary_bench.vocabulary.names import PAPER
from formicary_bench.vocabulary.places import APART, SAME
from formicary_bench.vocabulary.values import BUFFER, CHAIN, HAND_OVER, POOL

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary_bench.reports.document.points import Findings
    from formicary_bench.results.summary.each import Exchanged
    from formicary_bench.results.summary.row import Row
    from formicary_bench.runner.planning.drafts import Draft
    from formicary_bench.vocabulary.metrics import Metric
    from formicary_bench.vocabulary.parameters.shared import Rounds


_FEWEST = 20  # measured round trips of a pair
_IN_ONE_PROCESS = 50_000  # by all pairs together: with fewer, start and end would matter


def with_rounds(draft: Draft) -> Iterator[Draft]:
    """Yield a draft with its round trips; each sender waits for an answer."""
    if draft.options.sizes.get("cores"):
        cores_of(draft.options)  # refuses more than there are
    senders = draft.experiment.senders(draft.sizes["pairs"])
    known = draft.sized(senders=senders) if senders else draft
    yield known.sized(rounds=draft.options.sizes.get("rounds") or _rounds(known))


def _rounds(draft: Draft) -> Rounds:
    """Return the round trips of a pair: those of the preset, the selection, or the experiment."""
    options, experiment = draft.options, draft.experiment
    if experiment.has_fixed_rounds:
        fixed: Rounds = experiment.sizes.get("rounds", PAPER_ROUNDS)
        return fixed
    if options.preset == PAPER:
        found: Rounds | None = preset_of(experiment, PAPER).sizes.get("rounds")
        return found or _usual(draft)
    if options.preset:
        return quick_rounds(draft)
    if options.experiment in SELECTIONS:
        return quick_rounds(draft) if SELECTIONS[options.experiment].is_short else longer_rounds(draft)
    usual = _usual(draft)
    return usual if draft.subject.trips else _lasting(usual, draft)


def _usual(draft: Draft) -> Rounds:
    """Return an experiment's default round trips of a pair, which suit the platform's pace."""
    trips, load = draft.subject.trips, draft.sizes["pairs"]
    if not trips:
        usual: Rounds | None = draft.part.sizes.get("rounds") or draft.experiment.sizes.get("rounds")
        return usual or PAPER_ROUNDS
    measured = max(trips // load, _FEWEST)
    return measured // 4, measured, measured if load > 1 else 0


def _lasting(rounds: Rounds, draft: Draft) -> Rounds:
    """Multiply round trips so that they last a while in one process, too."""
    warm_up, measured, cool_down = rounds
    load = draft.sizes["pairs"]
    few = draft.layout.placement == SAME and 0 < measured * load < _IN_ONE_PROCESS
    times = -(-_IN_ONE_PROCESS // (measured * load)) if few else 1
    return warm_up * times, measured * times, cool_down * times


def _tiles(found: Findings) -> list[Tile]:
    """Return the tiles: the time of a message in each placement, then the rates."""
    ours = (row for row in found if row.platform == "formicary" and is_finding(row))
    plain = [row for row in ours if row.kind == "behaviours" and not row.tls]
    places = [
        members
        for placement, route in ((SAME, "in-process"), (APART, "direct"), (APART, "xmpp"))
        if (members := [row for row in plain if (row.placement, row.route) == (placement, route)])
    ]
    tiles = [
        *(_tile(fewest(members), TIME, "per round trip", found.run) for members in places),
        *(_tile(most(members), RATE, "round trips", found.run) for members in places),
    ]
    return [tile for tile in tiles if tile is not None]


def _tile(row: Row, metric: Metric, what: str, run: Sequence[Row]) -> Tile | None:
    place, base = where(row), baseline_of(row, run)
    meaning = f"{what} {place[0].lower()}{place[1:]}, {at_once(row)}"
    return tile_of(row, metric, meaning, faster(row, base, metric) if base else "")


PAIRS = replace(ROUND_TRIPS, tiles=_tiles)


_OURS = "formicary", "behaviours"
_HAND_OVER = "design", HAND_OVER
_BESIDES = {POOL: ("design", BUFFER), CHAIN: ("design", POOL)}


def is_change_of(row: Row, base: Row) -> bool:
    """Return whether a row of `messaging/designs` is compared with another."""
    if _who(row) == _who(base) or _circumstances(row) != _circumstances(base):
        return False
    if row.placement != SAME or row.platform == "style":
        return _who(base) == _OURS
    return _who(base) in {_HAND_OVER, _BESIDES.get(row.kind)}


def _who(row: Row) -> tuple[str, str]:
    return row.platform, row.kind


def _circumstances(row: Row) -> tuple[object, ...]:
    return row.placement, row.route, row.tls, row.sizes


OF_DESIGNS = exchanges(compared_by=(RATE,), is_held_against=is_change_of)


def _is_held_against(row: Row, base: Row) -> bool:
    """Return whether a style is compared with another row: that of ordinary agents or micro-agents."""
    usual = "micro" if row.kind.startswith("micro") else "behaviours"
    is_usual = (base.platform, base.kind) == ("formicary", usual)
    return row.platform == "style" and is_usual and row.sizes == base.sizes


OF_STYLES = exchanges(compared_by=(RATE,), is_held_against=_is_held_against)


def _total(_: Any, __: Any, measured: Exchanged) -> dict[Metric, float | None]:
    return {TOTAL: measured.load.elapsed_s}


OF_LOWER_BOUNDS = exchanges(_total)
