"""What must hold in the lab contract-net."""

import asyncio

from formicary import Agent, OneShotBehaviour
from formicary.protocols import ContractNet, Propose, responds
from formicary_bench.labs import Stage, scenario


@scenario("the best bid", exercise=1)
async def best(stage: Stage):
    """Of bids of 30, 8 and 200 the one of 8 gets the task, and carries it."""
    c1 = await stage.container("c1")
    carriers = [
        await stage.start(c1, "Carrier", name, price)
        for name, price in (("hercules", 30), ("ox", 8), ("atlas", 200))
    ]
    manager = await stage.start(c1, "Manager", "manager", ["hercules", "ox", "atlas"], ["a piano"])
    await stage.ended(manager, 60)
    expect_done(stage, manager, {"a piano": "ox"})
    carried = [carrier.carried for carrier in carriers]
    stage.expect(
        carried == [[], ["a piano"], []], f"the carriers have carried {carried}; only ox should have"
    )


@scenario("a rejected bid", exercise=1)
async def rejected(stage: Stage):
    """A carrier whose bid is rejected carries nothing."""
    c1 = await stage.container("c1")
    ox = await stage.start(c1, "Carrier", "ox", 8)
    await c1.start(Idle("rejecting"))
    await asyncio.sleep(10)
    stage.expect(not ox.carried, "ox has carried a piano, though its bid was rejected")


@scenario("a silent carrier", exercise=2)
async def silent(stage: Stage):
    """One carrier never bids: bids are taken for a second, and the task is carried all the same."""
    c1 = await stage.container("c1")
    await c1.start(Deaf("deaf"))
    await stage.start(c1, "Carrier", "ox", 8)
    manager = await stage.start(c1, "Manager", "manager", ["deaf", "ox"], ["a piano"])
    await stage.ended(manager, 20)
    expect_done(stage, manager, {"a piano": "ox"})


@scenario("the winner crashes", exercise=2)
async def crashes(stage: Stage):
    """The carrier with the best bid crashes while it carries: the next best one gets the task."""
    c1, c2 = await stage.container("c1"), await stage.container("c2")
    stage.network.delay = 0.1
    hercules = await stage.start(c1, "Carrier", "hercules", 30)
    await stage.start(c2, "Carrier", "ox", 8, 1, 5)
    manager = await stage.start(c1, "Manager", "manager", ["hercules", "ox@c2"], ["a piano"])
    await asyncio.sleep(3)
    await stage.crash(c2)
    await stage.ended(manager, 60)
    expect_done(stage, manager, {"a piano": "hercules"})
    stage.expect(hercules.carried == ["a piano"], f"hercules has carried {hercules.carried}")


@scenario("nobody bids", exercise=2)
async def nobody(stage: Stage):
    """Where there is no carrier, the manager ends, and the task is not done."""
    c1 = await stage.container("c1")
    manager = await stage.start(c1, "Manager", "manager", ["nobody"], ["a piano"])
    await stage.ended(manager, 20)
    expect_done(stage, manager, {"a piano": None})


@scenario("no carrier promises too much", exercise=3)
async def promises(stage: Stage):
    """Two managers call at the same time. Ox, the cheapest, can carry one task at a time, and does so."""
    c1 = await stage.container("c1")
    ox = await stage.start(c1, "Carrier", "ox", 8, 1, 5)
    await stage.start(c1, "Carrier", "hercules", 30, 5, 5)
    managers = [
        await stage.start(c1, "Manager", name, ["ox", "hercules"], [task])
        for name, task in (("anna", "a piano"), ("ben", "a harp"))
    ]
    for manager in managers:
        await stage.ended(manager, 60)
    done = {**managers[0].done, **managers[1].done}
    stage.expect(
        sorted(map(str, done.values())) == ["hercules", "ox"],
        f"ox can carry one task at a time, and the tasks were carried by {done}",
        about=["ox"],
    )
    stage.expect(len(ox.carried) == 1, f"ox has carried {ox.carried}", about=["ox"])


@scenario("all tasks at the same time", exercise=3)
async def together(stage: Stage):
    """Four tasks, and carriers with room for them, which take 5 s: all are done in less than 10 s."""
    c1 = await stage.container("c1")
    names = [f"carrier{number}" for number in range(4)]
    for number, name in enumerate(names):
        await stage.start(c1, "Carrier", name, 10 + number, 4, 5)
    tasks = ["a piano", "a harp", "a drum", "a flute"]
    manager = await stage.start(c1, "Manager", "manager", names, tasks)
    await stage.ended(manager, 10)
    stage.expect(None not in manager.done.values(), f"not all tasks are done: {manager.done}")


@scenario("a carrier is free again", exercise=3)
async def free_again(stage: Stage):
    """After a rejected bid, and after a task, a carrier bids again."""
    c1 = await stage.container("c1")
    ox = await stage.start(c1, "Carrier", "ox", 8)
    await c1.start(Idle("rejecting"))
    await asyncio.sleep(5)
    for task in "a piano", "a harp":
        manager = await stage.start(c1, "Manager", f"manager-of-{task[2:]}", ["ox"], [task])
        await stage.ended(manager, 20)
    stage.expect(
        ox.carried == ["a piano", "a harp"], f"ox was free, and has carried only {ox.carried}", about=["ox"]
    )


def expect_done(stage, manager, wanted):
    stage.expect(
        manager.done == wanted, f"the manager's tasks were done by {manager.done}; it should be {wanted}"
    )


class Idle(Agent):
    """Calls for bids, and rejects them all."""

    async def setup(self):
        self.add_behaviour(Reject())


class Reject(OneShotBehaviour):
    async def run(self):
        async with self.contract_net(["ox"], "a piano", deadline=1) as net:
            async for _ in net.bids:
                pass


class Deaf(Agent):
    @responds(ContractNet)
    async def never(self, call):
        await asyncio.sleep(1000)
        yield Propose("1")
