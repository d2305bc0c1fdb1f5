"""Measuring the way from each host to each other, so that no two measurements share a host."""

from __future__ import annotations

import asyncio
import secrets
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

import msgspec

from formicary_bench.remote.checks.facts import Way
from formicary_bench.remote.errors import HostError
from formicary_bench.remote.provisioning.helper import helping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from formicary_bench.remote.provisioning.helper import Helper
    from formicary_bench.remote.ssh.connection import Web

_TOKEN_BYTES = 16  # as many as `there.network` wants
_SECONDS = 30.0


async def measure(web: Web, listen: Mapping[str, str]) -> list[Way]:
    """Measure all ways.

    Args:
        web: connections to the hosts.
        listen: for each host the IP address at which the others reach it; only there anybody listens.
    """
    token = secrets.token_hex(_TOKEN_BYTES)
    async with AsyncExitStack() as stack:
        ends = await asyncio.gather(*(_open(name, listen[name], token, web, stack) for name in listen))
        by_name = dict(zip(listen, ends, strict=True))
        measured = []
        for together in rounds(list(listen)):
            pairs = ((by_name[source], by_name[target]) for source, target in together)
            measured += await asyncio.gather(*(_measure(*pair, token) for pair in pairs))
    order = {pair: place for place, pair in enumerate(permutations(listen, 2))}
    return sorted(measured, key=lambda way: order[way.source, way.target])


@dataclass(frozen=True)
class _End:
    """A host that takes part.

    Attributes:
        name: its name.
        address: where it listens.
        port: at which port.
        helper: the program there; None if it could not be started.
        failed: why not.
    """

    name: str
    address: str
    port: int = 0
    helper: Helper | None = None
    failed: str = ""


async def _open(name: str, address: str, token: str, web: Web, stack: AsyncExitStack) -> _End:
    try:
        helper = await stack.enter_async_context(helping(await web.connect(name), "network"))
        port = await helper.ask("listen", {"address": address, "token": token})
    except HostError as error:
        return _End(name, address, failed=str(error))
    return _End(name, address, int(port), helper)


async def _measure(source: _End, target: _End, token: str) -> Way:
    if source.helper is None or target.helper is None:
        return Way(source.name, target.name, blocked=source.failed or target.failed)
    asked = {"source": source.address, "address": target.address, "port": target.port, "token": token}
    try:
        found = await source.helper.ask("measure", asked, seconds=_SECONDS)
    except HostError as error:
        return Way(source.name, target.name, blocked=str(error))
    return msgspec.convert({"source": source.name, "target": target.name, **found}, Way)


def rounds(names: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """Yield each ordered pair once, in rounds in which nobody is twice, as few as can be."""
    circle: list[str | None] = [*names, *([None] if len(names) % 2 else [])]
    half = len(circle) // 2
    for _ in range(len(circle) - 1):
        halves = zip(circle[:half], reversed(circle[half:]), strict=True)
        pairs = [(one, other) for one, other in halves if one is not None and other is not None]
        yield pairs
        yield [(other, one) for one, other in pairs]
        circle.insert(1, circle.pop())
