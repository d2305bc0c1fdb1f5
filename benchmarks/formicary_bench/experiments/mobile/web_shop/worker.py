"""The processes of a web shop: one with database and shop's agents, one with the clients and theirs."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from formicary_bench.experiments.mobile.web_shop import Shopping
from formicary_bench.experiments.mobile.web_shop.agents import Order, Serve, Shopper
from formicary_bench.experiments.mobile.web_shop.catalogue import make_catalogue
from formicary_bench.experiments.mobile.web_shop.databases import filled
from formicary_bench.experiments.mobile.web_shop.shop import Shop
from formicary_bench.subjects.ours.containers import act, all_prepared, container, start_agent
from formicary_bench.vocabulary.places import ASKING, ECHOING
from formicary_bench.vocabulary.values import ORDERS_MADE, PAGE_BYTES, TRAVELS
from formicary_bench.worker.workload import PairTimes

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from formicary_bench.worker.workload import PreparedRole, Workload

CPU_GROUP = "agents"

_ACCEPTED = [Shopper.__module__]
_CONTAINERS = 2
_SEED = 1  # always the same, so that both ways and all repetitions have the same shop


@asynccontextmanager
async def echo(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the database, and one of the shop's agents for each client, with its own connection."""
    catalogue = make_catalogue(_SEED)
    async with (
        filled(Shopping.of(work.configuration).database, catalogue) as connect,
        container(work, ECHOING, accepts=_ACCEPTED) as home,
    ):
        for number in work.senders:
            await start_agent(home, f"shop-{number}", Serve(Shop(await connect())))
            work.steps += 1
        yield all_prepared([home], work, _CONTAINERS)


@asynccontextmanager
async def ask(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the clients and their agents."""
    travels = work.configuration.kind == TRAVELS
    clients: dict[str, Order] = {}
    async with container(work, ASKING, accepts=_ACCEPTED) as home:
        for number in work.senders:
            shop = f"shop-{number}@{ECHOING}.{home.platform}"
            shopper = Shopper(f"shopper-{number}", shop, travels=travels)
            await home.start(shopper)
            times = PairTimes()
            work.times.append(times)
            clients[f"client-{number}"] = Order(str(shopper.address), work, times)

        async def measure() -> None:
            await asyncio.gather(*(act(home, name, client) for name, client in clients.items()))
            visits = work.trips * len(clients)
            work.counters[PAGE_BYTES] = sum(client.page_bytes for client in clients.values()) / visits
            work.counters[ORDERS_MADE] = sum(client.orders for client in clients.values()) / visits

        yield all_prepared([home], work, _CONTAINERS, measure)
