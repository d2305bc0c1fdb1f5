"""What must hold in the lab contract-net."""

import asyncio

from formicary import Agent, OneShotBehaviour
from formicary.protocols import ContractNet, Propose, responds
from formicary_bench.labs import Stage, scenario

NAMES = ["hercules", "ox", "atlas"]


@scenario("the best bid", exercise=1)
async def best(stage: Stage):
    """Of bids of 30, 8 and 200 the one of 8 gets the task, and carries it."""
    await stage.container("c1")
    names, costs = stage.random.sample(NAMES, 3), [stage.random.randint(2, 9), 30, 200]
    offers = zip(names, costs, strict=True)
    carriers = [await stage.start(name, "Carrier", name, cost) for name, cost in offers]
    task = something(stage)
    to = [carrier.address for carrier in sorted(carriers, key=lambda each: each.name)]
    manager = await stage.start("office", "Manager", "manager", to, [task])
    await stage.ended(manager, 60)
    expect_done(stage, manager, {task: names[0]})
    carried = {carrier.name: carrier.carried for carrier in carriers}
    stage.expect(
        carried == {name: [task] if name == names[0] else [] for name in names},
        f"the carriers have carried {carried}; only {names[0]} should have",
    )


@scenario("a rejected bid", exercise=1)
async def rejected(stage: Stage):
    """A carrier whose bid is rejected carries nothing."""
    c1 = await stage.container("c1")
    ox = await stage.start("c2", "Carrier", "ox", 8)
    await c1.start(Idle("rejecting"))
    await asyncio.sleep(10)
    stage.expect(not ox.carried, "ox has carried a piano, though its bid was rejected")
    stage.expect(
        any(arrow.performative == "propose" for arrow in stage.recorder.arrows), "ox has made no bid"
    )


@scenario("a silent carrier", exercise=2)
async def silent(stage: Stage):
    """One carrier never bids: bids are taken for a second, and the task is carried all the same."""
    c1 = await stage.container("c1")
    task = something(stage)
    await c1.start(Deaf("deaf"))
    await c1.start(ox := Porter("ox", 8))
    manager = await stage.start("c2", "Manager", "manager", ["deaf@c1", "ox@c1"], [task])
    await stage.ended(manager, 20)
    expect_done(stage, manager, {task: "ox"})
    expect_carried(stage, ox, [task])


@scenario("the winner crashes", exercise=2)
async def crashes(stage: Stage):
    """The carrier with the best bid crashes while it carries: the next best one gets the task."""
    c1, c2 = await stage.container("c1"), await stage.container("c2")
    stage.network.delay = 0.1
    task = something(stage)
    porters = [Porter(name, cost) for name, cost in zip(stage.random.sample(NAMES, 2), (30, 70), strict=True)]
    for porter in porters:
        await c1.start(porter)
    await c2.start(Porter("snail", 8, time=5))
    to = [f"{porter.name}@c1" for porter in porters]
    manager = await stage.start("c3", "Manager", "manager", [*to, "snail@c2"], [task])
    await asyncio.sleep(3)
    await stage.crash(c2)
    await stage.ended(manager, 60)
    expect_done(stage, manager, {task: porters[0].name})
    expect_carried(stage, porters[0], [task])
    expect_carried(stage, porters[1], [])


@scenario("nobody bids", exercise=2)
async def nobody(stage: Stage):
    """Where there is no carrier, the manager ends, and the task is not done."""
    await stage.container("c1")
    manager = await stage.start("c2", "Manager", "manager", ["nobody@c1"], ["a piano"])
    await stage.ended(manager, 20)
    expect_done(stage, manager, {"a piano": None})


