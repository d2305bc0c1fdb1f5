"""Our agents with a login each, like stock SPADE agents, to measure what a component per container saves.

Each agent has its own account and connection at the same Prosody. The containers do not know each other:
everything goes through the server.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING

from formicary import Container, XmppAgent
from formicary.server.account import AccountAddress
from formicary_bench.subjects.ours.behaviours import Requester, Responder
from formicary_bench.subjects.ours.containers import complaint, running
from formicary_bench.subjects.subject import DOMAIN, account
from formicary_bench.vocabulary.places import ASKING, ECHOING
from formicary_bench.worker.workload import PairTimes, PreparedRole

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from formicary_bench.worker.workload import Workload

_AT_ONCE = 10  # logins at once; more only slow each other down


@asynccontextmanager
async def echo(work: Workload) -> AsyncIterator[PreparedRole]:
    async with Container(ECHOING, seed=work.job.seed) as home:
        agents = [_agent(work, "echo", number) for number in work.receivers]
        for agent in agents:
            agent.add_behaviour(Responder())
        await _log_in(home, work, agents)
        yield PreparedRole(DOMAIN, complaint=partial(complaint, home, work))


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    begin = asyncio.Event()
    asking, agents = [], []
    for number in work.senders:
        times = PairTimes()
        work.times.append(times)
        partner = f"{account('echo', work.receiver_of(number))}@{DOMAIN}"
        asking.append(Requester(partner, work.body, work.trips, times, begin))
        agents.append(_agent(work, "asker", number))
        agents[-1].add_behaviour(asking[-1])

    async with Container(ASKING, seed=work.job.seed) as home:
        await _log_in(home, work, agents)
        yield PreparedRole(measure=running(begin, *asking), complaint=partial(complaint, home, work))


def _agent(work: Workload, role: str, number: int) -> XmppAgent:
    server = work.job.server
    assert server is not None
    return XmppAgent(
        AccountAddress(
            f"{account(role, number)}@{DOMAIN}",
            server.password,
            host=server.host,
            port=server.client_port,
            insecure=True,
            tls=False,
        )
    )


async def _log_in(home: Container, work: Workload, agents: list[XmppAgent]) -> None:
    for first in range(0, len(agents), _AT_ONCE):
        some = agents[first : first + _AT_ONCE]
        await asyncio.gather(*map(home.start, some))
        work.steps += len(some)
