"""`formicary hosts check`: all hosts at once, then the network between them."""

from __future__ import annotations

import asyncio
import secrets
import time
from contextlib import AsyncExitStack
from itertools import permutations
from typing import TYPE_CHECKING, TypeAlias

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


_TOKEN_BYTES = 16  # half as many as `bootstrap.network` has characters
_SECONDS_TO_MEASURE = 30.0
_SECONDS_TO_LOOK = 60.0
_EXCHANGES = 30  # to compare clocks


class Checked(msgspec.Struct, kw_only=True):
    """The outcome: whether all hosts can be used, each host, and the network from each to each."""

    is_fit: bool
    hosts: list[Seen]
    ways: list[Way]


async def check(hosts: Sequence[Host], known: Sequence[Host], steps: Steps) -> Checked:
    """Check hosts.

    Args:
        hosts: the hosts.
        known: all of the inventory, among them jump hosts.
        steps: shows the progress.
    """
    steps.begin(host.name for host in hosts)
    async with Web(known) as web:
        seen = await asyncio.gather(*(_see(host, web, steps) for host in hosts))
        for one, finding in judging.twins(seen):
            one.findings.append(finding)
        found = await _measure(seen, web, steps)
    return Checked(is_fit=all(one.is_fit for one in seen), hosts=seen, ways=found)


async def _see(host: Host, web: Web, steps: Steps) -> Seen:
    """Look at a host; errors become findings."""
    seen = Seen(host=host.name)
    began = time.perf_counter()
    try:
        connection = await web.connect(host.name)
        seen.reached_ms = (time.perf_counter() - began) * 1e3
        steps.at(host.name, "looking")
        await _look(connection, seen)
    except HostError as error:
        # A finding is shown with the host's name, which the error repeats.
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
    """Measure the network between the hosts that can listen."""
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
    found = await _measure_all(web, listen)
    by_name = {one.host: one for one in seen}
    for source, finding in judging.ways(found):
        by_name[source].findings.append(finding)
    return found


async def _measure_all(web: Web, listen: Mapping[str, str]) -> list[Way]:
    """Measure all ways between hosts, given the IP addresses where they listen for each other."""
    token = secrets.token_hex(_TOKEN_BYTES)
    ways: dict[tuple[str, str], Way] = {}
    async with AsyncExitStack() as stack:
        opened = (_open(web, stack, name, address, token) for name, address in listen.items())
        ends = dict(zip(listen, await asyncio.gather(*opened), strict=True))
        for pairs in rounds(list(listen)):
            found = await asyncio.gather(*(_way(ends, listen, *pair, token) for pair in pairs))
            ways |= dict(zip(pairs, found, strict=True))
    return [ways[pair] for pair in permutations(listen, 2)]


_End: TypeAlias = (
    "tuple[Helper, int] | HostError"  # the program on a host with its port, or why there is none
)


async def _open(web: Web, stack: AsyncExitStack, name: str, address: str, token: str) -> _End:
    try:
        helper = await stack.enter_async_context(helping(await web.connect(name), "network"))
        return helper, int(await helper.ask("listen", {"address": address, "token": token}))
    except HostError as error:
        return error


async def _way(
    ends: Mapping[str, _End], listen: Mapping[str, str], source: str, target: str, token: str
) -> Way:
    here, there = ends[source], ends[target]
    try:
        if isinstance(here, HostError):
            raise here
        if isinstance(there, HostError):
            raise there
        asked = {"source": listen[source], "address": listen[target], "port": there[1], "token": token}
        found = await here[0].ask("measure", asked, seconds=_SECONDS_TO_MEASURE)
    except HostError as error:
        return Way(source, target, blocked=str(error))
    return msgspec.convert({"source": source, "target": target, **found}, Way)


def rounds(names: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
    """Yield each ordered pair once, in as few rounds as possible, with nobody twice in a round."""
    circle: list[str | None] = [*names, *([None] if len(names) % 2 else [])]
    half = len(circle) // 2
    for _ in range(len(circle) - 1):
        halves = zip(circle[:half], reversed(circle[half:]), strict=True)
        pairs = [(one, other) for one, other in halves if one is not None and other is not None]
        yield pairs
        yield [(other, one) for one, other in pairs]
        circle.insert(1, circle.pop())
