"""The borders of one event loop's thread: its callbacks, strands, micro-agents and connections."""

from __future__ import annotations

import asyncio
import gc
import threading
from inspect import CORO_CREATED, getcoroutinestate, iscoroutine
from typing import TYPE_CHECKING, Any, Self
from weakref import WeakKeyDictionary

from formicary.core.errors import UsageError
from formicary.core.strand import Strand
from formicary.profiling.accounting.borders import Patches, group_of_callback, group_of_class, group_of_strand
from formicary.profiling.accounting.ledger import (
    AGENTS,
    PLATFORM,
    RUNTIME,
    Callback,
    Ledger,
    StrandBorder,
    call_border,
    coroutine_border,
    ledgers,
)
from formicary.protocols.participation import Participation
from formicary.transport.router import Router

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from formicary.container.container import Container
    from formicary.core.micro import MicroInbox
    from formicary.profiling.accounting.calibration import Costs
    from formicary.protocols.participation import Opening

_SOON = ("call_soon", "call_soon_threadsafe")  # with the callback as the first argument
_LATER = ("call_later", "call_at")  # with a time before the callback


class Recording:
    """Accounts in a ledger for the running loop's thread while the block lasts.

    Raises:
        UsageError: on entering: a thread of the process is already being recorded.
    """

    def __init__(self, containers: Sequence[Container], costs: Costs) -> None:
        self.ledger = Ledger(costs.reading)
        self._loop: Any = asyncio.get_running_loop()
        self._containers = containers
        self._costs = costs
        self._patches = Patches(costs, self.adopt, self.charge)
        self._inboxes: list[MicroInbox] = []
        self._functions: list[tuple[Opening, Callable[..., Any]]] = []
        self._tasks: WeakKeyDictionary[asyncio.Task[Any], int] = WeakKeyDictionary()
        self._collected_from = RUNTIME

    def __enter__(self) -> Self:
        if ledgers:
            raise UsageError("this process is already being accounted; stop the other accounting first")
        ledgers[threading.get_ident()] = self.ledger
        self._patches.install()
        for name in _SOON:
            setattr(self._loop, name, self._soon(getattr(self._loop, name)))
        for name in _LATER:
            setattr(self._loop, name, self._later(getattr(self._loop, name)))
        for strand in self._strands():
            self.adopt(strand)
        for container in self._containers:
            agents, own = container.dispatcher.agents, container.dispatcher.system_agents
            for agent in (*agents.values(), *own.values()):
                if (inbox := getattr(agent, "micro_inbox", None)) is not None:
                    self.adopt(inbox)
                if agent.responders and (participation := agent.conversations.participation) is not None:
                    self.adopt(participation.micro_inbox)
        self._refresh()
        gc.callbacks.append(self._collecting)
        return self

    def __exit__(self, *_: object) -> None:
        self.ledger.close()
        ledgers.clear()
        try:
            self._remove()
        finally:
            self._patches.remove()

    def _remove(self) -> None:
        gc.callbacks.remove(self._collecting)
        for name in (*_SOON, *_LATER):
            delattr(self._loop, name)  # uncovers the class's own
        for strand in self._strands():
            strand.runner = strand.get_context()
        for inbox in self._inboxes:
            if isinstance(inbox.handle, Callback):
                inbox.handle = inbox.handle.plain
        self._inboxes.clear()
        for opening, function in self._functions:
            opening.function = function
        self._functions.clear()
        self._refresh()

    def _strands(self) -> Iterator[Strand]:
        tasks: Iterable[Any] = asyncio.all_tasks(self._loop)  # includes strands, no `asyncio.Task`s
        return (task for task in tasks if isinstance(task, Strand))

    def _refresh(self) -> None:
        """Replace earlier methods that are scheduled or stored by the current ones."""
        for container in self._containers:
            micro = container.scheduler.micro
            waiting = list(micro)
            waiting[::2] = [handle.__self__.micro_inbox.handle for handle in waiting[::2]]
            micro.clear()
            micro.extend(waiting)
            transport = container.dispatcher.transport
            if isinstance(transport, Router):
                transport.rebind()

    # -- incoming -------------------------------------------------------------------------------------------

    def adopt(self, newcomer: Strand | MicroInbox) -> None:
        """Assign a slot and a border to a strand, or to a micro-agent's inbox."""
        if isinstance(newcomer, Strand):
            group = group_of_strand(newcomer)
            if group != PLATFORM:
                inbox = getattr(newcomer.owner, "micro_inbox", None)
                if inbox is not None and isinstance(inbox.handle, Callback):
                    slot = inbox.handle.slot  # its first step was charged to the agent, and so is the rest
                else:
                    slot = self.ledger.add_slot(group, newcomer.get_name())
                newcomer.runner = StrandBorder(newcomer.get_context(), self.ledger, slot, self._costs.resume)
            return
        if isinstance(newcomer.agent, Participation):
            self._adopt_functions(newcomer.agent)
            return
        group = group_of_class(type(newcomer.agent))
        if group != PLATFORM:
            slot = self.ledger.add_slot(group, newcomer.agent.name)
            newcomer.handle = Callback(newcomer.handle, self.ledger, slot, self._costs.callback)
            self._inboxes.append(newcomer)

    def _adopt_functions(self, participation: Participation) -> None:
        """Assign a slot and borders to the functions that answer for an agent in conversations."""
        agent = participation.agent
        slot = self.ledger.add_slot(group_of_class(type(agent)), agent.name)
        for opening in (each for openings in participation.openings.values() for each in openings.values()):
            if opening.function is not None:
                self._functions.append((opening, opening.function))
                opening.function = (
                    call_border(opening.function, slot, self._costs.call)
                    if opening.is_plain
                    else coroutine_border(opening.function, slot, self._costs.coroutine)
                )

    def charge(self, callback: Any) -> Any:
        """Return a loop's replacement for a callback."""
        slot = group_of_callback(callback)
        if slot == RUNTIME:
            return callback
        if slot == AGENTS and isinstance(task := getattr(callback, "__self__", None), asyncio.Task):
            slot = self._slot_of(task)
        return Callback(callback, self.ledger, slot, self._costs.callback)

    def _slot_of(self, task: asyncio.Task[Any]) -> int:
        """Return the slot of the agent that created a task, or that of all agents if unknown."""
        slot = self._tasks.get(task)
        if slot is None:
            maker = self.ledger.slot
            steps = task.get_coro()
            is_new = iscoroutine(steps) and getcoroutinestate(steps) == CORO_CREATED  # else it is woken
            slot = maker if is_new and self.ledger.labels[maker][1] else AGENTS
            self._tasks[task] = slot
        return slot

    def _soon(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        def call_soon(callback: Any, *args: Any, context: Any = None) -> Any:
            return plain(self.charge(callback), *args, context=context)

        return call_soon

    def _later(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        def call_later(when: float, callback: Any, *args: Any, context: Any = None) -> Any:
            return plain(when, self.charge(callback), *args, context=context)

        return call_later

    def _collecting(self, phase: str, _: object) -> None:
        """Charge the garbage collector to the runtime; a callback of `gc`."""
        if threading.get_ident() not in ledgers:
            return
        if phase == "start":
            self._collected_from = self.ledger.enter(RUNTIME, 0)
        else:
            self.ledger.leave(self._collected_from, 0)
