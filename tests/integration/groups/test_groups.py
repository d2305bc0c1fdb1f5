"""Groups of containers that are connected by links, and of a process that dies."""

from __future__ import annotations

import asyncio
import random
import signal

import pytest
from tests.integration.groups.crew import WORKERS
from tests.integration.transport.raw import until
from tests.unit.core.agents import Collect, start
from tests.unit.groups.crew import begin, distributor

from formicary import Container, Limits, Message, Services
from formicary.errors import (
    AdmissionError,
    GroupExistsError,
    MessageTooLargeError,
    NoSuchGroupError,
    UsageError,
)

pytestmark = pytest.mark.parametrize("directory", ["replica", "central"])


async def known(agents, count, *where, **more):
    """Wait until all of some agents see so many players."""

    async def all_know():
        return [len(await agent.groups.agents(*where, **more)) for agent in agents] == [count] * len(agents)

    while not await all_know():  # noqa: ASYNC110 -- what it looks at has no event to wait for
        await asyncio.sleep(0.002)


async def meet(containers, *, gatekeeper=None):
    """Start an agent in each container, and have them play roles in a group of the first."""
    agents = [(await begin(container, f"agent-{container.name}"))[0] for container in containers]
    await agents[0].groups.create("market", gatekeeper=gatekeeper)
    await known(agents, 1, "market")
    for agent in agents[1:]:
        await agent.groups.request_role("market", "seller", pass_key="let me in")
    await known(agents, len(agents), "market")
    return agents


async def test_agents_of_three_containers_meet_and_talk(platform, directory):
    async with platform("c1", "c2", "c3", services=Services(directory=directory)) as containers:
        one, two, three = await meet(containers)
        with pytest.raises(GroupExistsError):
            await three.groups.create("market")
        assert await one.groups.send(Message(body="to sellers"), "market", "seller") == 2
        assert await two.groups.send(Message(body="to all"), "market") == 2
        chosen = {await two.groups.send_to_one(Message(body="to one"), "market") for _ in range(2)}
        assert chosen == {one.address, three.address}
        await until(lambda: len(one.messages) + len(two.messages) + len(three.messages) == 6)
        assert sorted(three.bodies) == ["to all", "to one", "to sellers"]
        assert {message.to for message in three.messages} == {three.address}
        await three.groups.leave("market")
        await known((one, two), 2, "market")
        await two.stop()
        await known((one, three), 1, "market")
        await one.groups.leave("market")
        await known((one, three), 0, "market")
        with pytest.raises(NoSuchGroupError):
            await three.groups.request_role("market", "seller")


async def test_a_gatekeeper_elsewhere_lets_in_whom_it_wants(platform, directory):
    async with platform("c1", "c2", "c3", services=Services(directory=directory)) as containers:
        keys = []

        async def gatekeeper(agent, role, pass_key):
            keys.append((agent, role, pass_key))
            await asyncio.sleep(0)
            return True if pass_key == "let me in" else f"{pass_key!r} is not what they say here"

        _, two, _ = await meet(containers, gatekeeper=gatekeeper)
        with pytest.raises(AdmissionError, match=r"^'please' is not what they say here$"):
            await two.groups.request_role("market", "buyer", pass_key="please")
        assert keys[0] == ("agent-c2@c2.lab.localhost", "seller", "let me in")
        assert len(keys) == 3


