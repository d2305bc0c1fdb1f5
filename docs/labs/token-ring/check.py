"""What must hold in the lab token-ring."""

import asyncio

from formicary import Message
from formicary_bench.labs import Offer, Stage, scenario

NAMES = ["m0", "m1", "m2", "m3"]


@scenario("the token goes round", exercise=1)
async def goes_round(stage: Stage):
    """Each of four members uses the room in its turn, again and again, and never two at the same time."""
    room = await ring(stage, delay=0.001)
    first = stage.random.randrange(4)
    await begin(room, NAMES[first])
    await asyncio.sleep(10)
    expect_alone(stage, room)
    stage.expect(
        len(room.users) > 8, f"in 10 s the room was used {len(room.users)} times: {shown(room.users)}"
    )
    wanted = [NAMES[(first + number) % 4] for number in range(len(room.users))]
    stage.expect(room.users == wanted, f"the members were not in turn: {shown(room.users)}")
    expect_given(stage, room)


@scenario("the number stays", exercise=1)
async def number_stays(stage: Stage):
    """The token keeps its number on its way."""
    room = await ring(stage, delay=0.001)
    number = str(stage.random.randrange(7, 1000))
    await begin(room, "m0", number)
    await asyncio.sleep(3)
    numbers = {arrow.body for arrow in stage.recorder.arrows if arrow.performative == "request"}
    others = sorted(numbers - {number})
    stage.expect(not others, f"the token had the number {number}, and then also {others}")
    stage.expect(len(room.users) > 4, f"in 3 s the room was used {len(room.users)} times")
    expect_given(stage, room)


@scenario("a member crashes", exercise=2)
async def member_crashes(stage: Stage):
    """The container of m2 crashes while m0 has the token: it is given to m3 in its place."""
    room = await ring(stage, delay=0.05)
    await begin(room, "m0")
    await used_by(stage, room, "m0")
    await stage.crash("m2")
    before = len(room.users)
    await asyncio.sleep(10)
    after = room.users[before:]
    stage.expect({"m0", "m1", "m3"} <= set(after), f"after the crash the room was used by {shown(after)}")
    expect_alone(stage, room)
    expect_given(stage, room)


@scenario("the network is slow", exercise=2)
async def slow(stage: Stage):
    """Each message takes 20 s. Nobody is dead, so there must not be a second token."""
    room = await ring(stage, delay=20)
    await begin(room, "m0")
    await asyncio.sleep(600)
    expect_alone(stage, room)
    wanted = [NAMES[number % 4] for number in range(len(room.users))]
    stage.expect(room.users == wanted, f"there was more than one token: {shown(room.users)}")
    stage.expect(len(room.users) > 8, f"in 600 s the room was used {len(room.users)} times")
    expect_given(stage, room)


@scenario("the token is lost", exercise=3)
async def lost(stage: Stage):
    """m2 crashes while it has the token; m0, of patience 10 s, makes a new one with a higher number."""
    room = await ring(stage, delay=0.05, patience=10)
    await begin(room, "m0")
    await used_by(stage, room, "m2")
    await asyncio.sleep(0.07)  # m1 knows by now that m2 has the token
    await stage.crash("m2")
    before = len(room.users)
    await asyncio.sleep(60)
    after = room.users[before:]
    stage.expect(
        {"m0", "m1", "m3"} <= set(after),
        f"a minute after the token was lost, the room was used by {shown(after)}",
    )
    numbers = {int(arrow.body) for arrow in stage.recorder.arrows if arrow.performative == "request"}
    stage.expect(
        max(numbers) > 1, "the new token has the number of the lost one, so nobody can tell them apart"
    )
    expect_alone(stage, room)


@scenario("two tokens", exercise=3)
async def two(stage: Stage):
    """A new token comes though the old one was not lost: soon there is only one, and it is the new one."""
    room = await ring(stage, delay=0.05, patience=10)
    await begin(room, "m0", "5")
    await used_by(stage, room, "m1")
    await begin(room, "m3", "6")
    await asyncio.sleep(20)
    room.most = 0
    known = len(stage.recorder.arrows)
    await asyncio.sleep(20)
    later = {arrow.body for arrow in stage.recorder.arrows[known:] if arrow.performative == "request"}
    stage.expect(
        later == {"6"}, f"20 s after token 6 has come there are still tokens with numbers {sorted(later)}"
    )
    expect_alone(stage, room)


class Room:
    """Counts how many use it at the same time, and who without having been given the token."""

    def __init__(self, stage):
        self.stage = stage
        self.desk = None  # the container that the first token comes from
        self.users = []
        self.unasked = []
        self.now = self.most = 0

    async def use(self, name):
        given = [
            arrow
            for arrow in self.stage.recorder.arrows
            if arrow.receiver == name and arrow.performative == "request" and arrow.arrived is not None
        ]
        if len(given) <= self.users.count(name):
            self.unasked.append(name)
        self.users.append(name)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(0.1)
        finally:
            self.now -= 1


async def ring(stage, delay, patience=None):
    room = Room(stage)
    room.desk = await stage.container("desk")
    offer = Offer(use=room.use)
    for name in NAMES:
        others = [f"{other}@{other}" for other in others_of(name)]
        own = patience if name == "m0" else None
        await stage.start(name, "Member", name, others, offer, own)
    stage.network.delay = delay
    return room


async def begin(room, name, number="1"):
    await room.desk.ask(Message(to=f"{name}@{name}", performative="request", body=number), timeout=50)


async def used_by(stage, room, name):
    for _ in range(1000):
        if room.now and room.users[-1] == name:
            return
        await asyncio.sleep(0.01)
    stage.expect(False, f"the token has not come to {name}: the room was used by {shown(room.users)}")


def others_of(name):
    number = NAMES.index(name)
    return NAMES[number + 1 :] + NAMES[:number]


def expect_alone(stage, room):
    stage.expect(room.most < 2, f"{room.most} members used the room at the same time")


def expect_given(stage, room):
    unasked = room.unasked
    stage.expect(not unasked, f"the room was used by {shown(unasked)} without the token, a request that came")


def shown(users):
    return ", ".join(users[-12:]) or "nobody"
