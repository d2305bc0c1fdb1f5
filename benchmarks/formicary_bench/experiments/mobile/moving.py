"""Agents that go to another container, in turn or at once: `mobile/dispatch`.

Of two processes each has two of the places, and the agent goes from one process to the other with each hop.
Each of many hosts has one. The places are containers of their own in any case.
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
"""Its name."""

_REFUSED = 10  # times that it tries again on its way
_AGAIN = 0.1  # s after which it does

GO, TOLD = Template(ontology="go"), Template(ontology="told")


class Journey(msgspec.Struct):
    """What it carries.

    Attributes:
        places: the containers that it visits, by domain, the first one first; it begins there.
        carried: what else it carries.
        at: at which of them it is.
        left: how many hops are left.
        travels: whether it has been sent off.
        refused: how often it could not move since then.
        told: how many messages it has been told.
        wrong: what is wrong with these; empty if nothing is.
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
        """Begin to wait for orders."""
        self.add_behaviour(Travel(), GO)
        self.add_behaviour(Count(), TOLD)


class Travel(CyclicBehaviour):
    """Makes as many hops as it is told, and says so where the last one ended."""

    __slots__ = ()

    async def run(self) -> None:
        """Take an order, make a hop, or say that all are made."""
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
    """Sees whether each message comes once, and after those before; says so when it is asked."""

    __slots__ = ()

    async def run(self) -> None:
        """Take one."""
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
_OF_HOSTS = {2: (0, 1, 0, 1), 3: (0, 1, 2, 1)}  # by how many there are; of more, four


class Tell(CyclicBehaviour):
    """Sends the traveller numbered messages at a rate, until it is asked how many there were.

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
        """Send what is due."""
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
    """Sends the traveller off again and again, from where it came back to."""

    cast: ClassVar[Cast] = (
        (ECHOING, start_nobody),
        (names_on(0)[1], start_nobody),
        (SECOND, start_nobody),
        (ASKING, _start_traveller),
    )

    def members(self, hosts: int) -> Sequence[int]:
        """Return on which host each place is; the traveller begins on the last one."""
        first, *others = (hosts - 1 - host for host in _OF_HOSTS.get(hosts, tuple(range(_PLACES))))
        return [*others, first]

    async def make_all(self) -> None:
        """Make all journeys, under fire if the configuration asks for it.

        Raises:
            FormicaryError: the traveller was not told all messages, each once and in order.
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
        """Send it on a loop of hops."""
        to = f"{TRAVELLER}@{self.home.domain}"
        await self.send(Message(to=to, body=str(count), ontology="go", performative="request"))
        await self.hear()


class ThereAndBack(Roam):
    """Sends the traveller to the other place and back, so many times."""

    cast = ((ECHOING, start_nobody), (ASKING, _start_traveller))

    async def operate(self, count: int) -> None:
        """Make a loop of journeys."""
        await super().operate(2 * count)


class Dispatched(Agent):
    """Waits for messages, here or there."""

    data: bytes

    async def after_move(self, origin: str) -> None:
        """Note that it is here."""
        del origin
        LIVING.append(self)


class Dispatch(Play):
    """Creates agents, and sends them to the other container, each after the one before or all at once."""

    cast: ClassVar[Cast] = ((ECHOING, start_sweeper),)
    sent: list[str]

    def make(self, name: str) -> Agent:
        """Return an agent that is to be sent."""
        agent = Dispatched(name)
        agent.data = self.work.body.encode()
        return agent

    async def prepare(self, count: int) -> None:
        """Create them."""
        self.sent = self.names("dispatched", count)
        for name in self.sent:
            agent = self.make(name)
            agent.add_behaviour(Wait())
            await self.home.start(agent)
        await asyncio.sleep(0)  # so that all of them wait

    async def operate(self, count: int) -> float | None:
        """Send them."""
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
