"""A thread's CPU time by slot, read off its clock whenever it passes from one group's code to another's.

Such a passage is a border. What a border costs is known from the calibration, and taken off here: `outer` on
the side that it is entered from, `inner` on the side that it leads to.
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
"""The first slots are the groups. Those after them are agents', one for each behaviour or micro-agent."""

GROUPS = ("runtime", "agents", "communication", "directory", "platform")


_LONG = 50_000  # ns


class Cost:
    """What a kind of border costs, in ns of CPU.

    Args:
        outer: on the side that it is entered from.
        inner: on the side that it leads to.
        first: of a coroutine's first step, in the place of `outer`.
    """

    __slots__ = ("first", "inner", "outer")

    def __init__(self, outer: int = 0, inner: int = 0, first: int = 0) -> None:
        self.outer = outer
        self.inner = inner
        self.first = first


class Ledger:
    """The CPU time of the thread that makes it, from then on.

    The thread's CPU clock is a system call, some 10 times as dear as the clock on the wall. So what is short
    is measured by the wall, and the CPU clock is read where the thread may have waited: after whatever has
    taken long, as it was interrupted or has waited itself, and after each time that the event loop had its
    turn. The sum is always what the CPU clock says.

    Args:
        reading: ns that it takes to read the CPU clock.

    Attributes:
        slot: whose code runs now.
        spent: ns of CPU by slot, without what borders cost.
        charged: ns that borders cost, as far as they were taken off, by slot.
        labels: the group and the agent's name, empty for none, of each slot.
        elsewhere: ns of CPU in other threads, by thread and slot: of what was handed to executors.
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
        self._since = self._synced = perf_counter_ns()  # by the wall, as all but `_first` and `_cpu`

    def add_slot(self, group: int, name: str) -> int:
        """Return a new slot for an agent of that name, whose code belongs to a group."""
        self.labels.append((group, name))
        self.charged.append(0)
        self.spent.append(0)
        return len(self.spent) - 1

    def enter(self, slot: int, cost: int) -> int:
        """Pass a border; return the slot that it was passed from.

        Args:
            slot: where to.
            cost: ns to take off where it is passed from.
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
        """Go back over a border.

        Args:
            before: what `enter` has returned.
            cost: ns to take off where it led to.
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
        """Return the ns of CPU since the latest border; all before it that was not read yet was short."""
        cpu = thread_time_ns()
        reading = self._reading
        half = reading >> 1  # of the reading is over when the clock is
        spent = cpu - half - self._cpu - (self._since - self._synced)
        self.charged[self.slot] += reading
        self._cpu = cpu + reading - half
        self._synced = perf_counter_ns()
        return spent

    def close(self) -> None:
        """Count no more: what still comes from borders that are passed goes nowhere."""
        self.read()
        self._is_open = False
        self.spent, self.charged = list(self.spent), list(self.charged)

    def read(self) -> int:
        """Update `spent`; return the ns of CPU since the ledger was made, borders included.

        To be called in the thread that the ledger is of.
        """
        if self._is_open:
            self.spent[self.slot] += self._by_cpu()
            self._since = self._synced
        return self._cpu - self._first


ledgers: dict[int, Ledger] = {}
"""The ledgers of the threads that are accounted now, by `threading.get_ident()`."""


# -- borders: what stands in the place of a function while its thread is accounted --------------------------


def call_border(plain: Callable[..., Any], slot: int, cost: Cost) -> Callable[..., Any]:
    """Return what calls `plain`, as the code of another slot."""
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
    """Return what makes the coroutine that `plain` makes, of which each step is code of another slot."""
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
    """Resume a strand; `run` is its context's."""
    before = ledger.enter(slot, cost.outer)
    try:
        return run(resume, coroutine, value)
    finally:
        ledger.leave(before, cost.inner)


class StrandBorder:
    """What runs the steps of a strand in the place of its context, as the code of a slot.

    Args:
        context: the strand's.
        ledger: of the loop's thread.
        slot: whose code it is.
        cost: of such a border.
    """

    __slots__ = ("run",)

    def __init__(self, context: Context, ledger: Ledger, slot: int, cost: Cost) -> None:
        self.run = partial(resume_border, context.run, ledger, slot, cost)


class Callback:
    """What a loop or a scheduler is given to call back, as the code of a slot.

    Args:
        plain: what is to be called.
        ledger: of the loop's thread.
        slot: whose code it is.
        cost: of such a border.
    """

    __slots__ = ("__self__", "_cost", "_ledger", "_plain", "slot")

    def __init__(self, plain: Callable[..., Any], ledger: Ledger, slot: int, cost: Cost) -> None:
        self.__self__ = getattr(plain, "__self__", None)  # a scheduler asks a handler whose it is
        self._plain = plain
        self._ledger = ledger
        self.slot = slot
        self._cost = cost

    @property
    def plain(self) -> Callable[..., Any]:
        """What is called."""
        return self._plain

    def __call__(self, *args: Any) -> Any:
        """Call it."""
        return self.charge(self._plain, *args)

    def charge(self, function: Callable[..., Any], *args: Any) -> Any:
        """Call another function as the code of this slot."""
        ledger = self._ledger
        before = ledger.enter(self.slot, self._cost.outer)
        try:
            return function(*args)
        finally:
            ledger.leave(before, self._cost.inner)
