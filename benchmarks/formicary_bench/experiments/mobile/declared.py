"""Loops of agents that are created, move, sleep and talk: all experiments `mobile/...` but the web shop."""

from __future__ import annotations

from typing import Annotated

from formicary_bench.experiments.experiment import Loaded, Preset, Take
from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.mobile import (
    ALONE,
    AMONG,
    CARRIED,
    CLIENTS,
    HERE_AND_THERE,
    IN_TOUR,
    LOOPS,
    WAY,
    Carrying,
    Looped,
    Serving,
    loops,
)
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.kinds import choice, whole
from formicary_bench.vocabulary.names import TOUR
from formicary_bench.vocabulary.parameters.parameter import Parameter
from formicary_bench.vocabulary.places import SAME
from formicary_bench.vocabulary.values import WAKES, WAYS

CREATE_LOCAL = loops(
    "mobile/create-local",
    "Creating agents locally",
    "agents created and started in the requester's container, per second",
    "Dikaiakos 2001, CL: Fig. 5, Table 8",
    operation="agent",
    parameters=Looped,
    varies=(),
    sizes={"loop": LOOPS},
    placements=(SAME,),
    subjects=(OURS, "formicary-micro"),
    quick=Preset(parts=(Take(subjects=(OURS,), placements=(SAME,)),)),
    played_by="creating",
)


class Choosing(Looped, frozen=True, kw_only=True):
    """Loops of which there are two ways."""

    way: Annotated[str, WAY] = ""


CREATE_REMOTE = loops(
    names.CREATE_REMOTE,
    "Creating agents remotely",
    "agents created and started in another container, per second: with one request each, or one for all",
    "Dikaiakos 2001, CR: Fig. 6, Table 8",
    operation="agent",
    parameters=Choosing,
    sizes={"loop": LOOPS, "way": WAYS},
    subjects=(OURS, "formicary-micro", "tcp"),
    exchange=names.CREATE_REMOTE,
    selected=IN_TOUR,
    played_by="creating",
)


class Sent(Carrying, frozen=True, kw_only=True):
    """Loops of agents that carry something, of which there are two ways."""

    way: Annotated[str, WAY] = ""


DISPATCH = loops(
    names.DISPATCH,
    "Sending agents to another container",
    "agents created here and sent to another container, per second",
    "Dikaiakos 2001, AD: Fig. 9, Table 8",
    operation="agent",
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
    "Dikaiakos 2001, MSG-1W: Fig. 11, Table 8",
    operation="message",
    parameters=Carrying,
    sizes={"loop": LOOPS, "payload_bytes": (100,)},
    placements=HERE_AND_THERE,
    subjects=(OURS,),
    quick=ALONE,
    played_by="talking",
)


TWO_WAY = loops(
    "mobile/two-way",
    "Answered messages, without waiting",
    "messages answered one by one while more are sent, per second, until the last answer",
    "Dikaiakos 2001, MSG-2W: Fig. 12, Table 8",
    operation="message and its answer",
    parameters=Carrying,
    sizes={"loop": LOOPS, "payload_bytes": (100,)},
    placements=HERE_AND_THERE,
    subjects=(OURS,),
    quick=ALONE,
    played_by="talking",
)


SYNCHRONIZE = loops(
    "mobile/synchronize",
    "Messages that wait for answers",
    "messages and their answers, one after the other, per second",
    "Dikaiakos 2001, SYNCH: Fig. 14, Table 8",
    operation="message and its answer",
    parameters=Carrying,
    sizes={"loop": LOOPS, "payload_bytes": (100,)},
    placements=HERE_AND_THERE,
    subjects=(OURS,),
    quick=ALONE,
    played_by="talking",
)


MESSENGER = loops(
    "mobile/messenger",
    "An agent that carries a message there and back",
    "journeys of an agent to another container and back, per second",
    "Dikaiakos 2001, MSG-MA: Fig. 15, Table 8",
    operation="journey there and back",
    parameters=Carrying,
    sizes={"loop": LOOPS, "payload_bytes": (CARRIED,)},
    selected=IN_TOUR,
    played_by="moving",
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
    """Loops of an agent that is sent so many messages per second meanwhile, or none."""

    rate: Annotated[int, MEANWHILE] = 0


ROAM = loops(
    names.ROAM,
    "An agent that visits four places",
    "hops of an agent per second, alone or while another agent sends it messages",
    "Dikaiakos 2001, ROAM: Fig. 16, Table 8",
    operation="hop",
    parameters=Roaming,
    sizes={"loop": (4000,), "payload_bytes": (CARRIED,), "rate": (1000,)},
    placements=AMONG,
    exchange=names.ROAM,
    paper=Preset(sizes={"loop": (4000,)}),
    selected=IN_TOUR,
    played_by="moving",
)


PROXY = loops(
    "mobile/proxy",
    "An agent between clients and servers",
    "client requests per second that an agent passes to servers, with their answers",
    "our own; the micro-kernel PROXY that Dikaiakos 2001 sets out",
    operation="request",
    parameters=Serving,
    sizes={"loop": LOOPS, "pairs": CLIENTS, "payload_bytes": (100,)},
    placements=(SAME, *AMONG),
    subjects=(OURS,),
    quick=ALONE,
    paper=Preset(sizes={"pairs": CLIENTS}),
    played_by="mediating",
)


FORWARD_MESSAGES = loops(
    "mobile/forward-messages",
    "An agent that forwards requests to servers",
    "requests that an agent forwards to servers, which answer the clients directly, per second",
    "Dikaiakos 2001, FORW-MSG: Fig. 17 to 20, Table 8",
    operation="request",
    parameters=Serving,
    sizes={"loop": (5000,), "pairs": CLIENTS, "payload_bytes": (100,)},
    placements=(SAME, *AMONG),
    subjects=(OURS,),
    quick=ALONE,
    paper=Preset(sizes={"pairs": CLIENTS, "loop": (5000,)}),
    played_by="mediating",
)


FORWARD_AGENTS = loops(
    "mobile/forward-agents",
    "An agent that forwards agents",
    "agents forwarded from one container to another by an agent in between, per second",
    "Dikaiakos 2001, FORW-MA: Fig. 21, Table 8",
    operation="agent",
    parameters=Carrying,
    sizes={"loop": LOOPS, "payload_bytes": (CARRIED,)},
    placements=AMONG,
    subjects=(OURS,),
    quick=ALONE,
    played_by="forwarding",
)


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


WAKE = loops(
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
    duration=Loaded("formicary_bench.experiments.mobile.pipeline:duration_of_waking"),
    played_by="waking",
)
