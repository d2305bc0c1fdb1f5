"""Conversations by FIPA's protocols: what they cost beside bare messages, and what many at once hold.

- `request`, `contract_net`, `auction`, `memory`: the experiments; `plan`: their sizes
- `talking`: agents that converse; `bare`: the same exchanges of messages without conversations
- `players`: the workers' roles; `holding`: one agent with many conversations at once
- `report`: how conversations are shown; `memory_report`: what they hold
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from formicary_bench.experiments.experiment import Experiment, Loaded, Preset, Take
from formicary_bench.experiments.messaging import HERE_AND_THERE, OURS
from formicary_bench.vocabulary.names import BARE_MESSAGES
from formicary_bench.vocabulary.placements import SAME
from formicary_bench.vocabulary.routes import DIRECT, Carrier

if TYPE_CHECKING:
    from collections.abc import Callable

_HERE = "formicary_bench.experiments.protocols"
_SUBJECTS = (OURS, BARE_MESSAGES)
_FEW = 10


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
    return Experiment(
        name=name,
        title=title,
        what=what,
        source=f"our own; {source}",
        varies=("pairs", "payload", "placement", "route", "tls", "rounds"),
        pairs=pairs,
        payloads=(100,),
        placements=HERE_AND_THERE,
        carriers=(Carrier(DIRECT),),
        subjects=_SUBJECTS,
        senders=senders,
        exchange=exchange,
        quick=Preset(pairs=(_FEW,), parts=(Take(subjects=_SUBJECTS, placements=(SAME,)),)),
        plan=Loaded(f"{_HERE}.plan:plan_conversations"),
        played_by=f"{_HERE}.players",
        report=Loaded(f"{_HERE}.report:REPORT"),
    )
