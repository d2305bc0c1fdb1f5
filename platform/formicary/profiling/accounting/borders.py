"""Where the code of one group calls that of another: what the exact accounting puts its clocks at.

Methods of the platform's classes are replaced while any thread is accounted, and put back afterwards. What
runs meanwhile in threads that are not accounted goes through at the price of a look-up.
"""

from __future__ import annotations

import importlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from formicary.profiling.accounting.ledger import (
    AGENTS,
    COMMUNICATION,
    DIRECTORY,
    PLATFORM,
    call_border,
    coroutine_border,
    ledgers,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.profiling.accounting.calibration import Costs


class Border(NamedTuple):
    """Methods of a class that lead to another group.

    Attributes:
        owner: `module:Class`.
        slot: the group.
        calls: methods that are counted from their call to their return.
        coroutines: methods that make coroutines, each step of which is counted.
    """

    owner: str
    slot: int
    calls: tuple[str, ...] = ()
    coroutines: tuple[str, ...] = ()


BORDERS = (
    # What agents call of the platform, and where the platform's own turn begins.
    Border("formicary.core.behaviours:Behaviour", PLATFORM, ("kill",), ("send", "receive")),
    Border("formicary.core.micro:MicroAgent", PLATFORM, ("send_nowait",), ("send", "stop")),
    Border("formicary.core.message:Message", PLATFORM, ("make_reply",)),
    Border("formicary.core.agent:Agent", PLATFORM, ("add_behaviour", "remove_behaviour"), ("stop",)),
    Border("formicary.container.container:Container", PLATFORM, (), ("start",)),
    Border("formicary.core.scheduler:Scheduler", PLATFORM, ("_run",)),
    # What the platform calls of the users'.
    Border("formicary.container.container:Container", AGENTS, (), ("_set_up",)),
    Border("formicary.container.dispatcher:Dispatcher", AGENTS, ("_tell",)),
    # Batches out, and what comes in.
    Border("formicary.transport.link.outbox:Outbox", COMMUNICATION, ("_send_all",)),
    Border("formicary.transport.link.link:Link", COMMUNICATION, ("receive", "tell")),
    Border("formicary.transport.direct.connection:DirectConnection", COMMUNICATION, ("data_received",)),
    Border("formicary.transport.xmpp.stream:XmppStream", COMMUNICATION, ("data_received",)),
    Border("formicary.transport.xmpp.connection:XmppConnection", COMMUNICATION, ("post",)),
    # The directory, as agents and containers use it, and as other containers tell it things.
    Border(
        "formicary.directory.interface:Subscription", DIRECTORY, (), ("__aenter__", "__aexit__", "__anext__")
    ),
    Border(
        "formicary.directory.interface:AgentDirectory", DIRECTORY, (), ("register", "modify", "deregister")
    ),
    Border(
        "formicary.directory.replicated.directory:ReplicatedDirectory",
        DIRECTORY,
        ("told", "joined", "lost", "agent_gone"),
    ),
    Border(
        "formicary.directory.central.client:CentralDirectory",
        DIRECTORY,
        ("told", "joined", "lost", "agent_gone"),
    ),
)


class Patches:
    """The platform's methods with borders, as long as somebody accounts.

    Args:
        costs: what the borders cost.
        adopt: called with each new strand, and each new way in of a micro-agent, of an accounted thread.
        charge: called with what a run queue is to call back; returns what it is to call instead.
    """

    def __init__(self, costs: Costs, adopt: Callable[[Any], None], charge: Callable[[Any], Any]) -> None:
        self._costs = costs
        self._adopt = adopt
        self._charge = charge
        self._plain: list[tuple[type, str, Any]] = []

    def install(self) -> None:
        """Put the borders in place."""
        costs = self._costs
        for border in BORDERS:
            owner = _find(border.owner)
            for name in border.calls:
                self._replace(owner, name, partial(call_border, slot=border.slot, cost=costs.call))
            for name in border.coroutines:
                self._replace(owner, name, partial(coroutine_border, slot=border.slot, cost=costs.coroutine))
        directory = _find("formicary.directory.interface:Directory")
        self._replace(directory, "search", self._search)
        for newcomer in ("formicary.core.strand:Strand", "formicary.core.micro:MicroInbox"):
            self._replace(_find(newcomer), "__init__", self._adopting)
        self._replace(_find("formicary.core.scheduler:Scheduler"), "at_turn_end", self._charging)
        self._replace(ThreadPoolExecutor, "submit", _submitting)

    def remove(self) -> None:
        """Put everything back as it was."""
        while self._plain:
            owner, name, plain = self._plain.pop()
            setattr(owner, name, plain)

    def _replace(self, owner: type, name: str, make: Callable[[Any], Any]) -> None:
        plain = owner.__dict__[name]
        self._plain.append((owner, name, plain))
        setattr(owner, name, make(plain))

    def _search(self, plain: Any) -> Any:
        """Return a border for what does a part of its work before it returns its coroutine."""
        called = call_border(plain, DIRECTORY, self._costs.call)
        return coroutine_border(called, DIRECTORY, self._costs.coroutine)

    def _adopting(self, plain: Any) -> Any:
        def __init__(self_: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 -- it is one
            plain(self_, *args, **kwargs)
            if threading.get_ident() in ledgers:
                self._adopt(self_)

        return __init__

    def _charging(self, plain: Any) -> Any:
        def at_turn_end(queue: Any, callback: Any) -> None:
            plain(queue, self._charge(callback) if threading.get_ident() in ledgers else callback)

        return at_turn_end


def _find(owner: str) -> Any:
    module, _, name = owner.partition(":")
    return getattr(importlib.import_module(module), name)


def _submitting(plain: Any) -> Any:
    """Return what hands functions to an executor, and has them count as work of who hands them over."""

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
