"""Messages at a given rate, whose senders do not wait for answers: `messaging/open-loop`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from formicary_bench.experiments.experiment import Experiment, Figure, Loaded, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY, HERE_AND_THERE, OURS, VARIES
from formicary_bench.vocabulary import metrics, names
from formicary_bench.vocabulary.kinds import choice, whole
from formicary_bench.vocabulary.metrics import MICROSECONDS, P99, P999, SLOWEST, TIME, Metric
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.parameters.shared import Talk
from formicary_bench.vocabulary.values import ARRIVALS, CONSTANT

RATE = Parameter(
    name="rate",
    kind=whole(1, 1_000_000),
    unit="messages/s",
    help="Messages per second of all senders together, without waiting for answers.",
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
LATEST_SEND = Metric("latest_send_us", "how late the latest one was sent", MICROSECONDS, is_judged=False)


class Paced(Talk, frozen=True, kw_only=True):
    """Messages at a rate, of which those are lost that nobody answers."""

    rate: Annotated[int, RATE] = 0
    arrivals: Annotated[str, ARRIVING] = ""


EXPERIMENT = Experiment(
    name=names.OPEN_LOOP,
    title="Messages at a given rate, without waiting for answers",
    what="time from when a message is due until its answer, at a given rate",
    parameters=Paced,
    varies=VARIES,
    sizes={"pairs": (10,), "payload_bytes": (100,), "rate": (1000, 5000), "arrivals": (CONSTANT,)},
    placements=HERE_AND_THERE,
    subjects=(OURS, "formicary-micro", "tasks", "tcp"),
    quick=Preset(parts=(Take(subjects=(OURS, "tcp"), carriers=DIRECTLY),)),
    fit=Loaded("formicary_bench.experiments.messaging.open_loop.plan:at_rates"),
    duration=Loaded("formicary_bench.experiments.messaging.open_loop.plan:duration"),
    played_by="formicary_bench.subjects.ours.open_loop",
    metrics=(ANSWERED, TIME, P99, P999, replace(SLOWEST, minor=True), LATE_SENDS, UNANSWERED),
    unshown=(LATEST_SEND,),
    main=P99,  # all were told the rate at which they are answered
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
    summarise=Loaded("formicary_bench.experiments.messaging.open_loop.rows:SUMMARY"),
    report=Loaded("formicary_bench.experiments.messaging.open_loop.report:REPORT"),
)
