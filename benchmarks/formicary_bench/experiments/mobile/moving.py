"""Agents that go to another container, in turn or at once: `mobile/dispatch`.

Each of two processes has two of the places, and each hop leads from one process to the other. Each of many
hosts has one place. Every place is a container of its own.
"""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar

import msgspec

from formicary import Agent, CyclicBehaviour, Message, Template
from formicary.errors import FormicaryError, MoveError
from formicary_bench.experiments.mobile.play import (
    CONDUCTOR,
    LIVING,
    SECOND,
    Play,
    played,
    start_nobody,
    start_sweeper,
)
from formicary_bench.subjects.ours.behaviours import Wait
from formicary_bench.subjects.ours.containers import start_agent
from formicary_bench.vocabulary.places import ASKING, ECHOING, names_on
from formicary_bench.vocabulary.values import AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary import Container
    from formicary.behaviours import Behaviour
    from formicary_bench.experiments.mobile.play import Cast


TRAVELLER = "traveller"
"""The name of the travelling agent."""

_REFUSED = 10  # retries on its way
_AGAIN = 0.1  # s before a retry

GO, TOLD = Template(ontology="go"), Template(ontology="told")


class Journey(msgspec.Struct):
    """The state of the traveller.

    Attributes:
        places: the domains of the containers that it visits, beginning at the first.
        carried: its payload.
        at: the index of its place.
        left: the number of hops left.
        travels: whether it has been sent off.
        refused: how often it could not move since then.
        told: the number of messages it has received.
        wrong: what is wrong with these, if anything.
    """

    places: list[str]
    carried: bytes
    at: int = 0
    left: int = 0
    travels: bool = False
    refused: int = 0
    told: int = 0
    wrong: str = ""


class Traveller(Agent):
    """Visits places."""

    data: Journey

    async def setup(self) -> None:
        """Start waiting for orders."""
        self.add_behaviour(Travel(), GO)
        self.add_behaviour(Count(), TOLD)


class Travel(CyclicBehaviour):
    """Makes the ordered hops, and reports at the end of the last."""

    __slots__ = ()

    async def run(self) -> None:
        """Receive an order, make a hop, or report that all are made."""
        journey: Journey = self.agent.data
        if not journey.travels:
            message = await self.receive()
            journey.left, journey.travels, journey.refused = int(message.body), True, 0
        if journey.left:
            await self._hop(journey)
        else:
            journey.travels = False
            await say_home(self, "inform")

    async def _hop(self, journey: Journey) -> None:
        while self.agent.unreceived():  # noqa: ASYNC110 -- else it would take along more and more
            await asyncio.sleep(0)
        before = journey.left, journey.at
        journey.left -= 1
        journey.at = (journey.at + 1) % len(journey.places)
        try:
            await self.agent.move(journey.places[journey.at])
        except MoveError as error:
            journey.left, journey.at = before  # as the agent has not moved
            journey.refused += 1
            if journey.refused > _REFUSED:
                journey.travels, journey.refused = False, 0
                await say_home(self, "failure", str(error))
            else:
                await asyncio.sleep(_AGAIN)


class Count(CyclicBehaviour):
    """Checks that each message arrives once and in order; reports when asked."""

    __slots__ = ()

    async def run(self) -> None:
        message = await self.receive()
        journey: Journey = self.agent.data
        if message.performative == "query-ref":
            await say_home(self, "inform", journey.wrong or str(journey.told))
            return
        number = int(message.body)
        if number != journey.told and not journey.wrong:
            journey.wrong = f"message {number} came when {journey.told} was due"
        journey.told += 1


async def say_home(behaviour: Behaviour, performative: str, what: str = "") -> None:
    """Send a message to the agent that makes the loops."""
    home = behaviour.agent.data.places[0]
    await behaviour.send(
        Message(to=f"{CONDUCTOR}@{home}", body=what, ontology="conduct", performative=performative)
    )


_PLACES = 4
_OF_HOSTS = {2: (0, 1, 0, 1), 3: (0, 1, 2, 1)}  # by the number of hosts; four for more


