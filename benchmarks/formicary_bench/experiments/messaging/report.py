"""What experiments with round trips show besides what is usual: figures first, and what varies with sizes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from formicary_bench.reports.document.factors import faster
from formicary_bench.reports.document.report import ROUND_TRIPS, Report
from formicary_bench.reports.document.round_trips import (
    charts_by_size,
    fewest,
    load_charts,
    most,
    size_charts,
    size_sentences,
    split,
)
from formicary_bench.reports.document.sentences import (
    Tile,
    at_once,
    is_finding,
    tile_of,
    where,
)
from formicary_bench.results.summary.baselines import baseline_of
from formicary_bench.vocabulary.metrics import RATE, TIME
from formicary_bench.vocabulary.placements import APART, SAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.reports.charts.plots import Chart
    from formicary_bench.reports.document.findings import Findings
    from formicary_bench.results.summary.row import Row
    from formicary_bench.vocabulary.metrics import Metric


def _tiles(found: Findings) -> list[Tile]:
    tiles: list[Tile] = []
    ours = (row for row in found if row.platform == "formicary" and is_finding(row))
    plain = [row for row in ours if row.kind == "behaviours" and not row.tls]
    for placement, route in ((SAME, "in-process"), (APART, "direct"), (APART, "xmpp")):
        members = [row for row in plain if (row.placement, row.route) == (placement, route)]
        if members:
            tiles += _pair_tiles(members, found.run)
    return tiles


def _pair_tiles(members: Sequence[Row], rows: Sequence[Row]) -> list[Tile]:
    few, many = fewest(members), most(members)
    place = where(few)
    place = place[0].lower() + place[1:]
    tiles = (
        tile_of(few, TIME, f"there and back {place}, {at_once(few)}", _held(few, rows, TIME)),
        tile_of(many, RATE, f"round trips {place}, {at_once(many)}", _held(many, rows, RATE)),
    )
    return [tile for tile in tiles if tile is not None]


def _held(row: Row, rows: Sequence[Row], metric: Metric) -> str:
    base = baseline_of(row, rows)
    return faster(row, base, metric) if base else ""


def _encryption(found: Findings) -> list[Chart]:
    """Show one pair by size, and of each size of which there are several numbers of pairs, these."""
    shown = []
    for load, panel in split(found, lambda row: row.exchange.load).items():
        if load == 1 and len({row.exchange.payload_bytes for row in panel}) > 1:
            shown += size_charts(panel, load)
    by_load = split(found, lambda row: row.exchange.payload_bytes)
    several = {
        size: panel for size, panel in by_load.items() if len({row.exchange.load for row in panel}) > 1
    }
    # Where nothing varies, or sizes of several pairs alone, what there is is shown by size.
    for size, panel in (several or ({} if shown else by_load)).items():
        shown += load_charts(panel, size, found.tails)
    return shown


PAIRS = replace(ROUND_TRIPS, tiles=_tiles)
SIZES = Report(sentences=size_sentences, charts=charts_by_size)
ENCRYPTION = replace(ROUND_TRIPS, charts=_encryption)
