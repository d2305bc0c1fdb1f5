"""Two agents that meet at one place, talk there and leave, or talk from their homes: `mobile/meeting`.

The asking agent lives beside the conductor, the answering agent in the first container of the other process;
they meet in the second container there.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from formicary import Agent, CyclicBehaviour, Message
from formicary_bench.experiments.mobile.moving import say_home
from formicary_bench.experiments.mobile.play import SECOND, Play, played, start_nobody
from formicary_bench.vocabulary.places import ASKING, ECHOING
from formicary_bench.vocabulary.values import LOCAL

if TYPE_CHECKING:
    from formicary import Container

_GUESTS = ANSWERER, ASKER = "answerer", "asker"
_HOMES = {ANSWERER: 0, ASKER: 2}  # indices in the cast
_PLACE = 1

IDLE, TALKING, LEAVING = "idle", "talking", "leaving"


class Appointment(msgspec.Struct):
    """The state of an agent that goes to meetings.

    Attributes:
        places: the domains of the conductor's container, of the agent's home, and of the meeting place, if it
            does not talk from home.
        partner: the full name of the other agent.
        questions: the number of questions at each meeting; 0 if it answers.
        body: the question.
        stage: its next step.
    """

    places: list[str]
    partner: str
    questions: int
    body: str
    stage: str = IDLE


class Guest(Agent):
    """Goes to meetings."""

    data: Appointment

    async def setup(self) -> None:
        """Wait for the first meeting."""
        self.add_behaviour(Attend())


class Attend(CyclicBehaviour):
    """Goes to a meeting when told to, talks there, and goes home; a step after each move."""

    __slots__ = ()

    async def run(self) -> None:
        known: Appointment = self.agent.data
        _, home, *place = known.places
        if known.stage == IDLE:
            await self.receive()
            await self._go(known, TALKING, *place)
        elif known.stage == TALKING:
            await (self._ask(known) if known.questions else self._answer(known))
            await self._go(known, LEAVING, *(home for _ in place))
        else:
            known.stage = IDLE
            await say_home(self, "inform")

    async def _go(self, known: Appointment, stage: str, *places: str) -> None:
        known.stage = stage
        for place in places:
            await self.agent.move(place)

    async def _ask(self, known: Appointment) -> None:
        """Wait for the other agent, ask, and end the meeting."""
        await self.receive()
        for _ in range(known.questions):
            await self.send(Message(to=known.partner, body=known.body, performative="request"))
            await self.receive()
        await self.send(Message(to=known.partner, performative="cancel"))

    async def _answer(self, known: Appointment) -> None:
        """Tell the other agent that it can ask, and answer until the meeting ends."""
        await self.send(Message(to=known.partner, performative="inform"))
        while (message := await self.receive()).performative == "request":
            await self.reply(message, body=message.body)


async def _start_guest(play: Play, home: Container, name: str) -> None:
    (other,) = {*_GUESTS} - {name}
    domains = [f"{place}.{home.platform}" for place in play.places]
    guest, meets = Guest(name), play.sizes.way == LOCAL
    guest.data = Appointment(
        [domains[-1], home.domain, *domains[_PLACE : _PLACE + meets]],
        f"{other}@{domains[_HOMES[other]]}",
        play.sizes.exchanges if name == ASKER else 0,
        play.work.body,
    )
    await home.start(guest)


class Meet(Play):
    """Lets two agents meet again and again."""

    cast = (
        (ECHOING, partial(_start_guest, name=ANSWERER)),
        (SECOND, start_nobody),
        (ASKING, partial(_start_guest, name=ASKER)),
    )

    async def operate(self, count: int) -> None:
        for _ in range(count):
            for name in _GUESTS:
                to = f"{name}@{self.domain(_HOMES[name])}"
                await self.send(Message(to=to, ontology="go", performative="request"))
            for _ in _GUESTS:
                await self.hear()


echo = ask = played({"mobile/meeting": Meet})
