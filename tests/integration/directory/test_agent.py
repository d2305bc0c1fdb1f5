"""The directory's agent when its process is killed, and when those who ask are in another container."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest
from tests.integration.transport.raw import until
from tests.unit.directory.asking import DF, begin, content, register, search, service

from formicary import Container
from formicary.directory.central.agent import DirectoryAgent
from formicary.directory.central.store import Store
from formicary.directory.language import Subscribe, encode
from formicary.directory.model.query import Query
from formicary.errors import MailboxFullError

KEEPER = Path(__file__).with_name("keeper.py")
CLIENTS = 20  # as many as the program has: so many requests may be done and not confirmed yet


@pytest.fixture
def path(tmp_path):
    return tmp_path / "directory.sqlite"


def test_a_killed_directory_loses_nothing_that_it_had_confirmed(path):
    lines = []
    for turn in range(5):
        command = [sys.executable, KEEPER, path, str(turn * 100_000)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as keeper:
            lines += [keeper.stdout.readline() for _ in range(random.randrange(100, 2000))]
            keeper.kill()
            lines += [line for line in keeper.stdout if line.endswith("\n")]
    latest = {int(line[1:]): line[0] for line in lines}
    with closing(Store(path)) as store:
        found = {int(record.description.name) for record in store.load()}
    assert {number for number, what in latest.items() if what == "+"} - found == set()
    assert {number for number, what in latest.items() if what == "-"} & found == set()
    assert len(found - set(latest)) <= 5 * CLIENTS
    assert len(latest) > 100


@asynccontextmanager
async def joined(*askers, **options):
    """Give a directory, and askers in another container that is connected directly."""
    async with (
        Container("c1", listen="127.0.0.1") as c1,
        Container("c2", join=c1.join_address) as c2,
    ):
        df = DirectoryAgent(**options)
        await c1.start(df)
        try:
            yield df, *await begin(c2, *askers)
        finally:
            await df.close()


async def answer(asker, request, performative="request", **more):
    """Ask; return the performative and content of the next message that comes."""
    del asker.messages[:]
    asker.tell(request, performative, **more)
    await until(lambda: asker.messages)
    message = asker.messages.pop(0)
    return message.performative, content(message)


def own(asker, count, **more):
    return [service(asker.address, name=f"n{number}", **more) for number in range(count)]


async def test_agents_of_another_container_register_find_and_follow():
    async with joined("bob", "carol") as (df, bob, carol):
        (alice,) = await begin(df.container, "alice")
        printer = service(bob.address, name="p1")
        assert await answer(
            carol, {"action": "subscribe", "query": {}}, "subscribe", conversation_id="c"
        ) == (
            "agree",
            None,
        )
        await until(lambda: carol.messages)
        assert carol.informs() == [{"done": "subscribe", "anew": True}]
        assert await answer(bob, register(printer)) == ("inform", {"done": "register"})
        await until(lambda: carol.messages)
        assert carol.informs() == [{"done": "subscribe", "services": [printer]}]
        found = ("inform", {"done": "search", "services": [printer]})
        assert await answer(alice, search(type="printer")) == found
        assert await answer(carol, search(type="printer")) == found
        performative, said = await answer(carol, {"action": "deregister", "agent": bob.address})
        assert (performative, said["error"]) == ("refuse", "unauthorised")


async def test_the_subscription_of_an_agent_that_has_ended_elsewhere_ends():
    async with joined("bob", "carol") as (df, bob, carol):
        await answer(carol, {"action": "subscribe", "query": {}}, "subscribe", conversation_id="c")
        await carol.stop()
        assert len(df._subscriptions) == 1
        await answer(bob, register(service(bob.address)))
        await until(lambda: len(df._subscriptions) == 0)


async def test_an_answer_that_is_too_large_for_the_way_is_refused_with_what_to_do():
    async with joined("bob") as (df, bob):
        large = own(bob, 1100, properties={"text": "x" * 16_000})
        for start in range(0, len(large), 100):
            assert (await answer(bob, register(*large[start : start + 100])))[0] == "inform"
        performative, said = await answer(bob, search(max_results=10_000))
        assert (performative, said["error"]) == ("refuse", "unrecognised-parameter-value")
        assert "ask for fewer services with max_results" in said["message"]
        _, said = await answer(bob, search(max_results=500, offset=600))
        assert [each["name"] for each in said["services"]] == [f"n{number}" for number in range(600, 1100)]
        bob.tell({"action": "subscribe", "query": {}}, "subscribe", conversation_id="c")
        await until(lambda: len(bob.messages) == 12)
        told = [each["name"] for message in bob.messages[1:] for each in content(message)["services"]]
        assert told == [f"n{number}" for number in range(1100)]
        assert len(df._subscriptions) == 1


async def test_ten_thousand_subscriptions_from_elsewhere_are_all_told():
    async with joined("bob", "carol") as (df, bob, carol):
        for number in range(10_000):
            query = Query(type="printer") if number % 10 == 0 else Query(type=f"type-{number}")
            while True:
                try:
                    bob.tell(encode(Subscribe(query)), "subscribe", to=DF, conversation_id=str(number))
                    break
                except MailboxFullError:
                    await asyncio.sleep(0.001)
        await until(lambda: len(bob.messages) == 20_000)
        assert len(df._subscriptions) == 10_000
        del bob.messages[:]
        await answer(carol, register(service(carol.address)))
        await until(lambda: len(bob.messages) == 1000)
        await answer(carol, {"action": "deregister", "agent": carol.address})
        await until(lambda: len(bob.messages) == 2000)
        assert {int(message.conversation_id) for message in bob.messages} == {*range(0, 10_000, 10)}
        gone = {"done": "subscribe", "gone": [{"agent": carol.address, "name": "printer"}]}
        assert json.loads(bob.messages[-1].body) == gone
        assert df.container.dead_letters.total == 0
