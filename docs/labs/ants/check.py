"""What must hold in the lab ants."""

import asyncio
import itertools
import statistics
from collections import Counter

from formicary import Agent, Message, OneShotBehaviour, Template
from formicary_bench.labs import Stage, scenario

SLOWEST = 0.1  # seconds that a message is on its way


@scenario("one swap", exercise=1)
async def one_swap(stage: Stage):
    """Two ants, of which one has the turn: after the first swap each has the other's leaf."""
    ants = await colony(stage, 2)
    delays = itertools.count(0.05, 0.01)  # the answer comes before what is said next
    stage.network.delay = lambda: next(delays)
    first, second = ants[0].leaf, ants[1].leaf
    await queen(stage, ants[:1], "go")
    answers = await until(stage, lambda arrow: arrow.performative == "inform" and arrow.arrived is not None)
    stage.expect(answers, "the ant that was asked has sent no inform with its leaf", about=["ant-0", "ant-1"])
    said = answers[0].body
    stage.expect(said == second, f"the answer is {said!r} in place of the leaf, {second!r}")
    asked = next(arrow for arrow in stage.recorder.arrows if arrow.performative == "request")
    stage.expect(asked.body == first, f"the request is {asked.body!r} in place of the leaf, {first!r}")
    stage.expect(ants[0].leaf == second, f"ant-0 has {ants[0].leaf!r} after the swap")
    stage.expect(ants[0].swaps == 1, f"ant-0 has made one swap, and counts {ants[0].swaps}")


@scenario("the turn goes on", exercise=1)
async def turn(stage: Stage):
    """One turn among nine ants: who was asked asks next, so one request is on its way at any time."""
    ants = await colony(stage, 9)
    leaves = [ant.leaf for ant in ants]
    await queen(stage, ants[:1], "go")
    await asyncio.sleep(30)
    swaps = sum(ant.swaps for ant in ants)
    stage.expect(swaps > 100, f"nine ants with one turn have made {swaps} swaps in 30 s")
    requests = [arrow for arrow in stage.recorder.arrows if arrow.performative == "request"]
    stage.expect(
        len(requests) < 800, f"there were {len(requests)} requests in 30 s, so several turns; there is one"
    )
    await rest(stage, ants)
    expect_leaves(stage, ants, leaves)


@scenario("several turns", exercise=2)
async def several(stage: Stage):
    """Four turns among nine ants, while messages overtake each other: no leaf is lost or doubled."""
    ants = await colony(stage, 9)
    leaves = [ant.leaf for ant in ants]
    await queen(stage, ants[:4], "go")
    await asyncio.sleep(30)
    swaps = sum(ant.swaps for ant in ants)
    await rest(stage, ants)
    expect_leaves(stage, ants, leaves)
    stage.expect(swaps > 250, f"nine ants with four turns have made only {swaps} swaps in 30 s")


@scenario("all at once", exercise=2)
async def all_at_once(stage: Stage):
    """Two ants have a turn each and ask each other at the same time: both refuse, and no leaf is lost."""
    ants = await colony(stage, 2)
    leaves = [ant.leaf for ant in ants]
    stage.network.delay = 0.05
    await queen(stage, ants, "go")
    await asyncio.sleep(1)
    refused = [arrow for arrow in stage.recorder.arrows if arrow.performative == "refuse"]
    stage.expect(refused, "nobody has refused, though both had asked", about=["ant-0", "ant-1"])
    await rest(stage, ants)
    expect_leaves(stage, ants, leaves)


@scenario("by chance", exercise=2)
async def by_chance(stage: Stage):
    """Each ant gets its share: no ant is asked more than twice as often as the mean."""
    ants = await colony(stage, 9)
    await queen(stage, ants[:3], "go")
    await asyncio.sleep(30)
    asked = Counter(arrow.receiver for arrow in stage.recorder.arrows if arrow.performative == "request")
    mean = statistics.fmean(asked[ant.name] for ant in ants)
    most, times = asked.most_common(1)[0]
    stage.expect(times <= 2 * mean, f"{most} was asked {times} times, and an ant {mean:.0f} times on average")
    left_out = [ant.name for ant in ants if not asked[ant.name]]
    stage.expect(not left_out, f"{', '.join(left_out)} was never asked in 30 s")


@scenario("ants die", exercise=3)
async def die(stage: Stage):
    """Two of nine ants die, and the others go on: no turn is lost, and no leaf is doubled."""
    ants = await colony(stage, 9)
    await queen(stage, ants[2:7], "go")
    await asyncio.sleep(5)
    for ant in ants[:2]:
        await without_turn(stage, ant)
        await stage.crash(ant.home)
    living = ants[2:]
    await asyncio.sleep(5)
    before = sum(ant.swaps for ant in living)
    await asyncio.sleep(30)
    swaps = sum(ant.swaps for ant in living) - before
    stage.expect(
        swaps > 200, f"half a minute after two ants have died, the others have made {swaps} swaps more"
    )
    await rest(stage, living)
    leaves = Counter(ant.leaf for ant in living)
    leaf, times = leaves.most_common(1)[0]
    stage.expect(times == 1, f"{leaf} is there {times} times")


