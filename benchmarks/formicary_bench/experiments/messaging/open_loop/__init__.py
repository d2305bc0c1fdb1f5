"""Messages at a given rate, regardless of answers, and the highest rate that is answered in time.

The experiments are `messaging/open-loop` and `messaging/saturation`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from formicary_bench.experiments.experiment import Experiment, Figure, Loaded, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY, HERE_AND_THERE, ONE_OR_TWO, OURS, VARIES
from formicary_bench.vocabulary import metrics, names
from formicary_bench.vocabulary.kinds import choice, duration, whole
from formicary_bench.vocabulary.metrics import MICROSECONDS, P99, P999, PER_SECOND, SLOWEST, TIME, Metric
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.parameters.shared import PAIRS, PAYLOAD, Exchange, Talk
from formicary_bench.vocabulary.values import ARRIVALS, CONSTANT

RATE = Parameter(
    name="rate",
    kind=whole(1, 1_000_000),
    unit="messages/s",
    help="Messages per second of all senders together, regardless of answers.",
    example=[1000, 5000],
    few=1000,
)
ARRIVING = Parameter(
    name="arrivals",
    kind=choice("kind of arrivals", ARRIVALS),
    in_label=True,
    usual=CONSTANT,
    metavar="KIND,...",
    help="Intervals between messages: constant; or poisson, which comes in bursts.",
    default=CONSTANT,
    example=[CONSTANT],
)


ANSWERED = replace(metrics.RATE, title="messages answered per second", column="answered/s")
LATE_SENDS = Metric("late_sends", "messages sent late", column="sent late", is_judged=False)
UNANSWERED = Metric("unanswered", "messages never answered", column="never answered", is_judged=False)
LATEST_SEND = Metric("latest_send_us", "longest delay of a send", MICROSECONDS, is_judged=False)


class Paced(Talk, frozen=True, kw_only=True):
    """Messages at a rate; those without an answer are lost."""

    rate: Annotated[int, RATE] = 0
    arrivals: Annotated[str, ARRIVING] = ""


OPEN_LOOP = Experiment(
    name=names.OPEN_LOOP,
    title="Messages at a given rate, regardless of answers",
    what="time from when a message is due until its answer, at a given rate",
    parameters=Paced,
    varies=VARIES,
    sizes={"pairs": (10,), "payload_bytes": (100,), "rate": (1000, 5000), "arrivals": (CONSTANT,)},
    placements=HERE_AND_THERE,
    subjects=(OURS, "formicary-micro", "tasks", "tcp"),
    quick=Preset(parts=(Take(subjects=(OURS, "tcp"), carriers=DIRECTLY),)),
    fit=Loaded("formicary_bench.experiments.messaging.open_loop.pipeline:at_rates"),
    duration=Loaded("formicary_bench.experiments.messaging.open_loop.pipeline:duration"),
    played_by="formicary_bench.subjects.ours.open_loop",
    metrics=(ANSWERED, TIME, P99, P999, replace(SLOWEST, minor=True), LATE_SENDS, UNANSWERED),
    unshown=(LATEST_SEND,),
    main=P99,  # all platforms were given the rate
    over="rate",
    figures=(
        Figure(
            metric=P99,
            over="rate",
            caption="Time from when a message was due to the arrival of its answer.",
        ),
    ),
    says="{where}, {who} at {rate}: half are answered within {rtt_p50_us} of when they were due, 99% within "
    "{rtt_p99_us}.",
    summarise=Loaded("formicary_bench.experiments.messaging.open_loop.pipeline:AT_RATES"),
    report=Loaded("formicary_bench.experiments.messaging.open_loop.pipeline:REPORT_OF_AT_RATES"),
)


LIMIT = Parameter(
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
    """The time in microseconds within which 99% of all answers must arrive."""

    pairs: Annotated[int, PAIRS] = 0
    payload_bytes: Annotated[int, PAYLOAD] = 0
    limit_us: Annotated[int, LIMIT] = 0
    arrivals: Annotated[str, ARRIVING] = ""


SATURATION = Experiment(
    name=names.SATURATION,
    title="The highest rate at which messages are answered in time",
    what="highest rate of messages at which 99% are answered in time",
    parameters=Limit,
    varies=VARIES,
    sizes={
        "pairs": OPEN_LOOP.sizes["pairs"],
        "payload_bytes": OPEN_LOOP.sizes["payload_bytes"],
        "arrivals": OPEN_LOOP.sizes["arrivals"],
        "limit_us": 5000,
    },
    placements=OPEN_LOOP.placements,
    subjects=OPEN_LOOP.subjects,
    quick=Preset(parts=(Take(subjects=(OURS,), placements=ONE_OR_TWO, carriers=DIRECTLY),)),
    fit=Loaded("formicary_bench.experiments.messaging.open_loop.pipeline:searches"),
    duration=Loaded("formicary_bench.experiments.messaging.open_loop.pipeline:search_duration"),
    profiling=None,
    why_unprofiled="the rate that processes can sustain",
    played_by=OPEN_LOOP.played_by,
    measure=Loaded("formicary_bench.experiments.messaging.open_loop.measure:measure_saturation"),
    metrics=(HIGHEST, MISSED, TRIES),
    over="pairs",
    says="{where}, {who}, {pairs}: 99% of messages are answered within {limit_us} up to {highest_rate_per_s} "
    "messages per second[, but no longer {lowest_missed_per_s}].",
    summarise=Loaded("formicary_bench.experiments.messaging.open_loop.pipeline:SEARCHES"),
    report=Loaded("formicary_bench.experiments.messaging.open_loop.pipeline:REPORT_OF_SEARCHES"),
)