async def test_many_members_get_all_while_others_come_and_go(platform, directory):
    async with platform("c1", "c2", "c3", services=Services(directory=directory)) as containers:
        speaker, *_ = await meet(containers)
        steady = [await begin(container, *(f"steady-{n}" for n in range(20))) for container in containers]
        steady = [agent for agents in steady for agent in agents]
        await asyncio.gather(*(agent.groups.request_role("market", "listener") for agent in steady))
        await known([speaker], 60, "market", "listener")
        is_over = False

        async def come_and_go(container, number):
            choice = random.Random(number)
            while not is_over:
                (agent,) = await begin(container, f"guest-{number}")
                await agent.groups.request_role("market", "listener")
                await asyncio.sleep(choice.random() / 100)
                if choice.random() < 0.5:
                    await agent.groups.leave("market")
                await agent.stop()

        guests = [asyncio.create_task(come_and_go(one, n)) for n, one in enumerate(containers * 5)]
        for number in range(300):
            assert await speaker.groups.send(Message(body=str(number)), "market", "listener") >= 60
            await asyncio.sleep(0)
        is_over = True
        await asyncio.gather(*guests)
        await until(lambda: all(len(agent.messages) >= 300 for agent in steady))
        expected = [str(number) for number in range(300)]
        assert all(agent.bodies == expected for agent in steady)
        assert {message.performative for message in speaker.messages} <= {"failure"}
        await known([speaker, steady[0], steady[-1]], 60, "market", "listener")


async def test_when_a_process_is_killed_its_agents_leave_and_the_sender_is_told(platform, workers, directory):
    def gatekeeper(agent, role, pass_key):
        return pass_key in {"work", "let me in"}

    async with platform("c1", "c2", services=Services(directory=directory)) as containers:
        agents = await meet(containers, gatekeeper=gatekeeper)
        one, two = agents
        async with two.groups.subscribe("market", "worker") as changes:
            assert (await anext(changes)).came == ()
            async with workers(containers[0], "c3", directory) as process:
                here = set()
                while len(here) < WORKERS:
                    here |= set((await anext(changes)).came)
                await known(agents, WORKERS, "market", "worker")
                assert await two.groups.send(Message(body="work"), "market", "worker") == WORKERS
                await until(lambda: two.bodies == ["work"] * WORKERS)
                process.send_signal(signal.SIGKILL)
                await process.wait()
                two.messages.clear()
                gone = set()
                while len(gone) < WORKERS:
                    gone |= set((await anext(changes)).left)
                assert gone == here
        await known(agents, 0, "market", "worker")
        assert await one.groups.send(Message(body="anybody?"), "market") == 1
        await until(lambda: "anybody?" in two.bodies)


async def test_a_large_message_goes_to_all_and_one_that_is_too_large_is_refused(platform, directory):
    async with platform("c1", "c2", "c3", services=Services(directory=directory)) as containers:
        one, two, three = await meet(containers)
        large = "x" * 3_000_000
        await one.groups.send(Message(body=large), "market")
        await until(lambda: two.messages and three.messages)
        assert two.bodies == three.bodies == [large]
        with pytest.raises(MessageTooLargeError, match="send it in pieces"):
            await one.groups.send(Message(body="x" * 20_000_000), "market")


async def test_a_slow_member_makes_senders_elsewhere_wait_and_nothing_gets_lost(platform, directory):
    async with platform("c1", "c2", services=Services(directory=directory), limits=Limits(mailbox=10)) as (
        c1,
        c2,
    ):
        one, _ = await meet((c1, c2))
        got = Collect()
        slow = await start(c2, "slow", got)
        slow.suspend()
        await slow.groups.request_role("market", "seller")
        await known([one], 3, "market")
        sent = 0

        async def send_all():
            nonlocal sent
            for number in range(5000):
                await one.groups.send(Message(body=str(number)), "market", "seller")
                sent += 1

        sending = asyncio.create_task(send_all())
        await until(lambda: distributor(c2) in c1.dispatcher.transport.links[c2.domain].paused)
        before = None
        while before != sent:
            before = sent
            await asyncio.sleep(0.05)
        assert sent < 5000
        found = await c1.management.list_agents(container="c2")  # all else goes on meanwhile
        assert len(found) == 2
        slow.resume()
        await sending
        await until(lambda: len(got.messages) == 5000)
        assert got.bodies == [str(number) for number in range(5000)]
        assert one.messages == []


async def test_a_guest_of_the_platform_is_in_no_groups(platform, directory):
    async with (
        platform("c1", services=Services(directory=directory)) as (c1,),
        Container("visitor", join=c1.join_address, guest=True) as guest,
    ):
        (agent,) = await begin(guest, "agent")
        with pytest.raises(UsageError, match="lives in a guest of the platform"):
            _ = agent.groups
