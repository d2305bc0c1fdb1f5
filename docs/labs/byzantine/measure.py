"""How long it takes until generals have told each other what they were told."""

import asyncio
from time import perf_counter

from formicary import Container, Message, MicroAgent
from formicary_bench.labs.measuring import Measurement


class General(MicroAgent):
    def __init__(self, name, names, liars):
        super().__init__(name)
        self.names = names
        self.liars = liars
        self.heard = 0

    def handle(self, message):
        self.heard += 1
        self.tell(message.body.split()[0].split("/"))

    def tell(self, path):
        if len(path) > self.liars:
            return
        body = f"{'/'.join([*path, self.name])} attack"
        for name in self.names:
            if name != self.name and name not in path:
                self.send_nowait(Message(to=name, performative="inform", body=body))


def count(generals, liars):
    """Return how many messages there are."""
    messages, term = 0, 1
    for number in range(liars + 1):
        term *= generals - 1 - number
        messages += term
    return messages


def with_liars(liars):
    async def case(seconds):
        names = [f"general-{number}" for number in range(3 * liars + 1)]
        generals = [General(name, names, liars) for name in names]
        wanted = count(len(names), liars)
        spent, wars = 0.0, 0
        async with Container("c1") as container:
            for general in generals:
                await container.start(general)
            while spent < seconds:
                began = perf_counter()
                generals[0].tell([])
                wars += 1
                while sum(general.heard for general in generals) < wars * wanted:  # noqa: ASYNC110
                    await asyncio.sleep(0)
                spent += perf_counter() - began
        return spent / wars * 1000

    return case


MEASUREMENT = Measurement(
    "How long does it take until all generals have heard all that there is to hear?",
    "ms",
    {
        "4 generals, 1 liar": with_liars(1),
        "7 generals, 2 liars": with_liars(2),
        "10 generals, 3 liars": with_liars(3),
    },
)
