"""Loops of agents that are created, move, sleep and talk."""

from __future__ import annotations

from typing import Annotated

from formicary_bench.experiments.experiment import Loaded, Preset, Take
from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.mobile import (
    AMONG,
    BESIDE,
    CARRIED,
    HERE_AND_THERE,
    IN_TOUR,
    LOOPS,
    Carrying,
    Looped,
    loops,
    way,
)
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.kinds import whole
from formicary_bench.vocabulary.names import TOUR
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.places import SAME
from formicary_bench.vocabulary.values import WAKES, WAYS

CREATE_LOCAL = loops(
    "mobile/create-local",
    "Creating agents locally",
    "agents created and started in the requester's container, per second",
    benchmark="CL",
    figure="5",
    many="agents",
    parameters=Looped,
    varies=(),
    placements=(SAME,),
    subjects=(OURS, "formicary-micro"),
    quick=Preset(parts=(Take(subjects=(OURS,), placements=(SAME,)),)),
    played_by="creating",
)


WAY = way(
    WAYS,
    "Order of a loop's operations: in-turn, each after the previous one has ended; at-once, all together.",
)


class Choosing(Looped, frozen=True, kw_only=True):
    """Loops with two ways."""

    way: Annotated[str, WAY] = ""


CREATE_REMOTE = loops(
    names.CREATE_REMOTE,
    "Creating agents remotely",
    "agents created and started in another container, per second: with one request each, or one for all",
    benchmark="CR",
    figure="6",
    many="agents",
    parameters=Choosing,
    sizes={"way": WAYS},
    exchange=names.CREATE_REMOTE,
    subjects=(OURS, "formicary-micro"),
    selected=IN_TOUR,
    played_by="creating",
)


class Sent(Choosing, Carrying, frozen=True, kw_only=True):
    """Loops of agents that carry something, with two ways."""


DISPATCH = loops(
    names.DISPATCH,
    "Sending agents to another container",
    "agents created here and sent to another container, per second",
    benchmark="AD",
    figure="9",
    many="agents",
    parameters=Sent,
    sizes={"loop": (50, *LOOPS), "payload_bytes": (CARRIED,), "way": WAYS},
    exchange=names.DISPATCH,
    selected=IN_TOUR,
    played_by="moving",
)


ONE_WAY = loops(
    "mobile/one-way",
    "Messages without an answer",
    "messages from one agent to another per second, until the last one arrives",
    benchmark="MSG-1W",
    figure="11",
    many="messages",
    placements=HERE_AND_THERE,
    played_by="talking",
)


TWO_WAY = loops(
    "mobile/two-way",
    "Answered messages, without waiting",
    "messages answered one by one while more are sent, per second, until the last answer",
    benchmark="MSG-2W",
    figure="12",
    many="messages and their answers",
    placements=HERE_AND_THERE,
    played_by="talking",
)


SYNCHRONIZE = loops(
    "mobile/synchronize",
    "Messages that wait for answers",
    "messages and their answers, one after the other, per second",
    benchmark="SYNCH",
    figure="14",
    many="messages and their answers",
    placements=HERE_AND_THERE,
    played_by="talking",
)


MESSENGER = loops(
    names.MESSENGER,
    "An agent that carries a message there and back",
    "journeys of an agent to another container and back, per second",
    benchmark="MSG-MA",
    figure="15",
    many="journeys there and back",
    sizes={"payload_bytes": (CARRIED,)},
    played_by="moving",
    **BESIDE,
)


MEANWHILE = Parameter(
    name="rate",
    kind=whole(1, 1_000_000),
    unit="messages/s meanwhile",
    in_label=True,
    help="Messages per second sent to the roaming agent.",
    default="none and 1000",
    example=[1000],
    few=1000,
    absent=0,
)


class Roaming(Carrying, frozen=True, kw_only=True):
    """Loops of an agent that is sent messages at a rate meanwhile, or none."""

    rate: Annotated[int, MEANWHILE] = 0


ROAM = loops(
    names.ROAM,
    "An agent that visits four places",
    "hops of an agent per second, alone or while another agent sends it messages",
    benchmark="ROAM",
    figure="16",
    many="hops",
    parameters=Roaming,
    sizes={"loop": (4000,), "payload_bytes": (CARRIED,), "rate": (1000,)},
    placements=AMONG,
    exchange=names.ROAM,
    paper=Preset(sizes={"loop": (4000,)}),
    played_by="moving",
    **BESIDE,
)


WAKING = way(WAKES, "What wakes agents: by-time or by-message.")


class Waking(Looped, frozen=True, kw_only=True):
    """Loops of agents that are woken in two ways."""

    way: Annotated[str, WAKING] = ""


WAKE = loops(
    names.WAKE,
    "Waking sleeping agents",
    "sleeping agents woken per second, by time or by a message each; memory of each",
    many="agents",
    parameters=Waking,
    varies=(),
    sizes={"way": WAKES},
    placements=(SAME,),
    selected={TOUR: (Take(subjects=(OURS,), sizes={"loop": (50,)}, placements=(SAME,)),)},
    quick=Preset(parts=(Take(subjects=(OURS,), placements=(SAME,)),)),
    paper=Preset(sizes={"loop": (40_000,)}),
    duration=Loaded("formicary_bench.experiments.mobile.pipeline:duration_of_waking"),
    played_by="waking",
)
