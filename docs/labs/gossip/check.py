"""What must hold in the lab gossip."""

import asyncio
from collections import Counter

from formicary import Agent, Message, OneShotBehaviour
from formicary_bench.labs import Stage, scenario

SUGAR, RAIN = "sugar behind the oak", "rain is coming"
NESTS = 4  # containers: messages within one take no time


@scenario("the rumour goes round", exercise=1)
async def goes_round(stage: Stage):
    """Twelve ants stand in a ring, each with its two neighbours: the rumour that one is told reaches all."""
    stage.network.delay = 0.1
    ants = await colony(stage, "Gossip", ring(12))
    await tell(stage, ants[3], SUGAR)
    await asyncio.sleep(0.9)
    expect_known(stage, ants, [SUGAR])


@scenario("nobody is told twice by the same ant", exercise=1)
async def told_once(stage: Stage):
    """In a crowd where each ant knows all others, no ant tells another one the same rumour twice."""
    stage.network.delay = 0.2
    crowd = [[other for other in range(4) if other != own] for own in range(4)]
    ants = await colony(stage, "Gossip", crowd)
    await tell(stage, ants[0], SUGAR)
    await asyncio.sleep(0.9)
    told = Counter(
        (arrow.sender, arrow.receiver)
        for arrow in stage.recorder.arrows
        if arrow.performative == "inform" and arrow.body == SUGAR
    )
    (sender, receiver), times = told.most_common(1)[0]
    stage.expect(
        times == 1,
        f"{sender} has told {receiver} {times} times that there is {SUGAR!r}"
        + (": the rumour goes round for ever" if times > 10 else ""),
        about=[sender],
    )
    expect_known(stage, ants, [SUGAR])


@scenario("two rumours at once", exercise=1)
async def two_rumours(stage: Stage):
    """Two rumours start at two places while messages take up to 0.2 s: in the end all know both."""
    stage.network.delay = lambda: stage.random.uniform(0.1, 0.2)
    ants = await colony(stage, "Gossip", ring(8))
    await tell(stage, ants[0], SUGAR)
    await tell(stage, ants[4], RAIN)
    await asyncio.sleep(0.9)
    expect_known(stage, ants, [SUGAR, RAIN])


@scenario("newcomers", exercise=2)
async def newcomers(stage: Stage):
    """Two ants that come when all others know the rumour know it 15 s later, though nobody knew of them."""
    ants = await colony(stage, "Gossip", ring(6))
    await tell(stage, ants[0], SUGAR)
    await asyncio.sleep(5)
    nest = await stage.container("later")
    late = [
        await stage.start(nest, "Gossip", "lea", ["leo@later", ants[2].address]),
        await stage.start(nest, "Gossip", "leo", ["lea@later", ants[3].address]),
    ]
    await asyncio.sleep(15)
    expect_known(stage, late, [SUGAR])


@scenario("a nest is rebuilt", exercise=2)
async def rebuilt(stage: Stage):
    """A container crashes, and its ants begin anew: 30 s later they know both rumours again."""
    ants = await colony(stage, "Gossip", ring(8))
    await tell(stage, ants[0], SUGAR)
    await tell(stage, ants[0], RAIN)
    await asyncio.sleep(5)
    await stage.crash(ants[1].container)
    nest = await stage.container("c1")
    again = [await stage.start(nest, "Gossip", ant.name, ant.neighbours) for ant in ants[1::NESTS]]
    await asyncio.sleep(30)
    expect_known(stage, again, [SUGAR, RAIN])


@scenario("quiet when nothing is new", exercise=2)
async def quiet(stage: Stage):
    """When all know everything, an ant sends at most three messages a second, also with ten rumours."""
    ants = await colony(stage, "Gossip", ring(6))
    for number in range(10):
        await tell(stage, ants[number % 6], f"rumour {number}")
    await asyncio.sleep(20)
    before = Counter(arrow.sender for arrow in stage.recorder.arrows)
    await asyncio.sleep(10)
    sent = Counter(arrow.sender for arrow in stage.recorder.arrows) - before
    most = max(sent.values(), default=0)
    stage.expect(most <= 30, f"an ant has sent {most} messages in 10 s, and nothing was new")
    stage.expect(sent, "nobody asks for what it has missed", about=["ant-0"])


@scenario("the mean", exercise=3)
async def mean(stage: Stage):
    """Eight ants in a ring with values from 0 to 70: after 100 s each is within 1% of the mean."""
    ants = await colony(stage, "Average", ring(8), [10 * number for number in range(8)])
    await asyncio.sleep(100)
    expect_mean(stage, ants, 35)


@scenario("the mean around a queen", exercise=3)
async def star(stage: Stage):
    """A queen talks to six ants, who only talk to her: they are no more important for it, nor is she."""
    stage.network.delay = lambda: stage.random.uniform(0, 0.5)
    ants = await colony(stage, "Average", [[1, 2, 3, 4, 5, 6], *([[0]] * 6)], [70, 0, 0, 0, 0, 0, 7])
    await asyncio.sleep(200)
    expect_mean(stage, ants, 11)


@scenario("few messages", exercise=3)
async def thrifty(stage: Stage):
    """To find the mean, an ant sends at most two messages a second."""
    ants = await colony(stage, "Average", ring(6), range(6))
    await asyncio.sleep(20)
    sent = Counter(arrow.sender for arrow in stage.recorder.arrows)
    for ant in ants:
        stage.expect(
            sent[ant.name] <= 42,
            f"{ant.name} has sent {sent[ant.name]} messages in 20 s, and 40 would do",
            about=[ant.name],
        )


def ring(count):
    """Each one's neighbours in a ring."""
    return [[(number - 1) % count, (number + 1) % count] for number in range(count)]


async def colony(stage, kind, graph, values=None):
    """Start an ant for each entry of the graph: the numbers of its neighbours."""
    nests = [await stage.container(f"c{number}") for number in range(NESTS)]
    names = [f"ant-{number}@c{number % NESTS}" for number in range(len(graph))]
    ants = []
    for number, neighbours in enumerate(graph):
        own = [values[number]] if values else []
        friends = [names[other] for other in neighbours]
        ants.append(await stage.start(nests[number % NESTS], kind, f"ant-{number}", friends, *own))
    return ants


async def tell(stage, ant, rumour):
    """Have a scout tell an ant a rumour."""
    scout = Agent(f"scout-of-{ant.name}-{len(stage.recorder.arrows)}")
    scout.add_behaviour(behaviour := Scout(ant.address, rumour))
    await ant.container.start(scout)
    await behaviour.join()


class Scout(OneShotBehaviour):
    def __init__(self, ant, rumour):
        super().__init__()
        self.ant, self.rumour = ant, rumour

    async def run(self):
        await self.send(Message(to=self.ant, performative="inform", body=self.rumour))


def expect_known(stage, ants, rumours):
    """All know these rumours, each once."""
    for ant in ants:
        known = list(ant.known)
        for rumour in rumours:
            stage.expect(rumour in known, f"{ant.name} has never heard that there is {rumour!r}")
        twice = f"{ant.name} has the same rumour twice in `known`"
        stage.expect(len(known) == len(set(known)), twice, about=[ant.name])


def expect_mean(stage, ants, wanted):
    """All estimates are within one percent."""
    for ant in ants:
        estimate = float(ant.estimate)
        stage.expect(
            abs(estimate - wanted) <= wanted / 100,
            f"{ant.name} believes the mean to be {estimate:.2f}, and it is {wanted}",
            about=[ant.name],
        )
