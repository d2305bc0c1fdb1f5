"""Agents that are created here and sent elsewhere: `mobile/dispatch`."""

from __future__ import annotations

from typing import Annotated

from formicary_bench.experiments.mobile import CARRIED, IN_TOUR, LOOPS, WAY, Carrying, loops
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.values import WAYS


class Sent(Carrying, frozen=True, kw_only=True):
    """Loops of agents that carry something, of which there are two ways."""

    way: Annotated[str, WAY] = ""


EXPERIMENT = loops(
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
