"""What must hold in the lab token-ring."""

import asyncio

from formicary import Message
from formicary_bench.labs import Stage, scenario

NAMES = ["m0", "m1", "m2", "m3"]


@scenario("the token goes round", exercise=1)
async def goes_round(stage: Stage):
    """Each of four members uses the room in its turn, again and again, and never two at the same time."""
    c1 = await stage.container("c1")
    room = Room()
    for name in NAMES:
        await stage.start(c1, "Member", name, others_of(name), room)
    await begin(c1, "m0")
    await asyncio.sleep(10)
    expect_alone(stage, room)
    stage.expect(
        len(room.users) > 8, f"in 10 s the room was used {len(room.users)} times: {shown(room.users)}"
    )
    wanted = [NAMES[number % 4] for number in range(len(room.users))]
    stage.expect(room.users == wanted, f"the members were not in turn: {shown(room.users)}")


@scenario("the number stays", exercise=1)
async def number_stays(stage: Stage):
    """The token keeps its number on its way."""
    c1 = await stage.container("c1")
    room = Room()
    for name in NAMES:
        await stage.start(c1, "Member", name, others_of(name), room)
    await begin(c1, "m0", "7")
    await asyncio.sleep(3)
    numbers = {arrow.body for arrow in stage.recorder.arrows if arrow.performative == "request"}
    stage.expect(numbers == {"7"}, f"the token had the number 7, and then also {sorted(numbers - {'7'})}")


@scenario("a member crashes", exercise=2)
async def member_crashes(stage: Stage):
    """The container of m2 crashes while m0 has the token: it is given to m3 in its place."""
    containers, room = await ring(stage, delay=0.05)
    await begin(containers["m0"], "m0")
    await used_by(stage, room, "m0")
    await stage.crash(containers["m2"])
    before = len(room.users)
    await asyncio.sleep(10)
    after = room.users[before:]
    stage.expect({"m0", "m1", "m3"} <= set(after), f"after the crash the room was used by {shown(after)}")
    expect_alone(stage, room)


@scenario("the network is slow", exercise=2)
async def slow(stage: Stage):
    """Each message takes 20 s. Nobody is dead, so there must not be a second token."""
    containers, room = await ring(stage, delay=20)
    await begin(containers["m0"], "m0")
    await asyncio.sleep(600)
    expect_alone(stage, room)
    wanted = [NAMES[number % 4] for number in range(len(room.users))]
    stage.expect(room.users == wanted, f"there was more than one token: {shown(room.users)}")
    stage.expect(len(room.users) > 8, f"in 600 s the room was used {len(room.users)} times")


@scenario("the token is lost", exercise=3)
async def lost(stage: Stage):
    """m2 crashes while it has the token; m0, of patience 10 s, makes a new one with a higher number."""
    containers, room = await ring(stage, delay=0.05, patience=10)
    await begin(containers["m0"], "m0")
    await used_by(stage, room, "m2")
    await asyncio.sleep(0.07)  # m1 knows by now that m2 has the token
    await stage.crash(containers["m2"])
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
    containers, room = await ring(stage, delay=0.05, patience=10)
    await begin(containers["m0"], "m0", "5")
    await used_by(stage, room, "m1")
    await begin(containers["m3"], "m3", "6")
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
    """Counts how many use it at the same time."""

    def __init__(self):
        self.users = []
        self.now = self.most = 0

    async def use(self, name):
        self.users.append(name)
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(0.1)
        finally:
            self.now -= 1


async def ring(stage, delay, patience=None):
    room, containers = Room(), {}
    for number, name in enumerate(NAMES):
        containers[name] = await stage.container(f"c{number}")
    for name, container in containers.items():
        others = [f"{other}@c{NAMES.index(other)}" for other in others_of(name)]
        own = patience if name == "m0" else None
        await stage.start(container, "Member", name, others, room, own)
    stage.network.delay = delay
    return containers, room


async def begin(container, name, number="1"):
    await container.ask(Message(to=name, performative="request", body=number), timeout=5)


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


def shown(users):
    return ", ".join(users[-12:]) or "nobody"
