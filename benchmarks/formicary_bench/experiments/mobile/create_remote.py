"""Agents that are created elsewhere: `mobile/create-remote`."""

from __future__ import annotations

from typing import Annotated

from formicary_bench.experiments.messaging import OURS
from formicary_bench.experiments.mobile import IN_TOUR, LOOPS, WAY, Looped, loops
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.values import WAYS


class Choosing(Looped, frozen=True, kw_only=True):
    """Loops of which there are two ways."""

    way: Annotated[str, WAY] = ""


EXPERIMENT = loops(
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
