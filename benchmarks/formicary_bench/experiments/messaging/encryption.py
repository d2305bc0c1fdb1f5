"""Messages with TLS and without, of one pair by size and of pairs by number: `messaging/encryption`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from formicary_bench.experiments.experiment import BURBECK, Experiment, Loaded, Preset, Repeats, Take
from formicary_bench.experiments.messaging import (
    ALONE,
    DIRECTLY,
    LONG,
    OURS,
    TEN,
    TO_100_KB,
    TO_TEN,
    TWO_KB,
    VARIES,
    single_pair_size,
)
from formicary_bench.experiments.presets import preset_of
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.placements import APART, TWO_HOSTS
from formicary_bench.vocabulary.presets import QUICK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.runner.planning.options import Options

_PLACEMENTS = (APART, TWO_HOSTS)
_BY_SIZE, _BY_PAIRS = 6, 7  # figures


def _figures(rows: Sequence[Any]) -> set[int]:
    """Return the number of a chart's figure: that of one pair is in a chart by pairs where these begin."""
    return {_BY_SIZE if all(row.pairs == 1 for row in rows) else _BY_PAIRS}


EXPERIMENT = Experiment(
    name=names.ENCRYPTION,
    title="With encryption and without",
    what="round-trip time with TLS and without, of one pair by size and of pairs by number",
    source="Burbeck 2004, Fig. 6, 7",
    repeats=Repeats(BURBECK, _figures),
    varies=VARIES,
    pairs=(1, 5, 10),
    payloads=(TWO_KB,),
    placements=_PLACEMENTS,
    tls=(False, True),
    quick=Preset(parts=(Take(subjects=(OURS, "tcp"), placements=(APART,), carriers=DIRECTLY),)),
    paper=Preset(
        repeat=TEN,
        placements=(TWO_HOSTS,),
        parts=(
            Take(pairs=(1,), payloads=TO_100_KB, placements=_PLACEMENTS, rounds=ALONE),
            Take(pairs=TO_TEN, payloads=(TWO_KB,), placements=_PLACEMENTS, rounds=LONG),
        ),
    ),
    takes=Loaded("formicary_bench.experiments.messaging.encryption:takes"),
    report=Loaded("formicary_bench.experiments.messaging.report:ENCRYPTION"),
)

_USUAL = (
    Take(
        pairs=single_pair_size.EXPERIMENT.pairs,
        payloads=single_pair_size.EXPERIMENT.payloads,
        placements=_PLACEMENTS,
    ),
    Take(pairs=EXPERIMENT.pairs, payloads=EXPERIMENT.payloads, placements=_PLACEMENTS),
)
"""One pair with messages of many sizes, and many pairs with those of one."""


def takes(options: Options) -> tuple[Take, ...]:
    """Return what a run takes: where one thing alone is asked for, that which varies it."""
    if options.preset == QUICK:
        return EXPERIMENT.quick.parts
    chosen = preset_of(EXPERIMENT, options.preset).parts if options.preset else _USUAL
    if (options.pairs is None) is (options.payloads is None):
        return chosen
    by_size, by_pairs = chosen
    return (by_size,) if options.pairs is None else (by_pairs,)