@scenario("an answer to a dead ant", exercise=3)
async def answered_dead(stage: Stage):
    """An ant that has asked dies before its answer comes: this is no news of the one that is asked next."""
    ants = await colony(stage, 3)
    stage.network.delay = 0.1
    nest = await stage.container("late")
    await nest.start(dying := Agent("dying"))
    dying.add_behaviour(Offer(ants[0].address), ~Template())
    await asyncio.sleep(0.15)
    await stage.crash(nest)
    await asyncio.sleep(0.1)
    asked = [
        arrow.receiver
        for arrow in stage.recorder.arrows
        if arrow.sender == "ant-0" and arrow.performative == "request"
    ]
    stage.expect(
        len(asked) == 1,
        f"ant-0 was to ask one ant and wait for its answer, and has asked {' and '.join(asked) or 'none'}",
    )


@scenario("nobody is left", exercise=3)
async def alone(stage: Stage):
    """All others have died: the last ant keeps its leaf, and asks each of the dead once at most."""
    ants = await colony(stage, 3)
    leaf = ants[0].leaf
    for ant in ants[1:]:
        await stage.crash(ant.home)
    await queen(stage, ants[:1], "go")
    await asyncio.sleep(1)
    asked = [arrow for arrow in stage.recorder.arrows if arrow.sender == "ant-0"]
    stage.expect(len(asked) <= 2, f"ant-0 has asked two dead ants {len(asked)} times")
    stage.expect(ants[0].leaf == leaf, f"ant-0 has {ants[0].leaf!r} in place of its leaf, {leaf!r}")


async def colony(stage, count):
    """Start ants that know each other, each in a container of its own."""
    stage.network.delay = lambda: stage.random.uniform(0.01, SLOWEST)
    await stage.container("palace")
    names = [f"ant-{number}@c{number}" for number in range(count)]
    leaves = [f"leaf-{number}" for number in stage.random.sample(range(1000), count)]
    ants = []
    for number, name in enumerate(names):
        others = [other for other in names if other != name]
        ants.append(await stage.start(f"c{number}", "Ant", f"ant-{number}", others, leaves[number]))
    return ants


async def queen(stage, ants, word):
    """Have the queen tell ants to go, or to stop."""
    sender = Agent(f"queen-{len(stage.recorder.arrows)}")
    sender.add_behaviour(behaviour := Order([ant.address for ant in ants], word), ~Template())
    await stage.containers["palace"].start(sender)
    await behaviour.join()


class Order(OneShotBehaviour):
    def __init__(self, ants, word):
        super().__init__()
        self.ants, self.word = ants, word

    async def run(self):
        for ant in self.ants:
            await self.send(Message(to=ant, performative="inform-ref", body=self.word))


class Offer(OneShotBehaviour):
    def __init__(self, ant):
        super().__init__()
        self.ant = ant

    async def run(self):
        await self.send(Message(to=self.ant, performative="request", body="leaf-x"))


async def rest(stage, ants):
    """Stop the game, and wait until all answers have come."""
    await queen(stage, ants, "stop")
    await asyncio.sleep(2)


async def until(stage, matches):
    """Wait up to ten seconds for messages."""
    for _ in range(10_000):
        found = [arrow for arrow in stage.recorder.arrows if matches(arrow)]
        if found:
            return found
        await asyncio.sleep(0.001)
    return []


async def without_turn(stage, ant):
    """Wait up to ten seconds until an ant waits for no answer, and nothing that it has said is on its way."""
    for _ in range(10_000):
        said = [arrow for arrow in stage.recorder.arrows if arrow.sender == ant.name]
        asked = sum(arrow.performative == "request" and not arrow.lost for arrow in said)
        answered = sum(
            arrow.receiver == ant.name
            and arrow.performative in {"inform", "refuse"}
            and arrow.arrived is not None
            for arrow in stage.recorder.arrows
        )
        if asked == answered and all(arrow.arrived is not None or arrow.lost for arrow in said):
            return
        await asyncio.sleep(0.001)


def expect_leaves(stage, ants, leaves):
    """Each leaf is there once, and an ant has none that it was not given by a message."""
    now = Counter(ant.leaf for ant in ants)
    missing = [leaf for leaf in leaves if not now[leaf]]
    doubled = [str(leaf) for leaf, times in now.items() if times > 1]
    sentence = f"{', '.join(missing)} is lost" + (f", and {', '.join(doubled)} is doubled" if doubled else "")
    stage.expect(not missing, sentence)
    for ant, leaf in zip(ants, leaves, strict=True):
        has = ant.leaf
        given = has == leaf or any(
            arrow.receiver == ant.name and arrow.body == has and arrow.arrived is not None
            for arrow in stage.recorder.arrows
        )
        stage.expect(given, f"{ant.name} has {has}, which no message has given it", about=[ant.name])
