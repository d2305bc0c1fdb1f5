"""What a container does in a second: from its figures at two moments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from formicary.observe.metrics import Busy, Figures, LinkFigures


class LinkRates(msgspec.Struct, frozen=True):
    """What a link carries in a second.

    Args:
        peer: the domain of the other container.
        sent: messages that go there.
        received: messages that come from there.
        per_frame: messages in a frame that goes there; 0 where none does.
    """

    peer: str
    sent: float
    received: float
    per_frame: float


class Rates(msgspec.Struct, frozen=True):
    """What a container does in a second, between two moments.

    Args:
        seconds: between the two.
        cpu: seconds of CPU of its process: 1 is a core's.
        resumed: how often a behaviour goes on.
        handled: messages that micro-agents handle.
        sent: messages that go to other containers.
        received: messages that come from other containers.
        dead_letters: how many there are.
        links: its links.
        cpu_by_group: seconds of CPU by group, where they are accounted.
        busiest: seconds of CPU by behaviour or micro-agent, where they are accounted.
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
    """Return what was done between two moments; None if they are not of the same process, or are one.

    Args:
        before: the container's figures at the first.
        after: those at the second.
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
    """Return the CPU of those that were among the busiest both times: of others, one amount is not known."""
    known = {busy.name: busy.amount for busy in before}
    return {
        busy.name: max(0.0, busy.amount - known[busy.name]) / seconds for busy in after if busy.name in known
    }
