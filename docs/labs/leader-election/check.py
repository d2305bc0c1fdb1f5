"""What must hold in the lab leader-election."""

import asyncio

from formicary import Message
from formicary_bench.labs import Stage, scenario


@scenario("the highest number leads", exercise=1)
async def highest(stage: Stage):
    """One member begins an election: in the end all five know that the one with the highest number leads."""
    ring = await Ring.opened(stage, delay=0.1)
    await ring.elect(stage.random.randrange(5))
    await asyncio.sleep(30)
    ring.expect_leader(ring.members, ring.numbers[0])
    for member in ring.members:
        heard = any(arrow.receiver == member.name for arrow in ring.said())
        stage.expect(heard, f"no other member has sent {member.name} a request", about=[member.name])


@scenario("all begin at the same time", exercise=1)
async def all_begin(stage: Stage):
    """All members begin at the same time: there is one leader, and nobody waits for anybody for ever."""
    ring = await Ring.opened(stage, delay=0.1)
    await ring.elect(*range(5))
    await asyncio.sleep(30)
    ring.expect_leader(ring.members, ring.numbers[0])


@scenario("few messages", exercise=1)
async def few(stage: Stage):
    """Members with a higher number do not pass a number on: five members need no more than 20 messages."""
    ring = await Ring.opened(stage, delay=0.1)
    await ring.elect(*range(5))
    await asyncio.sleep(30)
    ring.expect_leader(ring.members, ring.numbers[0])
    count = len(ring.said())
    stage.expect(count <= 20, f"the election took {count} messages between the members")


@scenario("some are dead", exercise=2)
async def dead(stage: Stage):
    """Two members have crashed before, one of them that with the highest number: the next one leads."""
    ring = await Ring.opened(stage, delay=0.1)
    await ring.crash(ring.numbers[0], ring.numbers[3])
    await ring.elect(stage.random.choice(ring.living()))
    await asyncio.sleep(30)
    ring.expect_leader([ring.members[place] for place in ring.living()], ring.numbers[1])


@scenario("the last one leads", exercise=2)
async def last(stage: Stage):
    """Only one member is alive: it leads."""
    ring = await Ring.opened(stage, delay=0.1)
    number = stage.random.choice(ring.numbers)
    await ring.crash(*(other for other in ring.numbers if other != number))
    await ring.elect(*ring.living())
    await asyncio.sleep(30)
    ring.expect_leader([ring.members[place] for place in ring.living()], number)


@scenario("the leader dies", exercise=3)
async def leader_dies(stage: Stage):
    """The leader crashes; within a minute all others know the next one, without being told to elect."""
    ring = await Ring.opened(stage, delay=0.1)
    await ring.elect(0)
    await asyncio.sleep(30)
    ring.expect_leader(ring.members, ring.numbers[0])
    await ring.crash(ring.numbers[0])
    await asyncio.sleep(60)
    ring.expect_leader([ring.members[place] for place in ring.living()], ring.numbers[1])


@scenario("peace", exercise=3)
async def peace(stage: Stage):
    """As long as the leader lives there is no new election, also where each message takes 3 s."""
    ring = await Ring.opened(stage, delay=3)
    await ring.elect(0)
    await asyncio.sleep(120)
    ring.expect_leader(ring.members, ring.numbers[0])
    known = len(ring.said())
    await asyncio.sleep(120)
    more = len(ring.said()) - known
    stage.expect(more <= 0, f"{more} messages of an election were sent, though the leader lives")


class Ring:
    """Five members, each in a container of its own; `numbers` are theirs, the highest first."""

    def __init__(self, stage):
        self.stage = stage
        self.places = stage.random.sample(range(1, 100), 5)  # the members' numbers, in the ring's order
        self.numbers = sorted(self.places, reverse=True)
        self.members = []
        self.gone = set()

    @classmethod
    async def opened(cls, stage, delay):
        ring = cls(stage)
        ring.desk = await stage.container("desk")
        full = [f"m{place}@c{place}" for place in range(5)]
        for place, number in enumerate(ring.places):
            others = full[place + 1 :] + full[:place]
            ring.members.append(await stage.start(f"c{place}", "Elector", f"m{place}", number, others))
        stage.network.delay = delay
        return ring

    async def elect(self, *places):
        asked = [Message(to=f"m{place}@c{place}", performative="request", body="elect") for place in places]
        await asyncio.gather(*(self.desk.ask(message, timeout=20) for message in asked))

    async def crash(self, *numbers):
        for number in numbers:
            self.gone.add(place := self.places.index(number))
            await self.stage.crash(f"c{place}")

    def living(self):
        return [place for place in range(5) if place not in self.gone]

    def said(self):
        """The requests that members have sent to each other."""
        return [
            arrow
            for arrow in self.stage.recorder.arrows
            if arrow.performative == "request" and arrow.sender.startswith("m")
        ]

    def expect_leader(self, members, number):
        leaders = {member.name: member.leader for member in members}
        self.stage.expect(
            set(leaders.values()) == {number},
            f"{number} should lead, and the members think that it is {leaders}",
        )
