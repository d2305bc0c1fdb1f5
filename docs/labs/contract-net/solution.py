"""Contract net, solved."""

import asyncio

from formicary import Agent, Container, OneShotBehaviour
from formicary.errors import FailedError, NoAnswerError
from formicary.protocols import ContractNet, Propose, Refuse, responds


class Carrier(Agent):
    """Bids for tasks, and carries those that it is awarded."""

    def __init__(self, name, price, capacity=1, time=1):
        super().__init__(name)
        self.price = price
        self.capacity = capacity
        self.time = time
        self.carried = []
        self.promised = 0

    @responds(ContractNet)
    async def carry(self, call):
        if self.promised >= self.capacity:
            raise Refuse("all that it can carry is promised")
        self.promised += 1
        try:
            answer = yield Propose(str(self.price))
            if answer.performative == "accept-proposal":
                await asyncio.sleep(self.time)
                self.carried.append(call.body)
                yield f"{call.body} is there"
        finally:
            self.promised -= 1


class Manager(Agent):
    """Gives tasks to carriers, and ends."""

    def __init__(self, name, carriers, tasks):
        super().__init__(name)
        self.carriers = carriers
        self.tasks = tasks
        self.done = {}

    async def setup(self):
        self.add_behaviour(Manage())


class Manage(OneShotBehaviour):
    async def run(self):
        await asyncio.gather(*map(self.give, self.agent.tasks))
        await self.agent.stop()

    async def give(self, task):
        self.agent.done[task] = None
        async with self.contract_net(self.agent.carriers, task, timeout=1) as net:
            bids = [bid async for bid in net.bids]
            for bid in sorted(bids, key=lambda bid: int(bid.body)):
                try:
                    await net.award(bid)
                except (FailedError, NoAnswerError):
                    continue
                self.agent.done[task] = bid.sender.partition("@")[0]
                return


async def main():
    async with Container("c1") as container:
        for name, price in ("hercules", 30), ("ox", 8), ("atlas", 200):
            await container.start(Carrier(name, price))
        manager = Manager("manager", ["hercules", "ox", "atlas"], ["a piano"])
        await container.start(manager)
        await manager.join()
        print("done:", manager.done)


if __name__ == "__main__":
    asyncio.run(main())
