"""An agent that visits four places, alone or while another one sends it messages: `mobile/roam`.

Of two processes each has two of the places, and the agent goes from one process to the other with each hop.
Each of many hosts has one. The places are containers of their own in any case.
"""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar

from formicary import CyclicBehaviour, Message
from formicary.errors import FormicaryError
from formicary_bench.experiments.mobile import Looped
from formicary_bench.experiments.mobile.play import SECOND, Play, played, start_nobody
from formicary_bench.experiments.mobile.travelling import TRAVELLER, Journey, Traveller
from formicary_bench.subjects.ours.containers import start_agent
from formicary_bench.vocabulary.places import ASKING, ECHOING, names_on

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary import Container
    from formicary_bench.experiments.mobile.play import Cast

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
        rate = Looped.of(self.work.configuration).rate
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


echo = ask = member = played({"mobile/roam": Roam})
