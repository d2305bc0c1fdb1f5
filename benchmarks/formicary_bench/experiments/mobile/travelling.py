"""An agent that visits places, again and again, and counts what it is told meanwhile."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

from formicary import Agent, CyclicBehaviour, Message, Template
from formicary.errors import MoveError
from formicary_bench.experiments.mobile.play import CONDUCTOR

if TYPE_CHECKING:
    from formicary.behaviours import Behaviour

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
    """Tell the agent that makes the loops something."""
    home = behaviour.agent.data.places[0]
    await behaviour.send(
        Message(to=f"{CONDUCTOR}@{home}", body=what, ontology="conduct", performative=performative)
    )
