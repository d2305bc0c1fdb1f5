"""The directory: agents register what they offer, others search, or are told when somebody comes and goes."""

import asyncio

from formicary import Agent, Container


class Printer(Agent):
    async def setup(self):
        await self.directory.register(type="printer", properties={"dpi": 600})


async def main():
    async with Container("c1") as container:
        laser = Printer("laser")
        async with container.directory.subscribe(type="printer") as changes:
            async for change in changes:
                names = [service.agent.partition("@")[0] for service in change.services]
                gone = [service.agent.partition("@")[0] for service in change.gone]
                print("there:", names, "gone:", gone)
                if gone:
                    break
                if names:
                    await laser.stop()
                else:
                    await container.start(laser)
        print(await container.directory.search(type="printer"))


if __name__ == "__main__":
    asyncio.run(main())

# It prints:
#   there: [] gone: []
#   there: ['laser'] gone: []
#   there: [] gone: ['laser']
#   ()
