"""How a container follows who plays which role: the directory tells it, or it polls the directory."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from formicary.core.errors import AlreadyRegisteredError, DirectoryRequestError, FormicaryError
from formicary.core.logs import get_logger
from formicary.directory.model.description import Gone
from formicary.directory.model.query import MOST_RESULTS, Query
from formicary.groups.naming import ROLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from formicary.directory.interface import Backend, Watch
    from formicary.directory.model.description import ServiceDescription
    from formicary.directory.model.watches import Notice

logger = get_logger("formicary.groups")

_PAUSE: Final = 5.0  # s between two looks at a directory that tells nobody
_UNSUPPORTED: Final = "unsupported-function"


async def watch_roles(
    backend: Backend, notice: Notice, own: Callable[[], Iterable[ServiceDescription]]
) -> Watch:
    """Call `notice` with all roles that agents play, then with each change.

    Args:
        backend: the container's part of the directory.
        notice: what is called.
        own: returns what the container's own agents play.

    Raises:
        DirectoryError: the directory cannot be reached.
    """
    query = Query(type=ROLE)
    try:
        return await backend.watch(query, notice)
    except DirectoryRequestError as error:
        if error.reason != _UNSUPPORTED:
            raise
    watch = PollingWatch(backend, notice, own)
    await watch.begin()
    return watch


class PollingWatch:
    """Looks at a look-up server every 5 s, and registers again what has expired there.

    Args: those of `watch_roles`.
    """

    def __init__(
        self, backend: Backend, notice: Notice, own: Callable[[], Iterable[ServiceDescription]]
    ) -> None:
        self._backend = backend
        self._notice = notice
        self._own = own
        self._known: dict[tuple[str, str], ServiceDescription] = {}
        self._task: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Look once, and go on; errors as of the first search."""
        await self._look()
        self._task = asyncio.get_running_loop().create_task(self._go_on(), name="looks at groups")

    async def close(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _go_on(self) -> None:
        while True:
            await asyncio.sleep(_PAUSE)
            try:
                await self._look()
            except FormicaryError as error:
                logger.warning("cannot update the groups; keeping what was known before: %s", error)

    async def _look(self) -> None:
        found = {(service.agent, service.name): service for service in await self._all()}
        known, self._known = self._known, found
        new = tuple(service for key, service in found.items() if known.get(key) != service)
        self._notice(new, tuple(Gone(*key) for key in known if key not in found))
        for service in tuple(self._own()):
            if (service.agent, service.name) not in found:
                await self._renew(service)

    async def _all(self) -> list[ServiceDescription]:
        query = Query(type=ROLE, max_results=MOST_RESULTS)
        services: list[ServiceDescription] = []
        while True:
            page = await self._backend.search(query)
            services += page
            if len(page) < MOST_RESULTS:
                return services
            query = replace(query, offset=query.offset + MOST_RESULTS)

    async def _renew(self, service: ServiceDescription) -> None:
        with suppress(AlreadyRegisteredError):  # since the look
            await self._backend.put(service.agent, service, is_new=True)
