"""`formicary hosts check`: all hosts at once, each for itself, then the ways between them."""

from __future__ import annotations

import asyncio
import secrets
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import permutations
from typing import TYPE_CHECKING

import msgspec

import formicary
from formicary.doctor.finding import missing
from formicary_bench.remote import HostError
from formicary_bench.remote.checks import judging
from formicary_bench.remote.checks.facts import QUESTION, Facts, Seen, Way
from formicary_bench.remote.clocks import Clock, Sample
from formicary_bench.remote.folders import code_digest, interpreter
from formicary_bench.remote.provisioning.helper import helping
from formicary_bench.remote.ssh import Web

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from formicary_bench.remote import Steps
    from formicary_bench.remote.clocks import Offset
    from formicary_bench.remote.inventory import Host
    from formicary_bench.remote.provisioning.helper import Helper
    from formicary_bench.remote.ssh import Connection


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
            measured += await asyncio.gather(*(_measure_pair(*pair, token) for pair in pairs))
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


async def _measure_pair(source: _End, target: _End, token: str) -> Way:
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


_EXCHANGES = 30
_SECONDS_TO_LOOK = 60.0


class Checked(msgspec.Struct, kw_only=True):
    """What came of a check.

    Attributes:
        is_fit: whether all hosts can be used.
        hosts: each of them.
        ways: from each to each other.
    """

    is_fit: bool
    hosts: list[Seen]
    ways: list[Way]


async def check(hosts: Sequence[Host], known: Sequence[Host], steps: Steps) -> Checked:
    """Look at hosts.

    Args:
        hosts: at which.
        known: all of the inventory, where some are only reached by way of others.
        steps: shows how far it is.
    """
    steps.begin(host.name for host in hosts)
    async with Web(known) as web:
        seen = await asyncio.gather(*(_see(host, web, steps) for host in hosts))
        for one, finding in judging.twins(seen):
            one.findings.append(finding)
        found = await _measure(seen, web, steps)
    return Checked(is_fit=all(one.is_fit for one in seen), hosts=seen, ways=found)


async def _see(host: Host, web: Web, steps: Steps) -> Seen:
    """Look at one host; whatever happens to it is a finding."""
    seen = Seen(host=host.name)
    began = time.perf_counter()
    try:
        connection = await web.connect(host.name)
        seen.reached_ms = (time.perf_counter() - began) * 1e3
        steps.at(host.name, "looking")
        await _look(connection, seen)
    except HostError as error:
        # The finding is shown with the host's name, which the error has as well.
        cause, _, step = str(error).removeprefix(f"host {host.name}: ").rpartition("; ")
        seen.findings.append(missing("reach" if seen.reached_ms is None else "look", cause, step))
    steps.done(host.name, "looked at")
    return seen


async def _look(connection: Connection, seen: Seen) -> None:
    host = connection.host
    asked = {"folder": host.folder, "interpreter": interpreter(host), "listen": host.listen}
    asked["question"] = QUESTION
    async with helping(connection, "looking") as helper:
        answer = await helper.ask("look", asked, seconds=_SECONDS_TO_LOOK)
        offset = await _compare_clocks(helper)
    facts = seen.facts = connection.understood(answer, Facts)
    seen.offset_s, seen.uncertainty_s = offset.offset_ns / 1e9, offset.uncertainty_ns / 1e9
    seen.findings += judging.judge(host, facts, version=formicary.__version__, digest=code_digest())
    seen.findings += judging.clock(seen.offset_s)


async def _compare_clocks(helper: Helper) -> Offset:
    clock = Clock()
    for _ in range(_EXCHANGES):
        sent = time.time_ns()
        at = int(await helper.ask("time"))
        clock.add(Sample(sent, at, time.time_ns()))
    offset = clock.offset(time.time_ns())
    assert offset is not None
    return offset


async def _measure(seen: Sequence[Seen], web: Web, steps: Steps) -> list[Way]:
    """Measure the ways between the hosts that others may reach at all."""
    listen = {
        one.host: one.facts.listen.address
        for one in seen
        if one.facts
        and not one.facts.listen.failed
        and not any(each.name == "machine" for each in one.findings)
    }
    if len(listen) < 2:  # noqa: PLR2004 -- it takes two
        return []
    for name in listen:
        steps.at(name, "measuring the network")
    found = await measure(web, listen)
    by_name = {one.host: one for one in seen}
    for source, finding in judging.ways(found):
        by_name[source].findings.append(finding)
    return found