class Tell(CyclicBehaviour):
    """Sends the traveller numbered messages at a rate, until asked how many there were.

    Args:
        rate: messages per second.
        to: the traveller's name.
    """

    def __init__(self, rate: int, to: str) -> None:
        super().__init__()
        self.rate = rate
        self.to = to
        self.sent = 0
        self.is_over = False
        self.began = perf_counter()

    async def run(self) -> None:
        due = int((perf_counter() - self.began) * self.rate)
        while self.sent < due:
            number = str(self.sent)
            self.sent += 1
            await self.send(Message(to=self.to, body=number, ontology="told", performative="inform"))
        if self.is_over:
            await self.send(Message(to=self.to, ontology="told", performative="query-ref"))
            self.kill()
            return
        await asyncio.sleep(max(0.0, self.began + (due + 1) / self.rate - perf_counter()))


async def _start_traveller(play: Play, home: Container) -> None:
    *places, first, _ = [f"{name}.{home.platform}" for name in play.places]
    traveller = Traveller(TRAVELLER)
    traveller.data = Journey([first, *places], play.work.body.encode())
    await home.start(traveller)


class Roam(Play):
    """Sends the traveller off again and again."""

    cast: ClassVar[Cast] = (
        (ECHOING, start_nobody),
        (names_on(0)[1], start_nobody),
        (SECOND, start_nobody),
        (ASKING, _start_traveller),
    )

    def members(self, hosts: int) -> Sequence[int]:
        """Return the host of each place; the traveller begins on the last one."""
        first, *others = (hosts - 1 - host for host in _OF_HOSTS.get(hosts, tuple(range(_PLACES))))
        return [*others, first]

    async def make_all(self) -> None:
        """Make all journeys, with messages meanwhile if the configuration has any.

        Raises:
            FormicaryError: the traveller did not receive all messages, each once and in order.
        """
        rate = self.sizes.rate
        tell = Tell(rate, f"{TRAVELLER}@{self.home.domain}")
        if rate:
            await start_agent(self.home, "teller", tell)
        await super().make_all()
        if rate:
            tell.is_over = True
            found = str((await self.hear()).body)
            if found != str(tell.sent):
                raise FormicaryError(f"of {tell.sent} messages to the agent that roams: {found}")

    async def operate(self, count: int) -> None:
        """Make a loop of hops."""
        to = f"{TRAVELLER}@{self.home.domain}"
        await self.send(Message(to=to, body=str(count), ontology="go", performative="request"))
        await self.hear()


class ThereAndBack(Roam):
    """Sends the traveller to the other place and back a number of times."""

    cast = ((ECHOING, start_nobody), (ASKING, _start_traveller))

    async def operate(self, count: int) -> None:
        """Make a loop of round trips."""
        await super().operate(2 * count)


class Dispatched(Agent):
    """Waits for messages, here or there."""

    data: bytes

    async def after_move(self, origin: str) -> None:
        """Record the arrival."""
        del origin
        LIVING.append(self)


class Dispatch(Play):
    """Creates agents, and sends them to the other container one after another or all at once."""

    cast: ClassVar[Cast] = ((ECHOING, start_sweeper),)
    sent: list[str]

    def make(self, name: str) -> Agent:
        agent = Dispatched(name)
        agent.data = self.work.body.encode()
        return agent

    async def prepare(self, count: int) -> None:
        self.sent = self.names("dispatched", count)
        for name in self.sent:
            agent = self.make(name)
            agent.add_behaviour(Wait())
            await self.home.start(agent)
        await asyncio.sleep(0)  # so that all of them wait

    async def operate(self, count: int) -> float | None:
        del count
        move = self.home.management.move
        if self.sizes.way == AT_ONCE:
            await asyncio.gather(*(move(name, ECHOING) for name in self.sent))
        else:
            for name in self.sent:
                await move(name, ECHOING)
        return None


echo = ask = member = played(
    {"mobile/dispatch": Dispatch, "mobile/messenger": ThereAndBack, "mobile/roam": Roam}
)
