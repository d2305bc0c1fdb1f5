"""Agents that sleep in their container's file and are woken: `mobile/wake`."""

from __future__ import annotations

from typing import Annotated

from formicary_bench.experiments.experiment import Loaded, Preset, Take
from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.mobile import LOOPS, Looped, loops
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.kinds import choice
from formicary_bench.vocabulary.names import TOUR
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.places import SAME
from formicary_bench.vocabulary.values import WAKES

_SUBJECTS = (OURS, "tasks")

WAKING = Parameter(
    name="way",
    kind=choice("way", WAKES),
    in_label=True,
    metavar="WAY,...",
    help="What wakes agents: by-time or by-message.",
    default="both",
    example=list(WAKES),
)


class Waking(Looped, frozen=True, kw_only=True):
    """Loops of agents that are woken in two ways."""

    way: Annotated[str, WAKING] = ""


EXPERIMENT = loops(
    names.WAKE,
    "Waking sleeping agents",
    "sleeping agents woken per second, by time or by a message each; memory of each",
    operation="agent",
    parameters=Waking,
    varies=(),
    sizes={"loop": LOOPS, "way": WAKES},
    placements=(SAME,),
    subjects=_SUBJECTS,
    selected={TOUR: (Take(subjects=_SUBJECTS, sizes={"loop": (50,)}, placements=(SAME,)),)},
    quick=Preset(parts=(Take(subjects=_SUBJECTS, placements=(SAME,)),)),
    paper=Preset(sizes={"loop": (40_000,)}),
    duration=Loaded("formicary_bench.experiments.mobile.plan:duration_of_waking"),
    played_by="waking",
)
