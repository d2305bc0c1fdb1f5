"""What must hold in the lab byzantine."""

import asyncio
import itertools

from formicary import Agent, CyclicBehaviour, Message, OneShotBehaviour, Template
from formicary_bench.labs import Stage, scenario

NAMES = ["anna", "ben", "carla", "dora", "emil", "frida"]
SLOWEST = 0.5  # seconds that a message is on its way
OPPOSITE = {"attack": "retreat", "retreat": "attack"}


@scenario("an order is obeyed", exercise=1)
async def obeyed(stage: Stage):
    """Nobody lies: four seconds later three lieutenants have decided what the commander ordered."""
    for order in shuffled(stage, [*OPPOSITE, stage.random.choice([*OPPOSITE])]):
        war = War(stage, 3, 0, order=order)
        await war.fight()
        war.expect_all(order)


@scenario("no order comes", exercise=1)
async def silent(stage: Stage):
    """The commander says nothing, and the lieutenants decide to retreat."""
    war = War(stage, 3, 0, liars={"rex": lambda *_: None})
    await war.fight()
    war.expect_all("retreat")


@scenario("the commander lies", exercise=2)
async def commander_lies(stage: Stage):
    """Of four generals the commander lies, in each way that it can: the lieutenants decide the same."""
    for words in shuffled(stage, itertools.product((*OPPOSITE, None), repeat=3)):
        said = dict(zip(NAMES, words, strict=False))
        war = War(stage, 3, 1, liars={"rex": lambda to, *_, said=said: said[to]})
        await war.fight()
        war.expect_same(f"as the commander told {in_words(said)}")


@scenario("a lieutenant lies", exercise=2)
async def lieutenant_lies(stage: Stage):
    """Of four generals one lieutenant says the opposite of what it was told: the others obey."""
    for liar, order in shuffled(stage, itertools.product(NAMES[:3], OPPOSITE)):
        war = War(stage, 3, 1, order=order, liars={liar: opposite})
        await war.fight()
        war.expect_all(order)


@scenario("a lieutenant says nothing, or nonsense", exercise=2)
async def nonsense(stage: Stage):
    """Of four generals one is silent, or says what is no order: the others obey the commander."""
    for word, order in shuffled(stage, itertools.product((None, "dance", ""), OPPOSITE)):
        war = War(stage, 3, 1, order=order, liars={"ben": lambda *_, word=word: word})
        await war.fight()
        war.expect_all(order)


@scenario("a lieutenant takes others' names", exercise=2)
async def forger(stage: Stage):
    """A liar sends votes in the names of the commander and of the others: they do not count."""
    for order, other in shuffled(stage, OPPOSITE.items()):
        forged = [f"{path} {other}" for path in ("rex", "rex/anna", "rex/carla", "rex/ben/anna")]
        war = War(stage, 3, 1, order=order, liars={"ben": opposite}, forged=forged)
        await war.fight()
        war.expect_all(order)


@scenario("a lieutenant says it again and again", exercise=2)
async def insisting(stage: Stage):
    """A liar tells its lie five times: it is one vote."""
    for order, other in shuffled(stage, OPPOSITE.items()):
        war = War(stage, 3, 1, order=order, liars={"ben": opposite}, forged=[f"rex/ben {other}"] * 5)
        await war.fight()
        war.expect_all(order)


@scenario("two lieutenants lie", exercise=3)
async def two_lie(stage: Stage):
    """Of seven generals two lieutenants say the opposite: the others obey the commander."""
    for order in shuffled(stage, OPPOSITE):
        war = War(stage, 6, 2, order=order, liars={"ben": opposite, "emil": opposite})
        await war.fight()
        war.expect_all(order)


@scenario("the commander and a lieutenant lie", exercise=3)
async def both_lie(stage: Stage):
    """Of seven generals the commander and a lieutenant lie by chance: the others decide the same."""

    def chance(*_):
        return stage.random.choice(["attack", "retreat"])

    for _ in range(10):
        war = War(stage, 6, 2, liars={"rex": chance, "carla": chance})
        await war.fight()
        war.expect_same("as the commander and carla told everybody something else")


