"""Let an agent visit containers one after the other, and bring the results home.

As in Concordia, a list says where an agent goes. Its progress is the behaviour's `data`, so it moves with the
agent.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from formicary.core.behaviour import Behaviour
from formicary.core.errors import AgentStateError, DefinitionError, InvalidNameError, MoveError
from formicary.core.failures import describe
from formicary.core.logs import get_logger
from formicary.core.names import check_container, check_platform
from formicary.core.quoting import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable

logger = get_logger("formicary")

Away = Literal["skip", "wait", "home"]

_PAUSE = 1.0  # s between two tries, times the number of tries
_LONGEST_PAUSE = 30.0  # s


class Visit(msgspec.Struct):
    """The outcome of one stop of an itinerary.

    Args:
        place: the stop, as given in the itinerary.
        result: what `visit` returned there, as plain data: an object is a dict of its fields.
        reason: why there is no result, as a sentence; None if there is one.
    """

    place: str
    result: Any = None
    reason: str | None = None


class Progress(msgspec.Struct):
    """The progress of an itinerary, which moves with its agent.

    Args:
        stops: the containers, in order.
        away: what to do if one of them is absent.
        visits: the outcomes so far, in order.
        tries: how often the agent could not leave its present place.
    """

    stops: list[str]
    away: Literal["skip", "wait", "home"]
    visits: list[Visit] = []
    tries: int = 0

    @property
    def stop(self) -> str | None:
        """The next stop; None if the agent only has to go home."""
        return self.stops[len(self.visits)] if len(self.visits) < len(self.stops) else None

    def has_visited(self, result: Any) -> None:
        """Note the result of the next stop, which must be something that can be carried."""
        assert self.stop is not None
        try:
            # Even if the agent stays here, the result looks as if it had been carried.
            carried = msgspec.msgpack.decode(msgspec.msgpack.encode(result))
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            self.has_failed(f"what visit() returned cannot be carried: {error}")
        else:
            self._note(Visit(self.stop, carried))

    def has_failed(self, reason: str) -> None:
        """Note why there is no result from the next stop."""
        assert self.stop is not None
        self._note(Visit(self.stop, reason=reason))

    def is_refused(self, reason: str) -> None:
        """Note that the next stop is present, and does not admit the agent."""
        if self.away == "home":
            self._give_up(reason)
        else:
            self.has_failed(reason)

    def is_away(self, reason: str) -> None:
        """Note that the next stop is absent."""
        if self.away == "wait" or not self.tries:  # it may have just started
            self.tries += 1
        else:
            self.is_refused(reason)

    def _note(self, visit: Visit) -> None:
        self.visits.append(visit)
        self.tries = 0

    def _give_up(self, reason: str) -> None:
        first = self.stop
        self.has_failed(reason)
        while self.stop is not None:
            self.has_failed(f"the agent went home, because it could not go to {first}")


class Itinerary(Behaviour):
    """Takes its agent from container to container, calls `visit` in each, and `at_home` at the end.

    Subclass it with `async def visit(self, place)`. It ends when `at_home` returns; while the agent cannot
    get home, it tries again. An exception in `visit` is noted for that stop, and the agent moves on to the
    next. If the agent is moved during a visit, it returns to that stop and visits it again.

    `data` belongs to the itinerary; put other data that must be carried into the agent's `data`.

    Args:
        stops: names or domains of containers of the platform, in order.
        away: what to do if a stop is absent for a second: `"skip"` it, `"wait"` for it, or go `"home"`. A
            stop that is present and refuses the agent is skipped, or makes it go home. If its home is
            absent, the agent waits, as it cannot move without it.

    Raises:
        DefinitionError: the class has no `visit`.
        InvalidNameError: a stop is not a valid name of a container.
        AgentStateError: `away` is invalid.
    """

    data: Progress
    _awaited_methods = (*Behaviour._awaited_methods, "visit", "at_home")  # noqa: SLF001

    _timed = True  # it pauses between two tries, as a timed one between two runs, so that it can move then

    def __init__(self, stops: Iterable[str], away: Literal["skip", "wait", "home"] = "skip") -> None:
        super().__init__()
        if type(self).visit is Itinerary.visit:
            raise DefinitionError(
                f"{type(self).__name__} has no visit(): write `async def visit(self, place)`, which "
                "runs at each stop"
            )
        if away not in get_args(Away):
            raise AgentStateError(f"away must be one of {', '.join(get_args(Away))}, not {away!r}")
        stops = (stops,) if isinstance(stops, str) else stops
        self.data = Progress([_checked(stop) for stop in stops], away)

    async def visit(self, place: str) -> Any:
        """Act at a stop; for subclasses.

        Args:
            place: the stop, as given in the itinerary.

        Returns:
            The result to bring home, which msgpack can encode, including dataclasses and msgspec structs.
        """
        raise NotImplementedError(f"{type(self).__name__} has no visit()")

    async def at_home(self, results: list[Visit]) -> None:
        """Act on the results at home; for subclasses.

        Args:
            results: the outcome of each stop, in order.
        """

    @property
    def visits(self) -> list[Visit]:
        """The outcomes of the stops so far."""
        return self._progress().visits

    def _progress(self) -> Progress:
        if isinstance(self.data, Progress):
            return self.data
        raise AgentStateError(
            f"the data of {self} is reserved for the itinerary, so it cannot be "
            f"{type(self.data).__name__}: put your data in the agent's"
        )

    async def _wait_for_time(self) -> None:
        """Wait before another try to move on."""
        if tries := self._progress().tries:
            await asyncio.sleep(min(_PAUSE * tries, _LONGEST_PAUSE))

    async def run(self) -> None:
        """Take the next step: visit this stop, or move on to the next."""
        progress, container = self._progress(), self.agent.container
        stop, home = progress.stop, str(self.agent.address).partition("@")[2]
        to = home if stop is None else _domain(stop, container.platform)
        if to != container.domain:
            await self._go(to, home)
        elif stop is None:
            await self.at_home(progress.visits)
            self.kill()
        else:
            await self._visit(stop)

    async def _visit(self, stop: str) -> None:
        try:
            result = await self.visit(stop)
        except Exception as error:
            logger.exception("%s failed at stop %s", self, stop)
            self._progress().has_failed(describe(f"{self.agent.name}/visit", error).what)
        else:
            self._progress().has_visited(result)

    async def _go(self, to: str, home: str) -> None:
        members, progress = self.agent.container.members, self._progress()
        reason = ""
        if to in members and home in members:
            try:
                await self.agent.move(to)
            except MoveError as error:
                reason = str(error)
            else:
                return
        if home in members and to != home:
            if to in members:
                progress.is_refused(reason)
            else:
                progress.is_away(reason or f"container {to} is absent")
            return
        progress.tries += 1
        if progress.tries == 1:
            reason = reason or f"container {home} is absent"
            logger.warning("%s cannot continue now, trying again: %s", self, reason)


def _checked(stop: object) -> str:
    if not isinstance(stop, str):
        raise InvalidNameError(f"a stop must be the name of a container, not {shorten(stop)}")
    label, dot, platform = stop.partition(".")
    check_container(label)
    if dot:
        check_platform(platform)
    return stop


def _domain(stop: str, platform: str) -> str:
    return stop if "." in stop else f"{stop}.{platform}"
