"""Finds agents by name: asks as few containers as possible, with one question each, and waits briefly."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from formicary.core.base_agent import AgentState
from formicary.core.errors import FormicaryError
from formicary.core.names import MANAGEMENT, is_container_of
from formicary.management.descriptions import AgentPlace, Missing

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
    from typing import Any

    Ask = Callable[[str, tuple[str, ...]], Coroutine[Any, Any, tuple[AgentPlace, ...]]]

_STEP: Final = 0.3  # of the time, after which the next are asked, though some may still answer


class PlaceSearch:
    """One search for agents by their full names.

    First each home is asked about its agents, then the containers to which some of these have moved. Only
    then are all asked about the rest: agents that are between two containers, or whose home is gone.

    Args:
        platform: the platform's domain.
        domains: those of its containers.
        ask: asks the container of a domain what it knows of some agents, as of `Locate`.
    """

    def __init__(self, platform: str, domains: Iterable[str], ask: Ask) -> None:
        self._platform = platform
        self._domains = dict.fromkeys(sorted(domains))
        self._ask = ask
        self._found: dict[str, AgentPlace] = {}
        self._away: dict[str, str] = {}  # the domains of the containers where agents are, as their homes say
        self._unknown: set[str] = set()  # agents unknown to their homes
        self._left: dict[str, None] = {}  # agents still to be found
        self._silent: dict[str, str] = {}  # why containers have not answered, by domain
        self._asked: dict[asyncio.Task[None], str] = {}  # those that have not answered yet

    async def run(self, names: Sequence[str], seconds: float, pauses: Sequence[float]) -> None:
        """Search for agents."""
        until = _time() + seconds
        self._left = dict.fromkeys(filter(self._is_of_platform, names))
        try:
            for pause in (*pauses, None):
                await self._look(until)
                if pause is None or _time() + pause >= until or not any(map(self._is_on_its_way, self._left)):
                    break
                await asyncio.sleep(pause)
        finally:
            await self._give_up(seconds)

    async def _look(self, until: float) -> None:
        step = (until - _time()) * _STEP
        await self._ask_each(_grouped(self._left, _home), step)
        await self._ask_each(_grouped(filter(self._away.get, self._left), self._away.__getitem__), step)
        await self._ask_each(dict.fromkeys(self._domains, tuple(self._left)), until - _time())

    async def _ask_each(self, questions: Mapping[str, Sequence[str]], seconds: float) -> None:
        """Ask containers, and wait for them and earlier ones until all have answered or enough is known."""
        if not self._left:
            return
        for domain, names in questions.items():
            if domain in self._domains and domain not in self._silent:
                task = asyncio.get_running_loop().create_task(self._learn(domain, tuple(names)))
                self._asked[task] = domain
        until = _time() + seconds
        while questions and self._asked and self._left and (left := until - _time()) > 0:
            done, _ = await asyncio.wait(self._asked, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                del self._asked[task]
                task.result()

    async def _learn(self, domain: str, names: tuple[str, ...]) -> None:
        try:
            places = await self._ask(domain, names)
        except FormicaryError as error:
            self._silent[domain] = str(error)
            return
        known = {place.name for place in places}
        for name in names:
            if _home(name) == domain and name not in known and name in self._left:
                self._unknown.add(name)
                del self._left[name]
        for place in places:
            if place.state is None:
                self._away[place.name] = place.container or domain
            elif self._is_news(place):
                self._found[place.name] = place
                self._left.pop(place.name, None)

    def _is_news(self, place: AgentPlace) -> bool:
        """Return whether to use an answer about an agent; another container may have sent one, too.

        One that moves meanwhile can be seen in both: then it was in transit in one of them.
        """
        known = self._found.get(place.name)
        return known is None or known.state is AgentState.TRANSIT

    async def _give_up(self, seconds: float) -> None:
        for task, domain in self._asked.items():
            if self._left:  # otherwise it does not matter
                self._silent.setdefault(domain, not_answered(domain, seconds))
            task.cancel()
        if self._asked:
            await asyncio.wait(self._asked)

    def _is_on_its_way(self, name: str) -> bool:
        return name in self._away and self._away[name] not in self._silent

    def _is_of_platform(self, name: str) -> bool:
        return is_container_of(_home(name), self._platform)

    # -- the result --------------------------------------------------------------------------------

    @property
    def missing(self) -> tuple[Missing, ...]:
        """The containers that have not answered."""
        return tuple(Missing(domain, self._silent[domain]) for domain in sorted(self._silent))

    def place(self, name: str) -> AgentPlace:
        """Return the place of an agent."""
        found = self._found.get(name)
        if found is not None:
            return found
        container = None if name in self._unknown else self._away.get(name)
        return AgentPlace(name, container, reason=self._reason(name))

    def _reason(self, name: str) -> str:
        """Return why the state of an agent is unknown."""
        home = _home(name)
        away = self._away.get(name)
        if not self._is_of_platform(name):
            return f"{name} is not an agent of the platform {self._platform}"
        if name in self._unknown:
            return f"no agent named {name.partition('@')[0]!r} lives in container {_label(home)}"
        if (silent := self._silent.get(away or home)) is not None:
            return silent
        if away is not None:
            there = f"container {_label(away)}, where its home says that {name} is,"
            return f"{there} does not have it: it is moving, or has ended"
        if self._silent:  # it may live there
            return next(iter(self._silent.values()))
        return f"container {_label(home)}, the home of {name}, is gone, and no other container has it"


def not_answered(domain: str, seconds: float) -> str:
    """Return the sentence for a container that has not answered in time."""
    return f"{MANAGEMENT}@{domain} has not answered within {seconds:g} s"


def _grouped(names: Iterable[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = defaultdict(list)
    for name in names:
        groups[key(name)].append(name)
    return groups


def _home(name: str) -> str:
    return name.partition("@")[2]


def _label(domain: str) -> str:
    return domain.partition(".")[0]


def _time() -> float:
    return asyncio.get_running_loop().time()
