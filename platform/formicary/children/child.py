"""A container in its own process, as the program that started it uses it."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Any, Final, Self

from formicary.children.locating import locate
from formicary.children.orders import Allow, Ended, Join, Open
from formicary.children.placement import Placement
from formicary.children.process import ContainerProcess
from formicary.core.errors import ContainerLostError, ManagementError
from formicary.core.importing import is_allowed
from formicary.core.logs import get_logger
from formicary.core.names import check_container

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from formicary.children.orders import Order
    from formicary.container.container import Container
    from formicary.core.agent import Agent
    from formicary.core.micro import MicroAgent
    from formicary.local.launchers import Elsewhere
    from formicary.management.requests.creating import Creations

logger = get_logger("formicary")

_ENDS_WITHIN: Final = 30.0  # s for a container's agents to end; each takes at most ten
_ALLOWS_WITHIN: Final = 30.0  # s, as for every request to one container
_SHOWN: Final = 5  # names of agents in a sentence


class ChildContainer:
    """A container in its own process, joined to one of this process; an async context manager.

    Made by `Container.spawn`. It ends with the block, its agents first, and also when this program is gone.
    If its process ends earlier, for example because it is killed, one log line names the agents that were
    started there; senders to these get failures, as for any lost container.

    Args:
        parent: the container that it joins, which is open and listens.
        name: its own name.
        options: further options of `Container`: plain data.
        placement: records its agents by name; None for its own record.
        on_lost: called with this object and a sentence when its process ends by itself; None to log that.
        elsewhere: how to start its process on another host; None for a child of this one.
    """

    def __init__(
        self,
        parent: Container,
        name: str,
        options: Mapping[str, Any],
        *,
        placement: Placement | None = None,
        on_lost: Callable[[ChildContainer, str], None] | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self.name = check_container(name)
        self.domain = f"{name}.{parent.platform}"
        self._parent = parent
        self._options = dict(options)
        self._placement = placement or Placement([name])
        self._on_lost = on_lost
        self._interface = elsewhere.interface if elsewhere else None
        before = elsewhere.command if elsewhere else ()
        self._process = ContainerProcess(name, self._have_ended, self._is_lost, before)
        self._allowed: tuple[str, ...] = ()
        self._is_open = False

    @property
    def pid(self) -> int:
        """The process ID.

        Raises:
            ContainerLostError: it was never started.
        """
        return self._process.pid

    @property
    def loss(self) -> str | None:
        """How its process ended by itself, as a sentence; None if it did not."""
        return self._process.loss

    @property
    def report(self) -> Ended:
        """Its last report, if it ended in order."""
        return self._process.report or Ended()

    # -- life cycle -----------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def open(self) -> None:
        """Start the process, and return when its container has joined.

        Raises:
            ContainerClosedError: its parent is not open, or cannot be joined.
            ContainerLostError: its process cannot be started, or ended at once.
            FormicaryError: it cannot be opened with these options.
        """
        join = self._parent.join_address
        path = _search_path()
        try:
            await self._process.start()
            opening = Open(self.name, join, self._options, path, sys.argv, self._interface)
            await self.order(opening)
        except BaseException:
            await self._process.kill()
            raise
        self._is_open = True

    async def close(self) -> None:
        """Stop its agents and end it; at once if cancelled."""
        has_ended = await self._process.end(_ENDS_WITHIN)
        if not has_ended:
            logger.error(
                "container %s did not end within %g s, and its process was killed%s",
                self.name,
                _ENDS_WITHIN,
                self._named(", with"),
            )

    def _have_ended(self, names: list[str]) -> None:
        for name in names:
            self._placement.forget(name)

    def _is_lost(self) -> None:
        if not self._is_open:
            return  # `open` raises it
        sentence = f"{self.loss}{self._named('; lost agents:')}"
        self._placement.lose(self.name)
        if self._on_lost is not None:
            self._on_lost(self, sentence)
        else:
            logger.error("%s", sentence)

    def _named(self, before: str) -> str:
        """Return the names of its agents as the end of a sentence."""
        names = self._placement.names_in(self.name)
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return f"{before} {', '.join(names[:_SHOWN])}{more}" if names else ""

    # -- agents ---------------------------------------------------------------------------------------------

    async def start(
        self,
        cls: str | type[Agent | MicroAgent],
        name: str,
        arguments: Mapping[str, Any] | None = None,
    ) -> str:
        """Create and start an agent there; return its full name when its `setup` is done.

        Args:
            cls: its class, at the top level of a module or of the script that runs, or
                `"package.module:Class"`.
            name: the agent's own name.
            arguments: keyword arguments for the class, except the name, as JSON data.

        Raises:
            NameTakenError: an agent of that name lives there.
            ContainerLostError: the container is gone.
            ManagementError: the class cannot be imported there, or does not take these arguments, the agent's
                `setup` failed, or the container does not answer.
        """
        if self.loss is not None:
            raise ContainerLostError(self.loss)
        self._placement.place(name, on=self.name)
        try:
            return await self.start_placed(cls, name, arguments)
        except BaseException:
            self._placement.forget(name)
            raise

    async def start_placed(
        self, cls: str | type[Agent | MicroAgent], name: str, arguments: Mapping[str, Any] | None
    ) -> str:
        """Start an agent that was placed here; arguments and errors as of `start`."""
        class_name = await self._allow(cls)
        management = self._parent.management
        return await management.create(class_name, name, container=self.name, arguments=arguments)

    async def start_many_placed(
        self, cls: str | type[Agent | MicroAgent], names: Iterable[str], arguments: Mapping[str, Any] | None
    ) -> Creations:
        """Start many agents that were placed here; as `Management.create_many`."""
        class_name = await self._allow(cls)
        management = self._parent.management
        return await management.create_many(class_name, names, container=self.name, arguments=arguments)

    async def _allow(self, cls: str | type[Agent | MicroAgent]) -> str:
        """Allow agents of a class's module in the container; return the class's name there."""
        location = locate(cls)
        if not is_allowed(location.module, self._allowed):
            try:
                async with asyncio.timeout(_ALLOWS_WITHIN):
                    await self.order(Allow(location.module, location.file))
            except TimeoutError:
                raise ManagementError(
                    f"container {self.name} has not answered within {_ALLOWS_WITHIN:g} s: one of "
                    "its agents may be blocking its event loop"
                ) from None
            self._allowed += (location.module,)
        return location.class_name

    async def join(self) -> bool:
        """Wait until no agent lives there; return whether there were any at first.

        Raises:
            ContainerLostError: the container is gone, or ends meanwhile.
            FormicaryError: an agent there failed, and nobody handled it.
        """
        return bool(await self.order(Join()))

    async def order(self, order: Order) -> list[str]:
        """Send an order; errors as of `ContainerProcess.order`."""
        return await self._process.order(order)

    def __repr__(self) -> str:
        return f"<ChildContainer {self.domain}>"


def _search_path() -> list[str]:
    """Return this program's module search path as absolute folders, for other processes."""
    return [os.path.abspath(each) for each in sys.path]  # noqa: PTH100 -- '' is the current folder
