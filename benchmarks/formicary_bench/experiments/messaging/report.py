"""What experiments with round trips show besides what is usual: figures first, and what varies with sizes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from formicary_bench.reports.document.factors import faster
from formicary_bench.reports.document.report import ROUND_TRIPS
from formicary_bench.reports.document.round_trips import fewest, most
from formicary_bench.reports.document.sentences import Tile, at_once, is_finding, tile_of, where
from formicary_bench.results.summary.baselines import baseline_of
from formicary_bench.vocabulary.metrics import RATE, TIME
from formicary_bench.vocabulary.places import APART, SAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.reports.document.points import Findings
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.metrics import Metric


def _tiles(found: Findings) -> list[Tile]:
    """Return what a message takes in each place, and then the rates."""
    ours = (row for row in found if row.platform == "formicary" and is_finding(row))
    plain = [row for row in ours if row.kind == "behaviours" and not row.tls]
    places = [
        members
        for placement, route in ((SAME, "in-process"), (APART, "direct"), (APART, "xmpp"))
        if (members := [row for row in plain if (row.placement, row.route) == (placement, route)])
    ]
    tiles = [
        *(_tile(fewest(members), TIME, "there and back", found.run) for members in places),
        *(_tile(most(members), RATE, "round trips", found.run) for members in places),
    ]
    return [tile for tile in tiles if tile is not None]


def _tile(row: Row, metric: Metric, what: str, run: Sequence[Row]) -> Tile | None:
    place, base = where(row), baseline_of(row, run)
    meaning = f"{what} {place[0].lower()}{place[1:]}, {at_once(row)}"
    return tile_of(row, metric, meaning, faster(row, base, metric) if base else "")


PAIRS = replace(ROUND_TRIPS, tiles=_tiles)
