"""Resources and traffic of a container: figures of one moment, and rates between two."""

from __future__ import annotations

import heapq
import os
import socket
import time
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from formicary.core.agent import Agent
from formicary.core.blockers import Blocker  # noqa: TC001 -- msgspec reads the types
from formicary.core.failures import FailureRecord  # noqa: TC001 -- msgspec reads the types

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary.container.container import Container
    from formicary.delivery.link_status import LinkStatus

_LOOKED_AT = 10_000  # agents whose mailboxes are examined: a few ms
_SHOWN = 5  # mailboxes and agents listed
_WARMING = 0.005  # s of CPU below which an agent is not listed


class LinkFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Traffic of a link to another container; counts are since it was created.

    Args:
        peer: the domain of the other container.
        way: how frames go there now: `direct`, `xmpp`, `relay` or `none`.
        is_up: whether the other end is there.
        messages_sent: messages sent there.
        messages_received: messages received from there.
        frames_sent: the number of frames.
        frames_received: the number of frames.
        unacknowledged: how many frames wait to be acknowledged.
        failed: how many messages could not be delivered there.
        rtt: seconds of the latest ping's round trip; None before there was one.
    """

    peer: str
    way: str
    is_up: bool
    messages_sent: int
    messages_received: int
    frames_sent: int
    frames_received: int
    unacknowledged: int
    failed: int
    rtt: float | None


class Busy(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A behaviour or micro-agent, with an amount of something.

    Args:
        name: `name/Behaviour`, or `name` of a micro-agent.
        amount: the amount.
    """

    name: str
    amount: float


