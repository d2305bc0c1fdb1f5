"""A thread's CPU time by slot, read off its clock at each border between groups.

The calibrated cost of a border is subtracted here: `outer` on the side it is entered from, `inner` on the
side it leads to.
"""

from __future__ import annotations

import threading
from functools import partial
from time import perf_counter_ns, thread_time_ns
from typing import TYPE_CHECKING, Any

from formicary.core.coroutines import coroutine_function

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator
    from contextvars import Context

RUNTIME, AGENTS, COMMUNICATION, DIRECTORY, PLATFORM = range(5)
"""The first slots are the groups; later ones are agents', one for each behaviour or micro-agent."""

GROUPS = ("runtime", "agents", "communication", "directory", "platform")


_LONG = 50_000  # ns


class Cost:
    """The cost of a kind of border, in ns of CPU.

    Args:
        outer: on the side it is entered from.
        inner: on the side it leads to.
        first: of a coroutine's first step, instead of `outer`.
    """

    __slots__ = ("first", "inner", "outer")

    def __init__(self, outer: int = 0, inner: int = 0, first: int = 0) -> None:
        self.outer = outer
        self.inner = inner
        self.first = first


class Ledger:
    """The CPU time of the thread that creates it, from then on.

    Reading the thread's CPU clock is a system call, some 10 times as expensive as the wall clock. So short
    spans are measured by the wall clock, and the CPU clock is read where the thread may have waited: after a
    long span, in which it was interrupted or waited, and after each turn of the event loop. The sum always
    agrees with the CPU clock.

    Args:
        reading: ns to read the CPU clock.

    Attributes:
        slot: the slot of the code that runs now.
        spent: ns of CPU by slot, without the cost of borders.
        charged: ns subtracted for borders, by slot.
        labels: the group and the agent's name, empty for none, of each slot.
        elsewhere: ns of CPU in other threads by thread and slot, for work submitted to executors.
    """

    __slots__ = (
        "_cpu",
        "_first",
        "_is_open",
        "_reading",
        "_since",
        "_synced",
        "charged",
        "elsewhere",
        "labels",
        "slot",
        "spent",
    )

    def __init__(self, reading: int = 0) -> None:
        self._reading = reading
        self.spent = [0] * len(GROUPS)
        self.charged = [0] * len(GROUPS)
        self.labels: list[tuple[int, str]] = [(group, "") for group in range(len(GROUPS))]
        self.elsewhere: dict[tuple[int, int], int] = {}
        self.slot = RUNTIME
        self._is_open = True
        self._first = self._cpu = thread_time_ns()
        self._since = self._synced = perf_counter_ns()  # wall clock, like all but `_first` and `_cpu`

    def add_slot(self, group: int, name: str) -> int:
        """Add and return a slot for an agent's name, whose code belongs to a group."""
        self.labels.append((group, name))
        self.charged.append(0)
        self.spent.append(0)
        return len(self.spent) - 1

    def enter(self, slot: int, cost: int) -> int:
        """Cross a border; return the previous slot.

        Args:
            slot: the new slot.
            cost: ns to subtract on the side it is crossed from.
        """
        now = perf_counter_ns()
        before = self.slot
        spent = now - self._since
        if spent > _LONG or before == RUNTIME:
            spent = self._by_cpu()
            now = self._synced
        self.spent[before] += spent - cost
        self.charged[before] += cost
        self.slot = slot
        self._since = now
        return before

    def leave(self, before: int, cost: int) -> None:
        """Cross a border back.

        Args:
            before: the result of `enter`.
            cost: ns to subtract on the side it led to.
        """
        now = perf_counter_ns()
        slot = self.slot
        spent = now - self._since
        if spent > _LONG:
            spent = self._by_cpu()
            now = self._synced
        self.spent[slot] += spent - cost
        self.charged[slot] += cost
        self.slot = before
        self._since = now

    def _by_cpu(self) -> int:
        """Return the ns of CPU since the latest border; all unread time before it was short."""
        cpu = thread_time_ns()
        reading = self._reading
        half = reading >> 1  # half of a reading comes after the clock is sampled
        spent = cpu - half - self._cpu - (self._since - self._synced)
        self.charged[self.slot] += reading
        self._cpu = cpu + reading - half
        self._synced = perf_counter_ns()
        return spent

    def close(self) -> None:
        """Stop counting; borders that are still crossed have no effect."""
        self.read()
        self._is_open = False
        self.spent, self.charged = list(self.spent), list(self.charged)

    def read(self) -> int:
        """Update `spent`; return the ns of CPU since the ledger was created, borders included.

        Call it in the ledger's own thread.
        """
        if self._is_open:
            self.spent[self.slot] += self._by_cpu()
            self._since = self._synced
        return self._cpu - self._first


