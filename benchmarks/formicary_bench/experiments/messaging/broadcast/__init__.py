"""One sender, many receivers, a message to each, and their answers: `messaging/broadcast`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from formicary_bench.experiments.experiment import Experiment, Figure, Preset, Take
from formicary_bench.experiments.messaging import DIRECTLY, FIT, HERE_AND_THERE, OURS, VARIES
from formicary_bench.vocabulary.metrics import MEAN, P99, PER_SECOND, RATE, TIME, Metric
from formicary_bench.vocabulary.parameters.shared import Exchange, ToMany

if TYPE_CHECKING:
    from collections.abc import Mapping

    from formicary_bench.vocabulary.parameters.parameter import HasParameters

ALL_ANSWERED = replace(MEAN, title="time until all have answered")
ANSWERS = Metric(
    "answers_per_s", "answers per second", PER_SECOND, "answers/s", more_is_better=True, is_judged=False
)


def _answers_per_s(one: HasParameters, values: Mapping[str, float]) -> float | None:
    rounds = values.get(RATE.name)
    return rounds and rounds * Exchange.of(one).pairs


EXPERIMENT = Experiment(
    name="messaging/broadcast",
    title="One sender, many receivers",
    what="time from one sender's messages to many receivers until all have answered",
    varies=VARIES,
    parameters=ToMany,
    sizes={"pairs": (1, 10, 100), "payload_bytes": (100,)},
    placements=HERE_AND_THERE,
    subjects=(OURS, "formicary-micro", "tasks", "callbacks", "tcp"),
    senders=lambda _: 1,
    fit=FIT,
    quick=Preset(parts=(Take(subjects=(OURS, "tasks", "tcp"), carriers=DIRECTLY),)),
    played_by="formicary_bench.experiments.messaging.broadcast.worker",
    metrics=(ALL_ANSWERED, TIME, P99, ANSWERS),
    derived={ANSWERS: _answers_per_s},
    main=ANSWERS,
    over="pairs",
    figures=(
        Figure(
            metric=ALL_ANSWERED,
            over="pairs",
            caption="Mean time from the first send to the arrival of the last answer.",
        ),
    ),
    says="{where}, {who}: {pairs} answer within {rtt_p50_us} (median), which is {answers_per_s} "
    "answers per second{beside}.",
)
