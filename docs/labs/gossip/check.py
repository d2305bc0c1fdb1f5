"""What must hold in the lab gossip."""

import asyncio
from collections import Counter

from formicary import Agent, Message, OneShotBehaviour
from formicary_bench.labs import Stage, scenario


@scenario("the rumour goes round", exercise=1)
async def goes_round(stage: Stage):
    """Twelve ants stand in a ring, each with its two neighbours: the rumour that one is told reaches all."""
    stage.network.delay = 0.1
    ants = await colony(stage, "Gossip", ring(12))
    sugar = rumour(stage)
    await tell(stage, stage.random.choice(ants), sugar)
    await asyncio.sleep(0.9)
    expect_known(stage, ants, [sugar])


@scenario("nobody is told twice by the same ant", exercise=1)
async def told_once(stage: Stage):
    """In a crowd where each ant knows all others, no ant tells another one the same rumour twice."""
    stage.network.delay = 0.2
    crowd = [[other for other in range(4) if other != own] for own in range(4)]
    ants = await colony(stage, "Gossip", crowd)
    sugar = rumour(stage)
    await tell(stage, ants[0], sugar)
    await asyncio.sleep(1.1)
    told = Counter(
        (arrow.sender, arrow.receiver)
        for arrow in stage.recorder.arrows
        if arrow.performative == "inform" and arrow.body == sugar
    )
    (sender, receiver), times = told.most_common(1)[0]
    stage.expect(
        times == 1,
        f"{sender} has told {receiver} {times} times that there is {sugar!r}"
        + (": the rumour goes round for ever" if times > 10 else ""),
        about=[sender],
    )
    expect_known(stage, ants, [sugar])


@scenario("two rumours at once", exercise=1)
async def two_rumours(stage: Stage):
    """Two rumours start at two places while messages take up to 0.2 s: in the end all know both."""
    stage.network.delay = lambda: stage.random.uniform(0.1, 0.2)
    ants = await colony(stage, "Gossip", ring(8))
    sugar, rain = rumour(stage), rumour(stage)
    await tell(stage, ants[0], sugar)
    await tell(stage, ants[4], rain)
    await asyncio.sleep(0.9)
    expect_known(stage, ants, [sugar, rain])


@scenario("newcomers", exercise=2)
async def newcomers(stage: Stage):
    """Two ants that come when all others know the rumour know it 15 s later, though nobody knew of them."""
    ants = await colony(stage, "Gossip", ring(6))
    sugar = rumour(stage)
    await tell(stage, ants[0], sugar)
    await asyncio.sleep(5)
    late = [
        await stage.start("n-lea", "Gossip", "lea", ["leo@n-leo", ants[2].address]),
        await stage.start("n-leo", "Gossip", "leo", ["lea@n-lea", ants[3].address]),
    ]
    await asyncio.sleep(15)
    expect_known(stage, late, [sugar])


@scenario("a nest is rebuilt", exercise=2)
async def rebuilt(stage: Stage):
    """Two ants crash, and begin anew: 30 s later they know both rumours again."""
    graph = ring(8)
    ants = await colony(stage, "Gossip", graph)
    sugar, rain = rumour(stage), rumour(stage)
    await tell(stage, ants[0], sugar)
    await tell(stage, ants[0], rain)
    await asyncio.sleep(5)
    again = []
    for number in 1, 5:
        await stage.crash(ants[number].home)
        again.append(await hatch(stage, "Gossip", number, graph[number]))
    await asyncio.sleep(30)
    expect_known(stage, again, [sugar, rain])


@scenario("quiet when nothing is new", exercise=2)
async def quiet(stage: Stage):
    """When all know everything, an ant sends at most three messages a second, also with ten rumours."""
    ants = await colony(stage, "Gossip", ring(6))
    for number in range(10):
        await tell(stage, ants[number % 6], rumour(stage))
    await asyncio.sleep(20)
    before = Counter(arrow.sender for arrow in stage.recorder.arrows)
    await asyncio.sleep(10)
    sent = Counter(arrow.sender for arrow in stage.recorder.arrows) - before
    most = max(sent.values(), default=0)
    stage.expect(most <= 30, f"an ant has sent {most} messages in 10 s, and nothing was new")
    stage.expect(sent, "nobody asks for what it has missed", about=["ant-0"])


