"""The borders at which code of one group calls that of another, where accounting reads its clocks.

Methods of the platform's classes are replaced while any thread is accounted, and restored afterwards. Threads
that are not accounted meanwhile pay a look-up.
"""

from __future__ import annotations

import asyncio
import inspect
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from formicary.container.container import Container
from formicary.container.lifecycle import Lifecycle
from formicary.core.agent import Agent
from formicary.core.behaviour import Behaviour
from formicary.core.mailbox import Mailbox
from formicary.core.message import Message
from formicary.core.micro import MicroAgent, MicroInbox
from formicary.core.scheduler import Scheduler
from formicary.core.strand import Strand
from formicary.delivery.dispatcher import Dispatcher
from formicary.directory.central.client import CentralDirectory
from formicary.directory.interface import AgentDirectory, Directory, Subscription
from formicary.directory.replicated.directory import ReplicatedDirectory
from formicary.profiling.accounting.ledger import (
    AGENTS,
    DIRECTORY,
    GROUPS,
    RUNTIME,
    Callback,
    call_border,
    coroutine_border,
    ledgers,
)
from formicary.profiling.model.declarations import with_group
from formicary.profiling.model.groups import Rules
from formicary.profiling.model.profile import Frame
from formicary.protocols.part import Part
from formicary.transport.direct.connection import DirectConnection
from formicary.transport.link.link import Link
from formicary.transport.link.orders import Orders
from formicary.transport.link.outbox import Outbox
from formicary.transport.xmpp.connection import XmppConnection
from formicary.transport.xmpp.stream import XmppStream

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType

    from formicary.profiling.accounting.calibration import Costs

BORDERS: tuple[Callable[..., Any], ...] = (
    # The platform's methods that agents call, and where the platform's own turn begins.
    Behaviour.kill,
    Behaviour.send,
    Behaviour.receive,
    MicroAgent.send_nowait,
    MicroAgent.send,
    MicroAgent.stop,
    Message.make_reply,
    Agent.add_behaviour,
    Agent.remove_behaviour,
    Agent.stop,
    Container.start,
    Scheduler.run,
    # Outgoing batches, and what arrives.
    Outbox.send_all,
    Link.receive,
    Orders.send_control,
    DirectConnection.data_received,
    XmppStream.data_received,
    XmppConnection.post,
    # The directory as agents and containers use it, and other containers' messages about it.
    Subscription.__aenter__,
    Subscription.__aexit__,
    Subscription.__anext__,
    AgentDirectory.register,
    AgentDirectory.modify,
    AgentDirectory.deregister,
    ReplicatedDirectory.on_control,
    ReplicatedDirectory.joined,
    ReplicatedDirectory.lost,
    ReplicatedDirectory.agent_gone,
    CentralDirectory.on_control,
    CentralDirectory.joined,
    CentralDirectory.lost,
    CentralDirectory.agent_gone,
)
"""Methods that cross to the group that their package declares."""

TO_AGENTS: tuple[Callable[..., Any], ...] = (Lifecycle.set_up, Dispatcher.tell_instrument)
"""Methods of the platform that call users' code."""
_RULES = Rules()


@cache
def group_of_file(name: str) -> int:
    """Return the group of code in a file; the runtime if the rules leave it to the caller."""
    group = _RULES.group_of(with_group(Frame("", name)))
    return RUNTIME if group is None else GROUPS.index(group)


def group_of_class(kind: type) -> int:
    """Return the group of a class's methods; the agents unless a rule says otherwise."""
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    return (file and group_of_file(file)) or AGENTS


def group_of_callback(callback: Any) -> int:
    """Return the group of a loop's callback; the runtime if unknown."""
    if isinstance(callback, Callback):
        return RUNTIME  # it is charged already
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, asyncio.Task):
        coroutine = owner.get_coro()
        code = getattr(coroutine, "cr_code", None) or getattr(coroutine, "gi_code", None)
        # Code of the standard library or uvloop, such as `asyncio.wait_for(own())` or the program of
        # `uvloop.run`, may wrap users' code.
        return _group_of_code(code) or AGENTS
    while isinstance(callback, partial):
        callback = callback.func
    return _group_of_code(getattr(callback, "__code__", None))  # a method has its function's code


def _group_of_code(code: CodeType | None) -> int:
    return RUNTIME if code is None else group_of_file(code.co_filename)


def group_of_strand(strand: Strand) -> int:
    """Return the group of a strand's code: a behaviour, or an asynchronous `handle`."""
    owner = strand.owner
    return group_of_class(type(owner.owner if isinstance(owner, Mailbox) else owner))


