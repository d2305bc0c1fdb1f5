"""Searches that go on to other directories."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta

import pytest
from tests.unit.directory.asking import Asker, content, names, register, search, service

from formicary import Container, Message, MicroAgent
from formicary.core.clock import now
from formicary.directory.central import federation
from formicary.directory.central.agent import DirectoryAgent
from formicary.directory.language import Result, decode_request, encode
from formicary.directory.model.description import ServiceDescription
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock


def df(number):
    return f"df@c{number}.lab.localhost"


@asynccontextmanager
async def directories(*others):
    """Give an asker, and directories in containers c0, c1, ... of which each knows those others by number.

    Each has a service that is called as its container. An agent in the place of a number is started there.
    """
    network = MemoryNetwork()
    async with AsyncExitStack() as stack:
        started = []
        for number, known in enumerate(others):
            container = await stack.enter_async_context(Container(f"c{number}", server=network))
            agent = known
            if not isinstance(known, MicroAgent):
                agent = DirectoryAgent(others=[df(other) for other in known])
            await container.start(agent)
            started.append(agent)
            if agent is not known:
                own = Asker("own")
                await container.start(own)
                own.tell(register(service(own.address, name=container.name)), to=df(number))
        asker = Asker("asker")
        await started[0].container.start(asker)
        await until_idle()
        yield asker, *started
        for agent in started:
            if isinstance(agent, DirectoryAgent):
                await agent.close()


def wide(max_depth, search_id=None, **query):
    more = {} if search_id is None else {"search_id": search_id}
    return {**search(**query), "max_depth": max_depth, **more}


async def ask(asker, request, **more):
    return await asker.ask(request, to=df(0), **more)


CHAIN = ([1], [2], [3], [])


@pytest.mark.parametrize("depth", range(5))
async def test_a_search_goes_as_deep_as_it_says(depth):
    async with directories(*CHAIN) as (asker, *_):
        found = names(await ask(asker, wide(depth)))
        assert found == ["c0", "c1", "c2", "c3"][: depth + 1]


async def test_where_directories_know_each_other_each_answers_once():
    async with directories([0, 1, 2], [0, 1, 2], [0, 1, 2]) as (asker, *agents):
        assert names(await ask(asker, wide(16))) == ["c0", "c1", "c2"]
        assert [len(agent._federation._known) for agent in agents] == [1, 1, 1]


async def test_a_search_with_the_name_of_an_earlier_one_finds_nothing():
    async with directories([1], []) as (asker, *_):
        assert names(await ask(asker, wide(1, "mine"))) == ["c0", "c1"]
        assert names(await ask(asker, wide(1, "mine"))) == []
        assert names(await ask(asker, wide(0, "mine"))) == []
        assert names(await ask(asker, wide(0, "another"))) == ["c0"]
        assert names(await ask(asker, wide(1, "another"))) == []
        await asyncio.sleep(301)
        assert names(await ask(asker, wide(1, "mine"))) == ["c0", "c1"]


async def test_only_so_many_searches_are_remembered():
    async with directories([1], []) as (asker, agent, _):
        for number in range(10_001):
            asker.tell(wide(0, str(number)), to=df(0))
        await until_idle()
        assert len(agent._federation._known) == 10_000
        assert names(await ask(asker, wide(1, "0"))) == ["c0", "c1"]
        assert names(await ask(asker, wide(1, "10000"))) == []


async def test_a_search_that_is_under_way_is_no_new_one_however_many_have_come_since(monkeypatch):
    monkeypatch.setattr(federation, "_MOST_KNOWN", 2)
    async with directories([1], Silent()) as (asker, agent, _):
        asker.tell(wide(1, "mine"), to=df(0))
        await asyncio.sleep(1)
        for number in range(3):
            await ask(asker, wide(0, str(number)))
        assert names(await ask(asker, wide(1, "mine"))) == []
        await asyncio.sleep(5)
        assert names(asker.heard()) == ["c0"]
        assert agent._federation._pending == {}


async def test_answers_have_each_service_once_and_no_more_than_are_wanted():
    async with directories([1, 2], [], []) as (asker, *agents):
        for agent in agents:
            agent._may_write = lambda sender, agent: True
            twin = register(service("twin@example.org", name="twin"))
            asker.tell(twin, to=agent.address)
        await until_idle()
        assert names(await ask(asker, wide(1))) == ["c0", "twin", "c1", "c2"]
        assert names(await ask(asker, wide(1, max_results=3))) == ["c0", "twin", "c1"]
        assert names(await ask(asker, wide(1, max_results=2, offset=2))) == ["c1", "c2"]
        assert names(await ask(asker, wide(1, max_results=2, offset=4))) == []


async def test_too_far_an_offset_is_refused_with_what_to_do():
    async with directories([1], []) as (asker, *_):
        ((performative, said),) = await ask(asker, wide(1, max_results=10_000, offset=1))
        assert (performative, said["error"]) == ("refuse", "unrecognised-parameter-value")
        assert "at most 10000 together, not 10001" in said["message"]
        assert names(await ask(asker, wide(0, max_results=10_000, offset=1))) == []


class Silent(MicroAgent):
    """Never answers, and keeps what it was asked."""

    def __init__(self, name="df"):
        super().__init__(name)
        self.messages = []

    def handle(self, message):
        self.messages.append(message)


async def answer_after(asker, request, **more):
    """Ask; return after how many seconds an answer came, and the names in it."""
    loop = asyncio.get_running_loop()
    del asker.messages[:]
    start = loop.time()
    asker.tell(request, to=df(0), **more)
    while not asker.messages:  # noqa: ASYNC110 -- the time is virtual
        await asyncio.sleep(0.1)
    return round(loop.time() - start, 1), names(
        [(asker.messages[0].performative, content(asker.messages[0]))]
    )


async def test_a_directory_that_does_not_answer_is_left_out():
    silent = Silent()
    async with directories([2, 1], [], silent) as (asker, agent, *_):
        seconds, found = await answer_after(asker, wide(1))
        assert 5 <= seconds < 5.3
        assert found == ["c0", "c1"]
        (asked,) = silent.messages
        late = asked.make_reply(
            body=encode(Result("search", (ServiceDescription("x@c2.lab.localhost", "late"),)))
        )
        silent.send_nowait(late)
        await until_idle()
        assert len(asker.messages) == 1
        assert agent._federation._pending == {}
        assert decode_request(asked.body).max_depth == 0


async def test_one_behind_another_does_not_keep_that_from_answering_in_time():
    async with directories([1], [2], [3], Silent()) as (asker, *_):
        seconds, found = await answer_after(asker, wide(3))
        assert 3 <= seconds < 4
        assert found == ["c0", "c1", "c2"]


async def test_who_wants_the_answer_sooner_gets_it_sooner():
    async with directories([1], Silent()) as (asker, *_):
        seconds, found = await answer_after(asker, wide(1), reply_by=now() + timedelta(seconds=2))
        assert seconds < 2
        assert found == ["c0"]
        seconds, _ = await answer_after(asker, wide(1), reply_by=now() - timedelta(seconds=2))
        assert seconds < 1


async def test_a_directory_that_cannot_be_reached_is_left_out_at_once():
    async with directories([1, 2], []) as (asker, *_):
        seconds, found = await answer_after(asker, wide(1))
        assert seconds < 1
        assert found == ["c0", "c1"]


class Says(MicroAgent):
    """Answers whatever it is asked with the same."""

    def __init__(self, performative, body):
        super().__init__("df")
        self.performative = performative
        self.body = body

    def handle(self, message):
        self.send_nowait(message.make_reply(performative=self.performative, body=self.body))


@pytest.mark.parametrize(
    ("performative", "body"),
    [
        ("inform", "{"),
        ("inform", b"\xff"),
        ("inform", "{}"),
        ("inform", '{"done": "search", "services": [{"agent": "bob"}]}'),
        ("refuse", '{"error": "unauthorised", "message": "no"}'),
        ("failure", ""),
        ("not-understood", "?"),
    ],
)
async def test_a_directory_that_answers_something_else_is_left_out_at_once(performative, body):
    async with directories([1, 2], Says(performative, body), []) as (asker, *_):
        seconds, found = await answer_after(asker, wide(1))
        assert seconds < 1
        assert found == ["c0", "c2"]


async def test_an_answer_of_somebody_else_is_none():
    silent = Silent()
    async with directories([1], silent) as (asker, agent, _):
        asker.tell(wide(1, "guessed"), to=df(0))
        await until_idle()
        forged = encode(Result("search", (ServiceDescription("x@c2.lab.localhost", "forged"),)))
        asker.send_nowait(Message(df(0), body=forged, performative="inform", in_reply_to="guessed"))
        agree = silent.messages[0].make_reply(performative="agree")
        silent.send_nowait(agree)
        await until_idle()
        assert len(agent._federation._pending) == 1
        await asyncio.sleep(6)
        assert names([(message.performative, content(message)) for message in asker.messages]) == ["c0"]


async def test_so_many_searches_may_be_under_way():
    async with directories([1], Silent()) as (asker, *_):
        for _ in range(1001):
            asker.tell(wide(1), to=df(0))
        await until_idle()
        ((performative, said),) = asker.heard()
        assert (performative, said["error"]) == ("failure", "internal-error")
        assert "try again later" in said["message"]
        await asyncio.sleep(6)
        assert len(asker.messages) == 1000


async def test_a_directory_that_closes_answers_with_what_it_has():
    async with directories([1], Silent()) as (asker, agent, _):
        asker.tell(wide(1), to=df(0))
        await until_idle()
        await agent.close()
        await until_idle()
        assert names([(message.performative, content(message)) for message in asker.messages]) == ["c0"]
