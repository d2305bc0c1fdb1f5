"""Conversations by FIPA's protocols: what they cost beside bare messages, and what many at once hold.

- `request`, `contract_net`, `auction`, `memory`: the experiments; `plan`: their sizes
- `talking`: agents that converse; `bare`: the same exchanges of messages without conversations
- `players`: the workers' roles; `holding`: one agent with many conversations at once
- `memory_report`: what is shown of what they hold
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from formicary_bench.experiments.experiment import Experiment, Figure, Loaded, Preset, Take
from formicary_bench.experiments.messaging import HERE_AND_THERE, OURS, VARIES
from formicary_bench.vocabulary.metrics import MEAN, P99, RATE, TIME
from formicary_bench.vocabulary.names import BARE_MESSAGES, TOUR
from formicary_bench.vocabulary.parameters.shared import PAIRS, Talk, ToMany
from formicary_bench.vocabulary.places import DIRECT, SAME, Carrier

if TYPE_CHECKING:
    from collections.abc import Callable

_HERE = "formicary_bench.experiments.protocols"
_SUBJECTS = (OURS, BARE_MESSAGES)
_FEW = 10


BIDDERS = replace(PAIRS, unit="bidders")
TO_THE_END = replace(MEAN, title="time to the end", column="to the end", has_spread=False)


class ToBidders(ToMany, frozen=True, kw_only=True):
    """Conversations of one agent with many bidders."""

    pairs: Annotated[int, BIDDERS] = 0


def conversations(
    name: str,
    title: str,
    what: str,
    source: str,
    *,
    pairs: tuple[int, ...],
    senders: Callable[[int], int],
    exchange: str = "",
) -> Experiment:
    """Return an experiment with conversations of one kind.

    Args:
        name: as of `Experiment`, as are all others.
        title: as it.
        what: as it.
        source: as it.
        pairs: as it.
        senders: as it.
        exchange: as it.
    """
    rate = replace(RATE, title=f"{title.lower()} per second", column=f"{title.lower()}/s", has_spread=True)
    partners = "bidders" if senders(1) else "pairs"
    return Experiment(
        name=name,
        title=title,
        what=what,
        source=f"our own; {source}",
        parameters=ToBidders if senders(1) else Talk,
        varies=VARIES,
        sizes={"pairs": pairs, "payload_bytes": (100,)},
        placements=HERE_AND_THERE,
        carriers=(Carrier(DIRECT),),
        subjects=_SUBJECTS,
        senders=senders,
        exchange=exchange,
        quick=Preset(sizes={"pairs": (_FEW,)}, parts=(Take(subjects=_SUBJECTS, placements=(SAME,)),)),
        fit=Loaded(f"{_HERE}.plan:with_conversations"),
        profiling=Loaded(f"{_HERE}.plan:profiling"),
        duration=Loaded(f"{_HERE}.plan:duration"),
        selected={TOUR: (Take(subjects=_SUBJECTS, sizes={"pairs": (_FEW,)}, placements=(SAME,)),)},
        played_by=f"{_HERE}.players",
        metrics=(rate, TO_THE_END, TIME, P99),
        over="pairs",
        figures=(
            Figure(
                metric=TO_THE_END, over="pairs", title=f"Time to the end of {title.lower()}, by {partners}"
            ),
        ),
        says=f"{{where}}, with {{pairs}}: {{round_trips_per_s}} {title.lower()}/s, each of which takes "
        "{rtt_mean_us} to its end (mean){beside}.",
    )