class War:
    """A commander, rex, and its lieutenants, each in a container of its own; who lies is the check's."""

    def __init__(self, stage, lieutenants, most_liars, *, order="attack", liars=None, forged=()):
        self.stage = stage
        self.names = NAMES[:lieutenants]
        self.most_liars = most_liars
        self.order = order
        self.liars = liars or {}
        self.forged = forged
        self.number = stage.random.randrange(10**9)  # each war has containers of its own
        self.honest = []

    def address(self, name):
        return f"{name}@{name}-{self.number}"

    async def fight(self):
        """Start all, the commander last, and wait until they have decided."""
        stage = self.stage
        stage.network.delay = lambda: stage.random.uniform(0.01, SLOWEST)
        stage.recorder.arrows.clear()  # of the wars before
        for name in [*self.names, "rex"]:
            home = f"{name}-{self.number}"
            if name in self.liars:
                container = await stage.container(home)
                await container.start(Liar(name, self))
            elif name == "rex":
                lieutenants = [self.address(each) for each in self.names]
                await stage.start(home, "Commander", "rex", lieutenants, self.order)
            else:
                others = [self.address(each) for each in self.names if each != name]
                start = (self.address("rex"), others, self.most_liars)
                self.honest.append(await stage.start(home, "Lieutenant", name, *start))
        await asyncio.sleep(4.2)
        for general in self.honest:
            stage.expect(
                general.decision in OPPOSITE,
                f"{general.name} has decided {general.decision!r} after 4.2 s",
                about=[general.name],
            )

    def expect_all(self, order):
        for general in self.honest:
            told = f"{general.name} decides to {general.decision}"
            liars = f", and {' and '.join(self.liars)} lied" if self.liars else ""
            ordered = (
                f"the commander ordered to {order}{liars}" if "rex" not in self.liars else "no order came"
            )
            self.stage.expect(general.decision == order, f"{told}; {ordered}", about=[general.name])

    def expect_same(self, why):
        decisions = {general.name: general.decision for general in self.honest}
        same = len(set(decisions.values())) == 1
        self.stage.expect(same, f"the honest ones decide {in_words(decisions)}, {why}", about=list(decisions))


def shuffled(stage, cases):
    """The same in another order."""
    cases = list(cases)
    return stage.random.sample(cases, len(cases))


def opposite(_to, _path, order):
    return OPPOSITE[order]


def in_words(said):
    return ", ".join(f"{name}: {word or 'nothing'}" for name, word in said.items())


class Liar(Agent):
    """Tells each general what its function says, for each thing that it hears; None is nothing."""

    def __init__(self, name, war):
        super().__init__(name)
        self.war = war
        self.said = set()

    async def setup(self):
        self.add_behaviour(Begin(), ~Template())
        if self.name != "rex":
            self.add_behaviour(Lie(), Template(performative="inform"))

    async def tell(self, behaviour, path, order):
        """Lie to all who are not in the path."""
        war = self.war
        for name in war.names:
            if name in path or name == self.name:
                continue
            word = war.liars[self.name](name, path, order)
            if word is not None:
                body = f"{'/'.join([*path, self.name])} {word}"
                await behaviour.send(Message(to=war.address(name), performative="inform", body=body))


class Begin(OneShotBehaviour):
    async def run(self):
        liar = self.agent
        if liar.name == "rex":
            await liar.tell(self, [], liar.war.order)
        for name, body in itertools.product(liar.war.names, liar.war.forged):
            if name != liar.name:
                message = Message(to=liar.war.address(name), performative="inform", body=body)
                await self.send(message)


class Lie(CyclicBehaviour):
    async def run(self):
        liar = self.agent
        path, _, order = (await self.receive()).body.partition(" ")
        names = path.split("/")
        if order in OPPOSITE and path not in liar.said and len(names) <= liar.war.most_liars:
            liar.said.add(path)
            await liar.tell(self, names, order)