class Figures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Resources and traffic of a container since it was opened, or its process started.

    Args:
        name: its own, `c1`.
        domain: its full domain.
        host: the name of the machine.
        pid: the number of the process there.
        clock_s: seconds of that machine's monotonic clock, for rates.
        cpu_s: seconds of CPU of the process, user and system.
        memory_bytes: resident memory of the process.
        agents: how many live there.
        resumed: how often behaviours resumed, with a message or after another await.
        handled: how many messages micro-agents handled.
        waiting: how many messages wait in mailboxes, including micro-agents', of the first 10 000 agents.
        fullest: the behaviours with the fullest mailboxes.
        dead_letters: how many there were.
        links: those to other containers.
        cpu_by_group: CPU seconds by group; empty unless the container accounts for them.
        busiest: the behaviours and micro-agents with the most CPU seconds, if accounted for.
        failures: how often agents failed, including those that are gone.
        last_failure: the latest failure, if any.
        blocked: how often something blocked the event loop for longer than 0.1 s.
        blockers: what did so most often.
    """

    name: str
    domain: str
    host: str
    pid: int
    clock_s: float
    cpu_s: float
    memory_bytes: int
    agents: int
    resumed: int
    handled: int
    waiting: int
    fullest: tuple[Busy, ...]
    dead_letters: int
    links: tuple[LinkFigures, ...]
    cpu_by_group: dict[str, float] = {}
    busiest: tuple[Busy, ...] = ()
    failures: int = 0
    last_failure: FailureRecord | None = None
    blocked: int = 0
    blockers: tuple[Blocker, ...] = ()


def measure(container: Container) -> Figures:
    """Return the figures of an open container; call it in its event loop."""
    import psutil

    scheduler = container.scheduler
    waiting = list(_waiting(container))
    account = container.accounting
    return Figures(
        name=container.name,
        domain=container.domain,
        host=socket.gethostname(),
        pid=os.getpid(),
        clock_s=time.monotonic(),
        cpu_s=time.process_time(),
        memory_bytes=psutil.Process().memory_info().rss,
        agents=len(container.dispatcher.agents),
        resumed=scheduler.resumed,
        handled=scheduler.handled,
        waiting=sum(count for count, _ in waiting) + len(scheduler.micro) // 2,
        fullest=tuple(Busy(name, count) for count, name in heapq.nlargest(_SHOWN, waiting)),
        dead_letters=container.dead_letters.total,
        links=tuple(map(_of_link, container.links)),
        cpu_by_group={} if account is None else account.seconds_by_group(),
        busiest=() if account is None else _busiest(account.seconds_by_agent()),
        failures=container.failure_log.total,
        last_failure=container.failure_log.latest,
        blocked=container.blockers.total,
        blockers=container.blockers.most(_SHOWN),
    )


def _waiting(container: Container) -> Iterator[tuple[int, str]]:
    for agent in islice(container.dispatcher.agents.values(), _LOOKED_AT):
        if isinstance(agent, Agent):
            for behaviour in agent.behaviours:
                if count := behaviour.mailbox_size():
                    yield count, behaviour.mailbox.strand_name()


def _busiest(seconds: dict[str, float]) -> tuple[Busy, ...]:
    most = heapq.nlargest(_SHOWN, seconds.items(), key=lambda item: item[1])
    return tuple(Busy(name, amount) for name, amount in most if amount >= _WARMING)


def _of_link(link: LinkStatus) -> LinkFigures:
    carried = link.messages_sent, link.messages_received, link.sent, link.received
    return LinkFigures(link.peer, link.way, link.is_up, *carried, link.unacknowledged, link.failed, link.rtt)


class LinkRates(msgspec.Struct, frozen=True):
    """Traffic of a link per second.

    Args:
        peer: the domain of the other container.
        sent: messages sent there.
        received: messages received from there.
        per_frame: messages per frame sent there; 0 if there was none.
    """

    peer: str
    sent: float
    received: float
    per_frame: float


class Rates(msgspec.Struct, frozen=True):
    """Rates of a container per second, between two moments.

    Args:
        seconds: between the two.
        cpu: CPU seconds of its process: 1 is one core.
        resumed: how often behaviours resumed.
        handled: messages handled by micro-agents.
        sent: messages sent to other containers.
        received: messages received from other containers.
        dead_letters: dead letters.
        links: its links.
        cpu_by_group: CPU seconds by group, if accounted for.
        busiest: CPU seconds by behaviour or micro-agent, if accounted for.
    """

    seconds: float
    cpu: float
    resumed: float
    handled: float
    sent: float
    received: float
    dead_letters: float
    links: tuple[LinkRates, ...]
    cpu_by_group: dict[str, float]
    busiest: dict[str, float]


def rates(before: Figures | None, after: Figures) -> Rates | None:
    """Return the rates between two figures; None if they are of different processes or the same moment.

    Args:
        before: the container's earlier figures.
        after: its later figures.
    """
    if before is None or before.pid != after.pid or before.host != after.host:
        return None
    seconds = after.clock_s - before.clock_s
    if seconds <= 0 or after.resumed < before.resumed or after.handled < before.handled:
        return None  # another container of the same process
    known = {link.peer: link for link in before.links}
    links = tuple(_rates_of_link(known.get(link.peer), link, seconds) for link in after.links)
    return Rates(
        seconds=seconds,
        cpu=(after.cpu_s - before.cpu_s) / seconds,
        resumed=(after.resumed - before.resumed) / seconds,
        handled=(after.handled - before.handled) / seconds,
        sent=sum(link.sent for link in links),
        received=sum(link.received for link in links),
        dead_letters=(after.dead_letters - before.dead_letters) / seconds,
        links=links,
        cpu_by_group={
            group: max(0.0, spent - before.cpu_by_group.get(group, 0.0)) / seconds
            for group, spent in after.cpu_by_group.items()
        },
        busiest=_busiest_rates(before.busiest, after.busiest, seconds),
    )


def _rates_of_link(before: LinkFigures | None, after: LinkFigures, seconds: float) -> LinkRates:
    sent, received, frames = after.messages_sent, after.messages_received, after.frames_sent
    if before is not None and before.messages_sent <= sent and before.messages_received <= received:
        sent -= before.messages_sent
        received -= before.messages_received
        frames -= before.frames_sent
    return LinkRates(after.peer, sent / seconds, received / seconds, sent / frames if frames > 0 else 0.0)


def _busiest_rates(before: tuple[Busy, ...], after: tuple[Busy, ...], seconds: float) -> dict[str, float]:
    """Return the CPU of those among the busiest both times; for others, one amount is unknown."""
    known = {busy.name: busy.amount for busy in before}
    return {
        busy.name: max(0.0, busy.amount - known[busy.name]) / seconds for busy in after if busy.name in known
    }
