"""`LocalPlatform`: containers in their own processes, over all cores of a machine."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Literal, Self, TypeVar

from formicary.children.child import ChildContainer
from formicary.children.orders import Meet
from formicary.children.placement import Placement
from formicary.container.container import Container
from formicary.container.options import Network, check_child_options
from formicary.core.errors import ContainerLostError, UsageError
from formicary.core.logs import get_logger
from formicary.core.quoting import shorten
from formicary.local.cycles import LocalCycles
from formicary.local.memory import check_count
from formicary.local.names import LocalNames
from formicary.management.requests.creating import Creations

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Mapping
    from types import TracebackType

    from formicary.core.agent import Agent
    from formicary.core.micro import MicroAgent
    from formicary.local.launchers import Launcher

T = TypeVar("T")

Mode = Literal["pooled", "asynchronous", "synchronous"]
"""How behaviours of a local platform are scheduled."""

logger = get_logger("formicary")

NAME: Final = "main"
"""The default name of the container in the program's own process."""

_LOOPBACK: Final = "127.0.0.1"


class LocalPlatform:
    """Containers in their own processes, joined over Unix sockets; an async context manager.

    They are named `c1`, `c2` and so on, and join `container`, which is in the program's own process. Agents
    on all of them reach each other by their short names. They end with the block, agents first, also on an
    exception or Ctrl-C; if the program is killed, they end by themselves. If an agent calls `sys.exit()`, all
    end, and the block raises it.

    If a process ends earlier, for example because it is killed or memory runs out, one log line names the
    agents that were started there; senders to these get failures, as for any lost container.

    Args:
        containers: how many; None for one per core on which this process may run.
        container: the container of this process, not opened yet, which others can join; by default `main`,
            with the same options.
        placement: where to start an agent for which no container is given: in each in turn (`"round-robin"`),
            or in the one with the fewest agents started so (`"least-loaded"`).
        when_lost: whether to continue with the remaining containers (`"continue"`), or to cancel the block,
            which then raises ContainerLostError (`"end"`).
        launcher: starts the processes on other hosts; None for this one.
        mode: `"pooled"`, or its synonym `"asynchronous"`: each behaviour continues as soon as it can, in its
            container; `"synchronous"`: all behaviours of all containers do one cycle before any does its
            next, as in `Container`. No cycle begins while `start` starts an agent.
        options: further options of `Container`, for all of them: `seed`, `creatable`, `accepts`,
            `compute_in`, `copy`, `limits`, `network` (only its `tls`) and `services` (only its `directory`
            and `conversation_rules`).

    Raises:
        UsageError: there are too many, usually for lack of memory, or an option is not accepted.
    """

    def __init__(
        self,
        containers: int | None = None,
        *,
        container: Container | None = None,
        placement: Literal["round-robin", "least-loaded"] = "round-robin",
        when_lost: Literal["continue", "end"] = "continue",
        launcher: Launcher | None = None,
        mode: Mode = "pooled",
        **options: Any,
    ) -> None:
        check_child_options(options)
        if when_lost not in {"continue", "end"}:
            raise UsageError(f"when_lost= must be 'continue' or 'end', not {when_lost!r}")
        if mode not in {"pooled", "asynchronous", "synchronous"}:
            raise UsageError(
                f"a local platform's mode must be 'pooled' or 'synchronous', not {shorten(mode)}"
            )
        if mode == "synchronous":
            options = {"mode": mode, **options}
        if launcher is None:  # on one host, keys and Unix sockets protect as TLS would
            options = {"network": Network(tls=False), **options}
        own = _LOOPBACK if launcher is None or container else launcher.address
        self.container = container or Container(NAME, listen=own, **options)
        """The container in this process; use it like any other."""
        count = check_count(containers) if launcher is None else containers or launcher.count
        names = [f"c{number}" for number in range(1, count + 1)]
        if self.container.name in names:
            raise UsageError(
                f"the container of this process cannot be named {self.container.name!r}, like one "
                f"of the others; name it {NAME!r}, for example"
            )
        self._when_lost = when_lost
        self._placement = Placement(names, placement)
        self._children = {
            name: ChildContainer(
                self.container,
                name,
                options,
                placement=self._placement,
                on_lost=self._has_lost,
                elsewhere=launcher.place(number) if launcher else None,
            )
            for number, name in enumerate(names)
        }
        self._names: LocalNames | None = None
        self._cycles: LocalCycles | None = None
        self._block: asyncio.Task[object] | None = None
        self._is_open = self._is_leaving = self._is_cancelled = False
        self._error: BaseException | None = None

    @property
    def children(self) -> tuple[ChildContainer, ...]:
        """The containers in their own processes, including lost ones."""
        return tuple(self._children.values())

    @property
    def containers(self) -> tuple[str, ...]:
        """The names of the containers that are left."""
        return tuple(name for name, child in self._children.items() if child.loss is None)

    # -- life cycle -----------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        self._block = asyncio.current_task()
        await self.container.__aenter__()
        try:
            with self.container.scheduler.busy(lambda: "the other containers to begin"):
                await self._open_children()
        except BaseException as error:
            await self.__aexit__(type(error), error, error.__traceback__)
            raise
        self._is_open = True
        return self

    async def _open_children(self) -> None:
        self._names = LocalNames(self.container)
        if self.container.mode == "synchronous":
            self._cycles = LocalCycles(self.container, names_late=True)
        await _all_or_first_error(child.open() for child in self.children)
        domains = [self.container.domain, *(child.domain for child in self.children)]
        # By now all of them answer questions about names.
        meeting = [child.order(Meet(domains)) for child in self.children]
        await _all_or_first_error([self._names.meet(domains), *meeting])
        if self._cycles is not None:
            self._cycles.meet(domains)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._leave_block(error)
        await self.container.program_exit.leave_block(error)
        try:
            self.container.scheduler.end_cycles()
            await asyncio.gather(*(child.close() for child in self.children))
        finally:
            try:
                await self.container.close()
            finally:
                if self._names is not None:
                    self._names.close()
        self.container.program_exit.end()
        if self._error is not None:
            raise self._error from None

    async def _leave_block(self, error: BaseException | None) -> None:
        """Undo the cancellation of the task that leaves the block."""
        self._is_leaving = True
        if self._is_cancelled and self._block is not None:
            if not isinstance(error, asyncio.CancelledError):
                with suppress(asyncio.CancelledError):  # the cancellation may still be pending
                    await asyncio.sleep(0)
            self._block.uncancel()

    def _has_lost(self, child: ChildContainer, sentence: str) -> None:
        """Handle the end of a container that ended by itself."""
        if child.report.has_exited:
            self._end_block(SystemExit(child.report.exit_code))
        elif self._when_lost == "end" or not self._is_open:  # the others would wait for it for ever
            self._end_block(ContainerLostError(sentence))
        else:
            logger.error("%s", sentence)

    def _end_block(self, error: BaseException) -> None:
        if self._error is None:
            self._error = error
            if self._block is not None and not self._is_leaving:
                self._is_cancelled = self._block.cancel()

    # -- agents ---------------------------------------------------------------------------------------------

    def place(self, name: str, *, on: str | None = None, group: str | None = None) -> ChildContainer:
        """Choose the container in which to start an agent; arguments as of `start`."""
        return self._children[self._placement.place(name, on=on, group=group)]

    async def start(
        self,
        cls: str | type[Agent | MicroAgent],
        name: str,
        arguments: Mapping[str, Any] | None = None,
        *,
        on: str | None = None,
        group: str | None = None,
    ) -> str:
        """Create and start an agent; return its full name when its `setup` is done.

        If cancelled, or the container does not answer in time, the agent may or may not start.

        Args:
            cls: its class, at the top level of a module or of the script that runs, or
                `"package.module:Class"`.
            name: the agent's own name, by which all agents of the platform find it.
            arguments: keyword arguments for the class, except the name, as JSON data.
            on: the name of its container; None to choose one.
            group: agents of the same group are kept together in one container.

        Raises:
            NameTakenError: an agent of that name lives there, or was started on the platform before.
            UsageError: there is no such container, or none is left.
            ContainerLostError: its container is gone.
            ManagementError: the class cannot be imported there, or does not take these arguments, the agent's
                `setup` failed, or the container does not answer.
        """
        child = self.place(name, on=on, group=group)
        try:
            with self.container.scheduler.busy(lambda: f"agent {name} to start"):
                return await child.start_placed(cls, name, arguments)
        except BaseException:
            self._placement.forget(name)
            raise

    async def start_many(
        self,
        cls: str | type[Agent | MicroAgent],
        names: Iterable[str],
        arguments: Mapping[str, Any] | None = None,
        *,
        on: str | None = None,
        group: str | None = None,
    ) -> Creations:
        """Create and start many agents of a class, in all containers at once; return their full names.

        Those that cannot be created are in `failed` of the result; the others are created all the same. An
        error that concerns all of them is raised.

        Args:
            cls: as of `start`.
            names: the agents' own names.
            arguments: as of `start`.
            on: as of `start`.
            group: as of `start`, for all of them.

        Raises:
            FormicaryError: as of `start`.
        """
        parts: dict[str, list[str]] = {}
        try:
            for name in names:
                parts.setdefault(self.place(name, on=on, group=group).name, []).append(name)
            with self.container.scheduler.busy(lambda: "agents to start"):
                made = await _all_or_first_error(
                    self._children[container].start_many_placed(cls, part, arguments)
                    for container, part in parts.items()
                )
        except BaseException:
            for name in (name for part in parts.values() for name in part):
                self._placement.forget(name)
            raise
        creations = Creations(address for each in made for address in each)
        creations.failed = tuple(failure for each in made for failure in each.failed)
        for failure in creations.failed:
            self._placement.forget(failure.name.partition("@")[0])
        return creations

    async def wait_until_finished(self) -> None:
        """Wait until no agent lives on the platform; return at once if so.

        Raises:
            FormicaryError: an agent failed in another process, and nobody handled it.
            Exception: as of `Container.wait_until_finished`.
        """
        errors: list[BaseException] = []
        is_quiet = False
        while not is_quiet:  # live agents may start others elsewhere until all are gone
            had_own = not self.container.lifecycle.is_over()
            joining = self.container.wait_until_finished(), *map(_join, self.children)
            found = await asyncio.gather(*joining, return_exceptions=True)
            errors += (each for each in found if isinstance(each, BaseException))
            is_quiet = not had_own and not any(found)
        if errors:  # only now: agents of other containers may outlive the failed one
            raise errors[0]

    def __repr__(self) -> str:
        return f"<LocalPlatform {self.container.platform}, {len(self.containers)} containers>"


async def _join(child: ChildContainer) -> bool:
    try:
        return await child.join()
    except ContainerLostError:  # with all of its agents, which was reported
        return False


async def _all_or_first_error(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Await all concurrently and return the results; cancel the rest on an error."""
    tasks = [asyncio.create_task(each) for each in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
