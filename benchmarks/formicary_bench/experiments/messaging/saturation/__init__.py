"""The highest rate at which messages are answered in time: `messaging/saturation`."""

from __future__ import annotations

from typing import Annotated

from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY, ONE_OR_TWO, OURS, VARIES, open_loop
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.kinds import duration
from formicary_bench.vocabulary.metrics import MICROSECONDS, PER_SECOND, Metric
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.parameters.shared import PAIRS, PAYLOAD, Exchange

P99 = Parameter(
    name="p99",
    unit=MICROSECONDS,
    column="99% within",
    kind=duration(),
    metavar="TIME",
    help="Time within which 99% of all messages must be answered.",
    default="5ms",
    example="5ms",
)


HIGHEST = Metric(
    "highest_rate_per_s",
    "highest rate kept, messages per second",
    PER_SECOND,
    "kept up to",
    more_is_better=True,
    has_spread=True,
    is_compared=True,
)
MISSED = Metric("lowest_missed_per_s", "lowest rate missed", PER_SECOND, "no longer at", is_judged=False)
TRIES = Metric("tries", "rates tried", is_judged=False)


class Limit(Exchange, frozen=True, kw_only=True):
    """Within how many microseconds 99% of all answers are to come."""

    pairs: Annotated[int, PAIRS] = 0
    payload_bytes: Annotated[int, PAYLOAD] = 0
    limit_us: Annotated[int, P99] = 0
    arrivals: Annotated[str, open_loop.ARRIVING] = ""


EXPERIMENT = Experiment(
    name=names.SATURATION,
    title="The highest rate at which messages are answered in time",
    what="highest rate of messages at which 99% are answered in time",
    parameters=Limit,
    varies=VARIES,
    sizes={
        "pairs": open_loop.EXPERIMENT.sizes["pairs"],
        "payload_bytes": open_loop.EXPERIMENT.sizes["payload_bytes"],
        "arrivals": open_loop.EXPERIMENT.sizes["arrivals"],
        "limit_us": 5000,
    },
    placements=open_loop.EXPERIMENT.placements,
    subjects=open_loop.EXPERIMENT.subjects,
    quick=Preset(parts=(Take(subjects=(OURS,), placements=ONE_OR_TWO, carriers=DIRECTLY),)),
    fit=Loaded("formicary_bench.experiments.messaging.open_loop.plan:searches"),
    duration=Loaded("formicary_bench.experiments.messaging.open_loop.plan:search_duration"),
    profiling=None,
    why_unprofiled="how many messages processes bear",
    played_by=open_loop.EXPERIMENT.played_by,
    measure=Loaded("formicary_bench.experiments.messaging.saturation.measure:measure_saturation"),
    metrics=(HIGHEST, MISSED, TRIES),
    over="pairs",
    says="{where}, {who}, {pairs}: 99% are answered within {limit_us} up to {highest_rate_per_s} messages "
    "per second[, and no longer {lowest_missed_per_s}].",
    summarise=Loaded("formicary_bench.experiments.messaging.saturation.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.messaging.saturation.report:REPORT"),
)
