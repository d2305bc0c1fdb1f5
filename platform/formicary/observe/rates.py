"""Rates of a container per second, from its figures at two moments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from formicary.observe.metrics import Busy, Figures, LinkFigures


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
    links = tuple(_of_link(known.get(link.peer), link, seconds) for link in after.links)
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
        busiest=_busiest(before.busiest, after.busiest, seconds),
    )


def _of_link(before: LinkFigures | None, after: LinkFigures, seconds: float) -> LinkRates:
    sent, received, frames = after.messages_sent, after.messages_received, after.frames_sent
    if before is not None and before.messages_sent <= sent and before.messages_received <= received:
        sent -= before.messages_sent
        received -= before.messages_received
        frames -= before.frames_sent
    return LinkRates(after.peer, sent / seconds, received / seconds, sent / frames if frames > 0 else 0.0)


def _busiest(before: tuple[Busy, ...], after: tuple[Busy, ...], seconds: float) -> dict[str, float]:
    """Return the CPU of those among the busiest both times; for others, one amount is unknown."""
    known = {busy.name: busy.amount for busy in before}
    return {
        busy.name: max(0.0, busy.amount - known[busy.name]) / seconds for busy in after if busy.name in known
    }
