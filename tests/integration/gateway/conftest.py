"""Two platforms with a gateway each."""

import asyncio
from contextlib import asynccontextmanager

from formicary import Container, Gateway, MicroAgent


class Echo(MicroAgent):
    """Answers with what it gets, and keeps it."""

    def __init__(self, name="echo"):
        super().__init__(name)
        self.got = []

    def handle(self, message):
        self.got.append(message)
        if message.performative not in {"failure", "inform"}:
            self.send_nowait(message.make_reply(body=message.body))


async def until(condition):
    """Wait until something is so, which no event tells of."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 -- as said
            await asyncio.sleep(0.01)


@asynccontextmanager
async def platforms(*, knows=True, **options):
    """The platforms `left` and `right`; the left one knows where the right one is."""
    async with (
        Container("c1", platform="left.localhost") as left,
        Container("c1", platform="right.localhost") as right,
        Gateway(right, port=0) as far,
        Gateway(left, port=0, **options) as near,
    ):
        far.know("left.localhost", near.address)
        if knows:
            near.know("right.localhost", far.address)
        yield left, near, right, far
