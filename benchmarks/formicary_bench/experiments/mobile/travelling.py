"""An agent that visits places, again and again, and counts what it is told meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from formicary import Agent, CyclicBehaviour, Message, Template
from formicary.errors import MoveError
from formicary_bench.experiments.mobile.loops import CONDUCTOR

if TYPE_CHECKING:
    from formicary.behaviours import Behaviour

CPU_GROUP = "agents"

TRAVELLER = "traveller"
"""Its name."""

GO, TOLD = Template(ontology="go"), Template(ontology="told")


class Journey(msgspec.Struct):
    """What it carries.

    Attributes:
        places: the containers that it visits, by domain, the first one first; it begins there.
        carried: what else it carries.
        at: at which of them it is.
        left: how many hops are left.
        travels: whether it has been sent off.
        told: how many messages it has been told.
        wrong: what is wrong with these; empty if nothing is.
    """

    places: list[str]
    carried: bytes
    at: int = 0
    left: int = 0
    travels: bool = False
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
            journey.left, journey.travels = int(message.body), True
        if journey.left:
            await self._hop(journey)
        else:
            journey.travels = False
            await say_home(self, "inform")

    async def _hop(self, journey: Journey) -> None:
        journey.left -= 1
        journey.at = (journey.at + 1) % len(journey.places)
        try:
            await self.agent.move(journey.places[journey.at])
        except MoveError as error:
            journey.travels = False
            await say_home(self, "failure", str(error))


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
