"""Messages with and without TLS: one pair by size, and pairs by number: `messaging/encryption`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary_bench.experiments.experiment import BURBECK, Experiment, Figure, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import (
    ALONE,
    DIRECTLY,
    FIT,
    LONG,
    OURS,
    TEN,
    TO_100_KB,
    TO_TEN,
    TWO_KB,
    VARIES,
    declared,
)
from formicary_bench.experiments.presets import preset_of
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.metrics import MEAN
from formicary_bench.vocabulary.names import QUICK
from formicary_bench.vocabulary.parameters.shared import Talk
from formicary_bench.vocabulary.places import APART, TWO_HOSTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.runner.planning.options import Options

_PLACEMENTS = (APART, TWO_HOSTS)
_BY_SIZE, _BY_PAIRS = 6, 7  # figures


def _figures(rows: Sequence[Any]) -> set[int]:
    """Return the number of a chart's figure; a chart over pairs starts with the figure of one pair."""
    return {_BY_SIZE if all(row.exchange.pairs == 1 for row in rows) else _BY_PAIRS}


EXPERIMENT = Experiment(
    name=names.ENCRYPTION,
    title="With and without encryption",
    what="round-trip time with and without TLS, of one pair by size and of pairs by number",
    source="Burbeck 2004, Fig. 6, 7",
    repeats=Repeats(BURBECK, _figures),
    varies=VARIES,
    parameters=Talk,
    sizes={"pairs": (1, 5, 10), "payload_bytes": (TWO_KB,)},
    placements=_PLACEMENTS,
    tls=(False, True),
    fit=FIT,
    quick=Preset(parts=(Take(subjects=(OURS, "tcp"), placements=(APART,), carriers=DIRECTLY),)),
    paper=Preset(
        repeat=TEN,
        placements=(TWO_HOSTS,),
        parts=(
            Take(
                sizes={"pairs": (1,), "payload_bytes": TO_100_KB, "rounds": ALONE},
                placements=_PLACEMENTS,
            ),
            Take(
                sizes={"pairs": TO_TEN, "payload_bytes": (TWO_KB,), "rounds": LONG},
                placements=_PLACEMENTS,
            ),
        ),
    ),
    takes=Loaded("formicary_bench.experiments.messaging.encryption:takes"),
    over="pairs",
    figures=(
        Figure(metric=MEAN, over="payload_bytes", title="Round-trip time against size of the body"),
        Figure(metric=MEAN, over="pairs", title="Round-trip time against pairs"),
    ),
    says="{where}, {who}, {pairs}: a round trip with {payload_bytes} takes {rtt_p50_us} (median){beside}.",
)

_USUAL = (
    Take(
        sizes={
            "pairs": declared.SINGLE_PAIR_SIZE.sizes["pairs"],
            "payload_bytes": declared.SINGLE_PAIR_SIZE.sizes["payload_bytes"],
        },
        placements=_PLACEMENTS,
    ),
    Take(
        sizes={"pairs": EXPERIMENT.sizes["pairs"], "payload_bytes": EXPERIMENT.sizes["payload_bytes"]},
        placements=_PLACEMENTS,
    ),
)
"""One pair with messages of many sizes, and many pairs with messages of one size."""


def takes(options: Options) -> tuple[Take, ...]:
    """Return the parts of a run: if only one size is given, the part that varies it."""
    if options.preset == QUICK:
        return EXPERIMENT.quick.parts
    chosen = preset_of(EXPERIMENT, options.preset).parts if options.preset else _USUAL
    has_pairs, has_payload = (name in options.sizes for name in ("pairs", "payload_bytes"))
    if has_pairs is has_payload:
        return chosen
    by_size, by_pairs = chosen
    return (by_pairs,) if has_pairs else (by_size,)
