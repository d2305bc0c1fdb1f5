"""Conversations by FIPA's protocols: their cost beside bare messages, and the memory that many at once hold.

- `plan`: the sizes of the experiments
- `talking`: agents with conversations; `bare`: the same messages without conversations
- `players`: the workers' roles; `holding`: one agent with many conversations at once

In the Dutch auction one bidder accepts the first price, so all of the time goes into messages. In an English
auction, and at each price that nobody accepts, much of it would be waiting for bids.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from formicary_bench.experiments.experiment import Experiment, Figure, Loaded, Preset, Take
from formicary_bench.experiments.messaging import HERE_AND_THERE, OURS, VARIES
from formicary_bench.vocabulary import names
from formicary_bench.vocabulary.metrics import CREATION, EACH_HOLDS, MEAN, P99, RATE, TIME
from formicary_bench.vocabulary.parameters.shared import AGENTS, PAIRS, Agents, Talk, ToMany
from formicary_bench.vocabulary.places import CREATE, DIRECT, NO_MESSAGES, SAME, Carrier
from formicary_bench.vocabulary.values import NET, REQUESTS

if TYPE_CHECKING:
    from collections.abc import Callable


_HERE = "formicary_bench.experiments.protocols"
_SUBJECTS = (OURS, names.BARE_MESSAGES)
_FEW = 10


BIDDERS = replace(PAIRS, unit="bidders")
TO_THE_END = replace(MEAN, title="time to completion", column="completion", has_spread=False)


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
    """Return an experiment with conversations of one kind."""
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
        selected={names.TOUR: (Take(subjects=_SUBJECTS, sizes={"pairs": (_FEW,)}, placements=(SAME,)),)},
        played_by=f"{_HERE}.players",
        metrics=(rate, TO_THE_END, TIME, P99),
        over="pairs",
        figures=(
            Figure(
                metric=TO_THE_END, over="pairs", title=f"Time to completion of {title.lower()}, by {partners}"
            ),
        ),
        says=f"{{where}}, with {{pairs}}: {{round_trips_per_s}} {title.lower()}/s, each taking "
        "{rtt_mean_us} (mean){beside}.",
    )


ASKING_EACH = conversations(
    names.REQUEST,
    "Requests",
    "requests by FIPA's protocol, from the first message to the result, beside bare messages",
    "FIPA SC00026",
    pairs=(1, 10, 100),
    senders=lambda _: 0,
    exchange=names.REQUEST,
)


CONTRACT_NETS = conversations(
    names.CONTRACT_NET,
    "Contract nets",
    "contract nets of one initiator, from call to result, by number of bidders, beside bare messages",
    "FIPA SC00029",
    pairs=(10, 100, 1000),
    senders=lambda _: 1,
    exchange=names.CONTRACT_NET,
)


AUCTIONS = conversations(
    names.AUCTION,
    "Dutch auctions",
    "Dutch auctions that end at the first price, by number of bidders, beside bare messages",
    "FIPA XC00032",
    pairs=(10, 100, 1000),
    senders=lambda _: 1,
)


CONVERSATIONS = replace(
    AGENTS, unit="conversations", help="Number of simultaneous conversations of one agent."
)


BEGUN = replace(CREATION, title="conversations started per second", column="started/s")


class Held(Agents, frozen=True, kw_only=True):
    """A number of conversations of one agent."""

    agents: Annotated[int, CONVERSATIONS] = 0


AT_ONCE = Experiment(
    name=names.CONVERSATIONS_HOLD,
    title="Conversations of one agent",
    what="conversations started per second by one agent, and the memory of each while waiting",
    parameters=Held,
    sizes={"agents": (10_000,)},
    placements=(SAME,),
    subjects=(f"formicary-{NET}", f"formicary-{REQUESTS}"),
    carriers=(NO_MESSAGES,),
    profiling=Loaded("formicary_bench.experiments.protocols.plan:profiling_memory"),
    duration=Loaded("formicary_bench.experiments.protocols.plan:duration_of_memory"),
    roles=(CREATE,),
    played_by="formicary_bench.experiments.protocols.holding",
    metrics=(EACH_HOLDS, BEGUN),
    main=BEGUN,
    over="agents",
    figures=(Figure(metric=EACH_HOLDS, over="agents", title="Memory of each conversation"),),
    says="{Who}: {agents} of one agent, all waiting, take {bytes_per_agent} of memory each; "
    "{agents_per_s} start per second.",
)
