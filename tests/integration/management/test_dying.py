"""Containers that die, stand still or stop while they are asked, or before."""

from __future__ import annotations

import asyncio
import contextlib
import signal

import pytest
from tests.integration.management.conftest import CREW
from tests.integration.management.crew import Slow
from tests.integration.transport.raw import until
from tests.unit.core.agents import Collect, start

from formicary import Container
from formicary.errors import ManagementError, NameTakenError


def short(agents):
    return [agent.name.removesuffix(".lab.localhost") for agent in agents]


@pytest.fixture
def impatient(monkeypatch):
    """Have containers that do not answer given up soon."""
    monkeypatch.setattr("formicary.management.requests.router.ANSWERS_WITHIN", 4.0)
    monkeypatch.setattr("formicary.management.requests.router.TIMEOUT", 2.0)


async def test_an_agent_in_another_process_is_looked_up_created_and_killed(platform, join_process):
    async with platform("c1", "c2") as (c1, c2), join_process(c1, "c3") as process:
        management = c2.management
        await until(lambda: len(c2.members) == 3)
        assert short(await management.list_agents()) == ["clerk@c3"]
        described = {each.name: each for each in await management.list_containers()}
        assert described["c3"].pid == process.pid
        assert described["c3"].agents == 1
        await management.create(f"{CREW}:Clerk", "bob", container="c3", arguments={"desk": 2})
        assert short(await management.list_agents("b*")) == ["bob@c3"]
        await management.kill("clerk@c3")
        assert short(await management.list_agents()) == ["bob@c3"]


async def test_what_stands_still_is_missing_and_comes_back(platform, join_process, asker, impatient):
    async with platform("c1") as (c1,), join_process(c1, "c2") as process:
        asking = await asker(c1)
        process.send_signal(signal.SIGSTOP)
        listing = await c1.management.list_agents()
        assert short(listing) == ["asker@c1"]
        assert [each.domain for each in listing.missing] == ["c2.lab.localhost"]
        assert listing.missing[0].reason == "ams@c2.lab.localhost has not answered within 2 s"
        containers = await c1.management.list_containers()
        assert [each.name for each in containers] == ["c1"]
        assert [each.domain for each in containers.missing] == ["c2.lab.localhost"]
        said, content = await asking.ask("ams", {"action": "search"})
        assert said == ["agree", "inform"]
        assert [each["domain"] for each in content["missing"]] == ["c2.lab.localhost"]
        for doing in (
            c1.management.kill("clerk@c2"),
            c1.management.find("clerk@c2"),
            c1.management.list_agents(container="c2"),
        ):
            with pytest.raises(ManagementError, match="has not answered"):
                await doing
        said, content = await asking.ask("ams", {"action": "suspend", "agent": "clerk@c2"})
        assert (said, content["error"]) == (["agree", "failure"], "internal-error")
        process.send_signal(signal.SIGCONT)
        await created(c1)


async def created(container):
    """Create an agent in container c2 as soon as that is possible again."""
    while True:
        with contextlib.suppress(ManagementError):
            with contextlib.suppress(NameTakenError):  # it was created, and the answer came too late
                await container.management.create(f"{CREW}:Clerk", "bob", container="c2")
            return


async def test_what_dies_in_the_middle_is_an_error_and_not_a_hang(platform, join_process, impatient):
    async with platform("c1") as (c1,), join_process(c1, "c2") as process:
        creating = c1.management.create(
            f"{CREW}:Frozen", "end", container="c2", arguments={"signal": int(signal.SIGKILL)}
        )
        with pytest.raises(ManagementError):
            await creating
        assert await process.wait() == -signal.SIGKILL
        await until(lambda: len(c1.members) == 1)
        listing = await c1.management.list_agents()
        assert (short(listing), listing.missing) == ([], ())
        with pytest.raises(ManagementError, match="c2"):
            await c1.management.kill("clerk@c2")


async def test_a_container_that_is_not_there_cannot_be_reached(platform, asker):
    async with platform("c1", "c2") as (c1, c2):
        for container in (c1, c2):
            for doing in (
                container.management.kill("bob@c9"),
                container.management.create("a:B", "bob", container="c9"),
                container.management.list_agents(container="c9"),
            ):
                with pytest.raises(ManagementError, match="c9 cannot be reached"):
                    await doing
        said, content = await (await asker(c2)).ask("ams@c1", {"action": "kill", "agent": "bob@c9"})
        assert (said, content["error"]) == (["agree", "failure"], "internal-error")
        assert "container c9 cannot be reached" in content["message"]


async def test_a_container_that_stops_in_the_middle_says_so(platform, asker):
    async with platform("c1") as (c1,):
        asking = await asker(c1)
        async with Container("c2", join=c1.join_address, creatable=[CREW]) as c2:
            Slow.proceed = asyncio.Event()
            name = asking.send(
                "ams", {"action": "create", "class": f"{CREW}:Slow", "name": "slow", "container": "c2"}
            )
            await until(lambda: Slow.begun)
            assert c2.agents == ()
        await until(lambda: len(asking.answers(name)) == 2)
        assert [answer.performative for answer in asking.answers(name)] == ["agree", "failure"]
        assert "container c2 stops" in asking.answers(name)[1].body


async def test_who_kills_the_last_agent_is_told_though_the_container_ends_with_it(platform):
    async with platform("c1") as (c1,):
        is_there = asyncio.Event()

        async def run():
            async with Container("c2", join=c1.join_address) as c2:
                await start(c2, "last", Collect())
                is_there.set()
                await c2.wait_until_finished()

        running = asyncio.create_task(run())
        await is_there.wait()
        await until(lambda: "c2.lab.localhost" in c1.members)
        await c1.management.kill("last@c2")
        await running
