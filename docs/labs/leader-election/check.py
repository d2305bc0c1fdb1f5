"""What must hold in the lab leader-election."""

import asyncio

from formicary import Message
from formicary_bench.labs import Stage, scenario

NUMBERS = [4, 17, 8, 23, 15]


@scenario("the highest number leads", exercise=1)
async def highest(stage: Stage):
    """One member begins an election: in the end all five know that 23 leads."""
    members, containers = await ring(stage, delay=0.1)
    await elect(containers[0], "m0")
    await asyncio.sleep(30)
    expect_leader(stage, members, 23)


@scenario("all begin at the same time", exercise=1)
async def all_begin(stage: Stage):
    """All members begin at the same time: there is one leader, and nobody waits for anybody for ever."""
    members, containers = await ring(stage, delay=0.1)
    await asyncio.gather(*(elect(container, f"m{place}") for place, container in enumerate(containers)))
    await asyncio.sleep(30)
    expect_leader(stage, members, 23)


@scenario("few messages", exercise=1)
async def few(stage: Stage):
    """Members with a higher number do not pass a number on: five members need no more than 20 messages."""
    members, containers = await ring(stage, delay=0.1)
    await asyncio.gather(*(elect(container, f"m{place}") for place, container in enumerate(containers)))
    began = said(stage)
    await asyncio.sleep(30)
    expect_leader(stage, members, 23)
    count = said(stage) - began
    stage.expect(count <= 20, f"the election took {count} messages between the members")


@scenario("some are dead", exercise=2)
async def dead(stage: Stage):
    """The members with 23 and 8 have crashed before: 17 leads, and all the living know it."""
    members, containers = await ring(stage, delay=0.1)
    for place in 2, 3:
        await stage.crash(containers[place])
    await elect(containers[0], "m0")
    await asyncio.sleep(30)
    living = [member for place, member in enumerate(members) if place not in {2, 3}]
    expect_leader(stage, living, 17)


@scenario("the last one leads", exercise=2)
async def last(stage: Stage):
    """Only one member is alive: it leads."""
    members, containers = await ring(stage, delay=0.1)
    for place in 0, 2, 3, 4:
        await stage.crash(containers[place])
    await elect(containers[1], "m1")
    await asyncio.sleep(30)
    expect_leader(stage, [members[1]], 17)


@scenario("the leader dies", exercise=3)
async def leader_dies(stage: Stage):
    """The leader crashes; within a minute all others know that 17 leads, without being told to elect."""
    members, containers = await ring(stage, delay=0.1)
    await elect(containers[0], "m0")
    await asyncio.sleep(30)
    expect_leader(stage, members, 23)
    await stage.crash(containers[3])
    await asyncio.sleep(60)
    expect_leader(stage, [member for member in members if member.number != 23], 17)


@scenario("peace", exercise=3)
async def peace(stage: Stage):
    """As long as the leader lives there is no new election, also where each message takes 3 s."""
    members, containers = await ring(stage, delay=3)
    await elect(containers[0], "m0")
    await asyncio.sleep(120)
    expect_leader(stage, members, 23)
    known = said(stage)
    await asyncio.sleep(120)
    more = said(stage) - known
    stage.expect(more <= 0, f"{more} messages of an election were sent, though the leader lives")


async def ring(stage, delay):
    names = [f"m{place}" for place in range(len(NUMBERS))]
    containers = [await stage.container(f"c{place}") for place in range(len(NUMBERS))]
    full = [f"{name}@c{place}" for place, name in enumerate(names)]
    members = []
    for place, container in enumerate(containers):
        others = full[place + 1 :] + full[:place]
        members.append(await stage.start(container, "Elector", names[place], NUMBERS[place], others))
    stage.network.delay = delay
    return members, containers


async def elect(container, name):
    await container.ask(Message(to=name, performative="request", body="elect"), timeout=20)


def said(stage):
    """How many requests members have sent to each other."""
    return sum(
        arrow.performative == "request" and arrow.sender.startswith("m") for arrow in stage.recorder.arrows
    )


def expect_leader(stage, members, number):
    leaders = {member.name: member.leader for member in members}
    stage.expect(
        set(leaders.values()) == {number}, f"{number} should lead, and the members think that it is {leaders}"
    )