class Patches:
    """Borders around the platform's methods while any thread is accounted.

    Args:
        costs: the cost of borders.
        adopt: called with each new strand or micro-agent's inbox of an accounted thread.
        charge: called with a scheduler's callback; returns its replacement.
    """

    def __init__(self, costs: Costs, adopt: Callable[[Any], None], charge: Callable[[Any], Any]) -> None:
        self._costs = costs
        self._adopt = adopt
        self._charge = charge
        self._plain: list[tuple[type, str, Any]] = []

    def install(self) -> None:
        """Install the borders."""
        for method in BORDERS:
            self._replace(method, partial(self._bordered, slot=group_of_file(method.__code__.co_filename)))
        for method in TO_AGENTS:
            self._replace(method, partial(self._bordered, slot=AGENTS))
        self._replace(Part._call, self._answering)  # noqa: SLF001
        self._replace(Directory.search, self._search)
        for beginning in (Strand.adopt, MicroInbox.__init__):
            self._replace(beginning, self._adopting)
        self._replace(Scheduler.begin, _beginning)
        self._replace(Scheduler.at_turn_end, self._charging)
        self._replace(ThreadPoolExecutor.submit, _submitting)

    def remove(self) -> None:
        """Restore the original methods."""
        while self._plain:
            owner, name, plain = self._plain.pop()
            setattr(owner, name, plain)

    def _replace(self, method: Callable[..., Any], make: Callable[[Any], Any]) -> None:
        owner, name = owner_of(method), method.__name__
        self._plain.append((owner, name, method))
        setattr(owner, name, make(method))

    def _bordered(self, plain: Any, slot: int) -> Any:
        if inspect.iscoroutinefunction(plain):
            return coroutine_border(plain, slot, self._costs.coroutine)
        return call_border(plain, slot, self._costs.call)

    def _search(self, plain: Any) -> Any:
        """Return a border for a function that does part of its work before it returns its coroutine."""
        called = call_border(plain, DIRECTORY, self._costs.call)
        return coroutine_border(called, DIRECTORY, self._costs.coroutine)

    def _answering(self, plain: Any) -> Any:
        """Return a border for a function that calls users' code and returns its awaitable."""
        called = call_border(plain, AGENTS, self._costs.call)
        stepped = coroutine_border(lambda given: given, AGENTS, self._costs.coroutine)

        def call(part: Part, message: Message | None) -> Any:
            given = called(part, message)
            return stepped(given) if part._awaits(given) else given  # noqa: SLF001

        return call

    def _adopting(self, plain: Any) -> Any:
        def begin(self_: Any, *args: Any, **kwargs: Any) -> None:
            plain(self_, *args, **kwargs)
            if threading.get_ident() in ledgers:
                self._adopt(self_)

        return begin

    def _charging(self, plain: Any) -> Any:
        def at_turn_end(queue: Any, callback: Any) -> None:
            plain(queue, self._charge(callback) if threading.get_ident() in ledgers else callback)

        return at_turn_end


def owner_of(method: Callable[..., Any]) -> type:
    """Return the class that defines a method."""
    owner: type = getattr(sys.modules[method.__module__], method.__qualname__.partition(".")[0])
    return owner


def _beginning(plain: Any) -> Any:
    """Return a wrapper that runs the first step of an asynchronous `handle` in its agent's slot."""

    def begin(scheduler: Scheduler, coroutine: Any, agent: MicroAgent) -> None:
        handle = agent.micro_inbox.handle if agent.micro_inbox else None
        if isinstance(handle, Callback):
            handle.charge(plain, scheduler, coroutine, agent)
        else:
            plain(scheduler, coroutine, agent)

    return begin


def _submitting(plain: Any) -> Any:
    """Return a wrapper that submits functions to an executor and charges them to the submitter."""

    def submit(executor: Any, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        ledger = ledgers.get(threading.get_ident())
        if ledger is None:
            return plain(executor, function, *args, **kwargs)
        slot, elsewhere = ledger.slot, ledger.elsewhere

        def timed(*args: Any, **kwargs: Any) -> Any:
            began = time.thread_time_ns()
            try:
                return function(*args, **kwargs)
            finally:
                key = threading.get_native_id(), slot  # only this thread writes to it
                elsewhere[key] = elsewhere.get(key, 0) + time.thread_time_ns() - began

        return plain(executor, timed, *args, **kwargs)

    return submit