@scenario("no carrier promises too much", exercise=3)
async def promises(stage: Stage):
    """Two managers call at the same time. Ox, the cheapest, can carry one task at a time, and does so."""
    await stage.container("c1")
    ox = await stage.start("ox", "Carrier", "ox", 8, 1, 5)
    hercules = await stage.start("hercules", "Carrier", "hercules", 30, 5, 5)
    to = [ox.address, hercules.address]
    tasks = [something(stage), something(stage)]
    managers = [
        await stage.start(name, "Manager", name, to, [task])
        for name, task in zip(("anna", "ben"), tasks, strict=True)
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
    carried = sorted([*ox.carried, *hercules.carried])
    stage.expect(carried == sorted(tasks), f"ox and hercules have carried {carried}, and not {sorted(tasks)}")


@scenario("all tasks at the same time", exercise=3)
async def together(stage: Stage):
    """Four tasks, and carriers with room for them, which take 5 s: all are done in less than 10 s."""
    c1 = await stage.container("c1")
    porters = [Porter(f"carrier{number}", 10 + number, time=5) for number in range(4)]
    for porter in porters:
        await c1.start(porter)
    tasks = [something(stage) for _ in range(4)]
    to = [f"{porter.name}@c1" for porter in porters]
    manager = await stage.start("c2", "Manager", "manager", to, tasks)
    await stage.ended(manager, 10)
    stage.expect(None not in manager.done.values(), f"not all tasks are done: {manager.done}")
    carried = sorted(task for porter in porters for task in porter.carried)
    stage.expect(carried == sorted(tasks), f"the carriers have carried {carried}, and not {sorted(tasks)}")


@scenario("a carrier is free again", exercise=3)
async def free_again(stage: Stage):
    """After a rejected bid, and after a task, a carrier bids again."""
    c1 = await stage.container("c1")
    ox = await stage.start("c2", "Carrier", "ox", 8)
    await c1.start(Idle("rejecting"))
    await asyncio.sleep(5)
    tasks = [something(stage), something(stage)]
    for number, task in enumerate(tasks):
        await c1.start(Call(f"boss{number}", task))
        await asyncio.sleep(5)
    stage.expect(ox.carried == tasks, f"ox was free, and has carried only {ox.carried}", about=["ox"])


def something(stage):
    """A task that cannot be guessed."""
    return f"{stage.random.choice(['a piano', 'a harp', 'a drum'])} to number {stage.random.randrange(10**6)}"


def expect_done(stage, manager, wanted):
    stage.expect(
        manager.done == wanted, f"the manager's tasks were done by {manager.done}; it should be {wanted}"
    )


def expect_carried(stage, porter, tasks):
    carried = porter.carried
    stage.expect(carried == tasks, f"{porter.name} was to carry {tasks}, and has carried {carried}")


class Idle(Agent):
    """Calls for bids, and rejects them all."""

    async def setup(self):
        self.add_behaviour(Reject())


class Reject(OneShotBehaviour):
    async def run(self):
        async with self.contract_net(["ox@c2"], "a piano", timeout=1) as net:
            async for _ in net.bids:
                pass


class Call(Agent):
    """Calls for bids, and awards the first one."""

    def __init__(self, name, task):
        super().__init__(name)
        self.task = task

    async def setup(self):
        self.add_behaviour(Award())


class Award(OneShotBehaviour):
    async def run(self):
        async with self.contract_net(["ox@c2"], self.agent.task, timeout=1) as net:
            async for bid in net.bids:
                await net.award(bid)
                return


class Porter(Agent):
    """Carries as Carrier should, and as many as are wanted."""

    def __init__(self, name, price, time=1):
        super().__init__(name)
        self.price = price
        self.time = time
        self.carried = []

    @responds(ContractNet)
    async def carry(self, call):
        answer = yield Propose(str(self.price))
        if answer.performative == "accept-proposal":
            await asyncio.sleep(self.time)
            self.carried.append(call.body)
            yield "done"


class Deaf(Agent):
    @responds(ContractNet)
    async def never(self, call):
        await asyncio.sleep(1000)
        yield Propose("1")
