"""Contract net: a manager gives tasks to the carrier with the best bid. README.md has the text."""

import asyncio

from formicary import Agent, Container, OneShotBehaviour
from formicary.protocols import ContractNet, Refuse, responds


class Carrier(Agent):
    """Bids for tasks, and carries those that it is awarded; each takes `time` seconds.

    It bids its `price`, a number, for each task. It carries at most `capacity` tasks at a time; `carried` are
    those that are done, in their order. What it is awarded it can carry: while as many bids are open, and
    tasks are carried, as it has room for, it refuses further calls (exercise 3).
    """

    def __init__(self, name, price, capacity=1, time=1):
        super().__init__(name)
        self.price = price
        self.capacity = capacity
        self.time = time
        self.carried = []

    @responds(ContractNet)
    async def carry(self, call):
        # Exercise 1: bid the price, and carry call.body if the answer is `accept-proposal`.
        raise Refuse("it has not learnt to bid")


class Manager(Agent):
    """Gives tasks to carriers, and ends.

    `carriers` are their names. `done` has for each task the short name of who has carried it, or None if
    nobody did. It waits for bids for one second at most. If the carrier with the best bid fails, it takes the
    next best one (exercise 2). With several tasks, it calls for all of them at the same time (exercise 3).
    """

    def __init__(self, name, carriers, tasks):
        super().__init__(name)
        self.carriers = carriers
        self.tasks = tasks
        self.done = {}

    async def setup(self):
        self.add_behaviour(Manage())


class Manage(OneShotBehaviour):
    async def run(self):
        for task in self.agent.tasks:
            async with self.contract_net(self.agent.carriers, task) as net:
                bids = [bid async for bid in net.bids]
                print(task, "got", len(bids), "bids, and refusals by", [*net.refused])
                # Exercise 1: award the task to the lowest bid, and keep in `done` who has carried it.
            self.agent.done[task] = None
        await self.agent.stop()


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
