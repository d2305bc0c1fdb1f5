"""Virtual time: an agent that counts the hours of a day is tested in milliseconds."""

import asyncio

from formicary import Agent, Container, PeriodicBehaviour
from formicary.testing import run_virtual


class Strike(PeriodicBehaviour):
    async def run(self):
        self.set("hours", (self.get("hours") or 0) + 1)


async def day():
    async with Container("c1") as container:
        clock = Agent("clock")
        clock.add_behaviour(Strike(period=3600))
        await container.start(clock)
        await asyncio.sleep(24 * 3600 - 1)
        print(clock.get("hours"), "hours")


if __name__ == "__main__":
    run_virtual(day())

# It prints:
#   24 hours