ledgers: dict[int, Ledger] = {}
"""The ledgers of accounted threads, by `threading.get_ident()`."""


# -- borders: wrappers of functions while their thread is accounted ------------------------------------------


def call_border(plain: Callable[..., Any], slot: int, cost: Cost) -> Callable[..., Any]:
    """Return a wrapper that calls `plain` in another slot."""
    get_ident = threading.get_ident

    def bordered(*args: Any, **kwargs: Any) -> Any:
        ledger = ledgers.get(get_ident())
        if ledger is None or ledger.slot == slot:
            return plain(*args, **kwargs)
        before = ledger.enter(slot, cost.outer)
        try:
            return plain(*args, **kwargs)
        finally:
            ledger.leave(before, cost.inner)

    return bordered


def coroutine_border(plain: Callable[..., Any], slot: int, cost: Cost) -> Callable[..., Any]:
    """Return a wrapper that makes `plain`'s coroutine, each step of which runs in another slot."""
    get_ident = threading.get_ident

    def bordered(*args: Any, **kwargs: Any) -> Any:
        ledger = ledgers.get(get_ident())
        if ledger is None or ledger.slot == slot:
            return plain(*args, **kwargs)
        return _steps(plain(*args, **kwargs), ledger, slot, cost)

    return bordered


@coroutine_function
def _steps(
    coroutine: Coroutine[Any, Any, Any], ledger: Ledger, slot: int, cost: Cost
) -> Generator[Any, Any, Any]:
    """Run a coroutine, each step on the other side of a border."""
    resume: Callable[[Any], Any] = coroutine.send
    value: Any = None
    outer = cost.first
    while True:
        before = ledger.enter(slot, outer)
        try:
            yielded = resume(value)
        except StopIteration as end:
            return end.value
        finally:
            ledger.leave(before, cost.inner)
        try:
            outer = cost.outer
            value = yield yielded
            resume = coroutine.send
        except GeneratorExit:
            coroutine.close()
            raise
        except BaseException as error:  # noqa: BLE001 -- it is the coroutine's
            resume, value = coroutine.throw, error


def resume_border(  # noqa: PLR0917 -- all but the last three are a partial's
    run: Callable[..., Any], ledger: Ledger, slot: int, cost: Cost, resume: Any, coroutine: Any, value: Any
) -> Any:
    """Resume a strand; `run` is its context's method."""
    before = ledger.enter(slot, cost.outer)
    try:
        return run(resume, coroutine, value)
    finally:
        ledger.leave(before, cost.inner)


class StrandBorder:
    """Stands in for a strand's context, and runs its steps in a slot."""

    __slots__ = ("run",)

    def __init__(self, context: Context, ledger: Ledger, slot: int, cost: Cost) -> None:
        self.run = partial(resume_border, context.run, ledger, slot, cost)


class Callback:
    """A callback for a loop or scheduler that runs in a slot."""

    __slots__ = ("__self__", "_cost", "_ledger", "_plain", "slot")

    def __init__(self, plain: Callable[..., Any], ledger: Ledger, slot: int, cost: Cost) -> None:
        self.__self__ = getattr(plain, "__self__", None)  # a scheduler asks a handler for its owner
        self._plain = plain
        self._ledger = ledger
        self.slot = slot
        self._cost = cost

    @property
    def plain(self) -> Callable[..., Any]:
        """The wrapped function."""
        return self._plain

    def __call__(self, *args: Any) -> Any:
        """Call the wrapped function."""
        return self.charge(self._plain, *args)

    def charge(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call another function in this slot."""
        ledger = self._ledger
        before = ledger.enter(self.slot, self._cost.outer)
        try:
            return function(*args)
        finally:
            ledger.leave(before, self._cost.inner)
