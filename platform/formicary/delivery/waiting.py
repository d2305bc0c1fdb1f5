"""Which messages still wait to be received: now and then, all that wait for some receivers are looked at.

A message is consumed when every behaviour that wants it has received it, or the micro-agent has been called
with it, or it is a dead letter. The path of a message does nothing for this: links keep the messages that
have arrived, and ask here, for many at once, which of them still wait.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from formicary.delivery.dispatcher import Dispatcher

_SOON: Final = 0.05  # s from an arrival to the look
_LATE: Final = 1.0  # s between two looks if nothing changes, or very much waits
_EFFORT: Final = 5e-6  # s of pause for each message looked at: a hundred times what that takes


class Watcher(Protocol):
    """Wants to know which messages have been consumed: a link."""

    receivers: set[str]
    """The names of the receivers to look at, as this container shortens them."""

    def look(self, waiting: Mapping[int, object]) -> int:
        """Called with all messages that wait for them, by id; return how many to look for again."""


class UnackedHolder(Protocol):
    """Holds messages from other containers that must not count as consumed yet."""

    def messages(self) -> Collection[object]:
        """Return these messages."""


class WaitingMessages:
    """The messages of one container that wait for their receivers.

    Args:
        dispatcher: the container's.
    """

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._watchers: dict[Watcher, int] = {}  # with the number of messages that each looks for again
        self._timer: asyncio.TimerHandle | None = None
        self._due_at = 0.0
        self._not_before = 0.0
        self._pause = _SOON

    def watch(self, watcher: Watcher, *, in_haste: bool = False) -> None:
        """Schedule a look for a watcher, at the end of the turn if many messages have arrived."""
        self._watchers.setdefault(watcher, 0)
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._pause = _SOON
        due_at = max(now + _SOON, self._not_before)
        if in_haste and now >= self._not_before and self._dispatcher.scheduler is not None:
            self._not_before = now + _SOON / 10
            self._dispatcher.scheduler.at_turn_end(self._look)
        elif self._timer is None or self._due_at > due_at:
            self._set_timer(loop, due_at)

    def forget(self, watcher: Watcher) -> None:
        """Remove a watcher."""
        self._watchers.pop(watcher, None)
        if not self._watchers and self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def look_at_once(self, watcher: Watcher) -> None:
        """Run a watcher's last look now."""
        waiting, _ = self._find(watcher.receivers)
        watcher.look(waiting)

    def _set_timer(self, loop: asyncio.AbstractEventLoop, due_at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._due_at = due_at
        self._timer = loop.call_at(due_at, self._look)

    def _look(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        watchers = self._watchers
        waiting, effort = self._find(set().union(*(watcher.receivers for watcher in watchers)))
        self._watchers = left = {
            watcher: count for watcher in watchers if (count := watcher.look(waiting)) > 0
        }
        loop = asyncio.get_running_loop()
        now = loop.time()
        self._not_before = now + min(effort * _EFFORT, _LATE)
        if left:
            has_changed = any(watchers[watcher] != count for watcher, count in left.items())
            self._pause = _SOON if has_changed else min(2 * self._pause, _LATE)
            self._set_timer(loop, max(now + self._pause, self._not_before))

    def _find(self, receivers: set[str]) -> tuple[dict[int, object], int]:
        """Return, by id, what waits for some receivers, among other things; and the effort that this took."""
        dispatcher = self._dispatcher
        waiting: dict[int, object] = {}
        if (scheduler := dispatcher.scheduler) is not None:
            _add(waiting, tuple(scheduler.queued()))
        for holder in dispatcher.unacked_holders:
            _add(waiting, holder.messages())
        agents, system_agents, lines = dispatcher.agents, dispatcher.system_agents, dispatcher.overflow.lines
        domain, visitors = dispatcher.domain, dispatcher.visitors
        for name in receivers:
            receiver = f"{name}@{domain}"
            agent = agents.get(receiver) or system_agents.get(receiver)
            if agent is None and name in visitors:
                receiver = visitors[name]
                agent = agents.get(receiver)
            if agent is not None and (unreceived := agent.unreceived()):
                _add(waiting, unreceived)
            if (held := dispatcher.held.get(receiver)) is not None:
                _add(waiting, held.messages)
            if (forwarder := dispatcher.forwarders.get(receiver)) is not None:
                _add(waiting, forwarder.messages())
            if lines and receiver in lines:
                _add(waiting, dispatcher.overflow.waiting_for(receiver))
        return waiting, len(waiting) + len(receivers)


def _add(waiting: dict[int, object], things: Collection[object]) -> None:
    waiting.update(zip(map(id, things), things, strict=True))
