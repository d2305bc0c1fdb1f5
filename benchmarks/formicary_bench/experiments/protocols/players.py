"""The workers' roles: agents with conversations, or with the same messages alone."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from formicary_bench.experiments.protocols import bare, talking
from formicary_bench.experiments.protocols.conversing import Initiator, bid_of
from formicary_bench.subjects.ours import behaviours
from formicary_bench.subjects.ours.behaviours import PairRoles
from formicary_bench.subjects.ours.containers import partner, running, start_agent
from formicary_bench.vocabulary.names import AUCTION, BARE_MESSAGES, CONTRACT_NET, REQUEST
from formicary_bench.worker.workload import PairTimes

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from formicary import Container
    from formicary_bench.worker.workload import Workload

CPU_GROUP = "agents"

_TALKING: dict[str, type[Initiator]] = {
    REQUEST: talking.Ask,
    CONTRACT_NET: talking.Call,
    AUCTION: talking.Sell,
}
_BARE: dict[str, type[Initiator]] = {REQUEST: bare.Ask, CONTRACT_NET: bare.Call, AUCTION: bare.Sell}


async def start_participants(home: Container, work: Workload) -> None:
    is_bare = work.configuration.platform == BARE_MESSAGES
    if work.configuration.experiment == REQUEST and is_bare:
        await behaviours.start_echoes(home, work)
        return
    for number in work.receivers:
        name, price = f"echo-{number}", bid_of(number, len(work.receivers))
        if is_bare:
            answer = bare.Buy if work.configuration.experiment == AUCTION else bare.Bid
            await start_agent(home, name, answer(price))
        elif work.configuration.experiment == REQUEST:
            await home.start(talking.Doer(name))
        else:
            await home.start(talking.Bidder(name, price))


async def start_initiators(home: Container, work: Workload) -> Callable[[], Awaitable[None]]:
    """Start the initiators, and return a function that runs all of their conversations."""
    begin, asking = asyncio.Event(), []
    one = work.configuration
    kind = (_BARE if one.platform == BARE_MESSAGES else _TALKING)[one.experiment]
    for number in work.senders:
        times = PairTimes()
        work.times.append(times)
        asked = work.receivers if one.exchange.senders else (number,)
        partners = [partner(home, work, each) for each in asked]
        asking.append(kind(partners, work, times, begin))
        await start_agent(home, f"asker-{number}", asking[-1])
    return running(begin, *asking)


ROLES = PairRoles(start_participants, start_initiators)
both, echo, ask = ROLES.both, ROLES.echo, ROLES.ask
