"""An agent that visits four places again and again: `mobile/roam`."""

from __future__ import annotations

from typing import Annotated

from formicary_bench.experiments.experiment import Preset
from formicary_bench.experiments.mobile import AMONG, CARRIED, IN_TOUR, Carrying, loops
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.kinds import whole
from formicary_bench.vocabulary.parameters.parameter import Parameter

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


EXPERIMENT = loops(
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
    played_by="roaming",
)
