"""Our agents over TCP links on one host, where links prefer a Unix socket."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from formicary.transport.addresses import JoinAddress
from formicary_bench.subjects.ours import behaviours

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from formicary_bench.worker.workload import PreparedRole, Workload

ask = behaviours.ask


@asynccontextmanager
async def echo(work: Workload) -> AsyncIterator[PreparedRole]:
    """Set up the echoing agents without offering the Unix socket."""
    async with behaviours.echo(work) as role:
        address = msgspec.structs.replace(JoinAddress.parse(role.endpoint), unix=None)
        yield replace(role, endpoint=str(address))