@scenario("the mean", exercise=3)
async def mean(stage: Stage):
    """Eight ants in a ring, each with a value: after 100 s each is within 1% of the mean."""
    values = [stage.random.randint(1, 100) for _ in range(8)]
    ants = await colony(stage, "Average", ring(8), values)
    await asyncio.sleep(100)
    expect_mean(stage, ants, values)


@scenario("the mean around a queen", exercise=3)
async def star(stage: Stage):
    """A queen talks to six ants, who only talk to her: they are no more important for it, nor is she."""
    stage.network.delay = lambda: stage.random.uniform(0, 0.5)
    values = [stage.random.randint(50, 100), *[0] * 5, stage.random.randint(1, 20)]
    ants = await colony(stage, "Average", [[1, 2, 3, 4, 5, 6], *([[0]] * 6)], values)
    await asyncio.sleep(200)
    expect_mean(stage, ants, values)


@scenario("few messages", exercise=3)
async def thrifty(stage: Stage):
    """To find the mean, an ant sends at most two messages a second."""
    ants = await colony(stage, "Average", ring(6), range(6))
    await asyncio.sleep(20)
    sent = Counter(arrow.sender for arrow in stage.recorder.arrows)
    for ant in ants:
        said = f"{ant.name} has sent {sent[ant.name]} messages in 20 s"
        stage.expect(sent[ant.name] > 3, said, about=[ant.name])
        stage.expect(sent[ant.name] <= 42, f"{said}, and 40 would do", about=[ant.name])


def ring(count):
    """Each one's neighbours in a ring."""
    return [[(number - 1) % count, (number + 1) % count] for number in range(count)]


def rumour(stage):
    """A rumour that nobody can have heard."""
    where = stage.random.choice(["the oak", "the elm", "the wall"])
    return f"sugar behind {where}, {stage.random.randrange(10**6)} grains"


async def colony(stage, kind, graph, values=None):
    """Start an ant for each entry of the graph: the numbers of its neighbours."""
    await stage.container("scouts")
    await asyncio.gather(*(stage.open(f"n{number}") for number in range(len(graph))))
    hatching = [
        hatch(stage, kind, number, neighbours, *([values[number]] if values else []))
        for number, neighbours in enumerate(graph)
    ]
    return await asyncio.gather(*hatching)  # at the same time, or the first talks to those that are not there


async def hatch(stage, kind, number, neighbours, *value):
    friends = [f"ant-{other}@n{other}" for other in neighbours]
    return await stage.start(f"n{number}", kind, f"ant-{number}", friends, *value)


async def tell(stage, ant, rumour):
    """Have a scout tell an ant a rumour."""
    scout = Agent(f"scout-of-{ant.name}-{len(stage.recorder.arrows)}")
    scout.add_behaviour(behaviour := Scout(ant.address, rumour))
    await stage.containers["scouts"].start(scout)
    await behaviour.join()


class Scout(OneShotBehaviour):
    def __init__(self, ant, rumour):
        super().__init__()
        self.ant, self.rumour = ant, rumour

    async def run(self):
        await self.send(Message(to=self.ant, performative="inform", body=self.rumour))


def expect_known(stage, ants, rumours):
    """All know these rumours, each once, and by a message."""
    for ant in ants:
        known = list(ant.known)
        for rumour in rumours:
            stage.expect(rumour in known, f"{ant.name} has never heard that there is {rumour!r}")
            told = any(
                rumour in arrow.body and arrow.receiver == ant.name and arrow.arrived is not None
                for arrow in stage.recorder.arrows
            )
            stage.expect(told, f"{ant.name} knows that there is {rumour!r}, and no message has told it so")
        twice = f"{ant.name} has the same rumour twice in `known`"
        stage.expect(len(known) == len(set(known)), twice, about=[ant.name])


def expect_mean(stage, ants, values):
    """All estimates are within one percent."""
    wanted = sum(values) / len(values)
    for ant in ants:
        estimate = float(ant.estimate)
        stage.expect(
            abs(estimate - wanted) <= wanted / 100,
            f"{ant.name} believes the mean to be {estimate:.2f}, and it is {wanted:g}",
            about=[ant.name],
        )
        heard = any(arrow.receiver == ant.name for arrow in stage.recorder.arrows)
        stage.expect(heard, f"{ant.name} knows the mean, and nobody has sent it a message", about=[ant.name])
