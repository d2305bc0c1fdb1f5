"""What a container's agents have registered with the directory's agent, and where they live.

A request without an answer may have been performed or not. Before any other request about that agent's
services, and as soon as the directory can be reached, its records are corrected: services that were not
confirmed are removed.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from formicary.core.errors import NotRegisteredError
from formicary.directory.language import Deregister, Host, Renew

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from formicary.directory.language import Request
    from formicary.directory.model.description import ServiceDescription

    Ask = Callable[[Request], Awaitable[object]]

_RENEWED = 200  # services in a message: at 16 KiB each they fit
_HOSTED = 1000  # agents in a message


@dataclass(slots=True)
class Claim:
    """What one agent has registered.

    Attributes:
        services: by name, as confirmed by the directory.
        doubtful: names of services of which the directory may have another version; None for any others.
        under_way: number of requests without an answer.
    """

    services: dict[str, ServiceDescription] = field(default_factory=dict)
    doubtful: set[str | None] = field(default_factory=set)
    under_way: int = 0


class Claims:
    """What the agents of a container have registered."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._all: dict[str, Claim] = {}
        self._in_doubt: dict[str, None] = {}  # agents with doubtful services

    @property
    def is_settled(self) -> bool:
        """Whether nothing is in doubt, apart from requests under way."""
        return not any(self._all[agent].under_way == 0 for agent in self._in_doubt)

    def of(self, agent: str) -> Claim:
        """Return an agent's claim; pass it to `tidy` afterwards."""
        return self._all.setdefault(agent, Claim())

    def doubt(self, agent: str, claim: Claim, names: Iterable[str | None]) -> None:
        """Record that the directory may have other versions of some of an agent's services."""
        current = self._all.setdefault(agent, Claim())
        # If the agent has ended meanwhile, that claim is void, and anything may be registered.
        current.doubtful.update(names if current is claim else (None,))
        if current.doubtful:
            self._in_doubt[agent] = None

    def doubt_all(self) -> None:
        """Record that the directory may have missed everything."""
        for agent, claim in self._all.items():
            self.doubt(agent, claim, claim.services)

    def tidy(self, agent: str, claim: Claim) -> None:
        """Forget an agent without services or doubts."""
        if self._all.get(agent) is claim and not (claim.services or claim.doubtful or claim.under_way):
            del self._all[agent]

    def peek(self, agent: str) -> Claim:
        """Return an agent's claim for reading only."""
        return self._all.get(agent) or Claim()

    def adopt(
        self, agent: str, services: Iterable[ServiceDescription], doubtful: Iterable[str | None]
    ) -> None:
        """Take over what an agent has registered elsewhere, and the names of its doubtful services."""
        claim = self._all[agent] = Claim({service.name: service for service in services})
        self.doubt(agent, claim, doubtful)
        self.tidy(agent, claim)

    def drop(self, agent: str) -> bool:
        """Forget an agent that has ended; return whether it had anything."""
        self._in_doubt.pop(agent, None)
        return self._all.pop(agent, None) is not None

    async def settle(self, agent: str) -> None:
        """Correct the directory's records of one agent; FormicaryError if that fails."""
        if agent in self._in_doubt:
            await self._settle([agent])

    async def settle_all(self) -> None:
        """Correct the directory's records of all agents; errors as of `settle`."""
        await self._settle(list(self._in_doubt))

    async def _settle(self, agents: list[str]) -> None:
        for agent in agents:
            await self._remove_others(agent)
        waiting = deque((agent, name) for agent in agents for name in self._doubts(agent))
        while waiting:
            batch = [waiting.popleft() for _ in range(min(len(waiting), _RENEWED))]
            services = [service for each in batch if (service := self._confirmed(*each)) is not None]
            if services:
                await self._ask(Renew(tuple(services)))
            for service in services:
                self._settled(service.agent, service.name)

    async def _remove_others(self, agent: str) -> None:
        """Remove doubtful services that the agent does not have from the directory."""
        for name in self._doubts(agent):
            claim = self._all.get(agent)
            if claim is None or claim.under_way or name not in claim.doubtful or name in claim.services:
                continue
            with suppress(NotRegisteredError):
                await self._ask(Deregister(agent, () if name is None else (name,)))
            if name is None:
                self.doubt(agent, claim, claim.services)
            self._settled(agent, name)

    def _doubts(self, agent: str) -> tuple[str | None, ...]:
        claim = self._all.get(agent)
        return () if claim is None else tuple(claim.doubtful)

    def _confirmed(self, agent: str, name: str | None) -> ServiceDescription | None:
        """Return a doubtful service, unless another request is under way."""
        claim = self._all.get(agent)
        if claim is None or claim.under_way or name is None or name not in claim.doubtful:
            return None
        return claim.services.get(name)

    def _settled(self, agent: str, name: str | None) -> None:
        claim = self._all.get(agent)
        if claim is not None:
            claim.doubtful.discard(name)
            if not claim.doubtful:
                self._in_doubt.pop(agent, None)
                self.tidy(agent, claim)


class HostedAgents:
    """A container's agents that have moved."""

    def __init__(self, ask: Ask) -> None:
        self.moves: dict[str, int] = {}
        """How often each has moved."""
        self._ask = ask
        self._news: dict[str, int | None] = {}  # not confirmed by the directory; None: the agent has ended

    @property
    def is_settled(self) -> bool:
        """Whether the directory knows all."""
        return not self._news

    def arrive(self, agent: str, moves: int) -> None:
        """Record that an agent lives here now, after so many moves."""
        self.moves[agent] = self._news[agent] = moves

    def depart(self, agent: str) -> None:
        """Record that an agent lives elsewhere now; its new container reports that."""
        self.moves.pop(agent, None)
        self._news.pop(agent, None)

    def end(self, agent: str) -> bool:
        """Record that an agent has ended; return whether it had moved."""
        if self.moves.pop(agent, None) is None:
            return False
        self._news[agent] = None
        return True

    def doubt_all(self) -> None:
        """Record that the directory may have missed everything."""
        self._news.update(self.moves)

    async def settle(self, agent: str) -> None:
        """Report an agent to the directory, if it may not know; FormicaryError if that fails."""
        if agent in self._news:
            await self._tell({agent: self._news[agent]})

    async def settle_all(self) -> None:
        """Report all agents to the directory; errors as of `settle`."""
        while self._news:
            await self._tell(dict(islice(self._news.items(), _HOSTED)))

    async def _tell(self, news: dict[str, int | None]) -> None:
        await self._ask(Host(news))
        for agent, moves in news.items():
            if agent in self._news and self._news[agent] == moves:
                del self._news[agent]
