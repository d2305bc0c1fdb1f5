"""A feed of containers in one process, in virtual time."""

import asyncio

import pytest
from tests.unit.mobility.travellers import HERE, Shopper

from formicary import Agent, Container, CyclicBehaviour, Message, OneShotBehaviour, Services
from formicary.core.errors import UnknownAgentError, UsageError
from formicary.live.joined import JoinedFeed
from formicary.live.view import View
from formicary.observe.events import AgentSeen, Figures, Filters, LeftOut, MessageSeen
from formicary.observe.recording import Recording
from formicary.testing import MemoryNetwork, run_virtual


class Echo(CyclicBehaviour):
    async def run(self):
        await self.reply(await self.receive())


class Ask(OneShotBehaviour):
    async def run(self):
        await self.send(Message(to="bob@c2", body="hello", performative="request", conversation_id="talk"))
        await self.receive()


def echo(name):
    agent = Agent(name)
    agent.add_behaviour(Echo())
    return agent


async def first(feed, kind, is_wanted=lambda _: True):
    async for batch in feed:
        for event in batch:
            if isinstance(event, kind) and is_wanted(event):
                return event
    raise AssertionError("the feed has ended")


def in_platform(test, **options):
    async def main():
        network = MemoryNetwork()
        async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
            await c1.start(echo("ann"))
            await c2.start(echo("bob"))
            async with JoinedFeed(c1, **options) as feed:
                await test(feed, c1, c2)

    run_virtual(main())


async def until(feed, is_enough):
    """Collect events until a condition holds; return all of them."""
    events = []
    async for batch in feed:
        events += batch
        if is_enough(events):
            return events
    raise AssertionError("the feed has ended")


def agents_of(events):
    return {
        (agent.name.partition("@")[0], agent.container, agent.state)
        for event in events
        if isinstance(event, Figures)
        for agent in event.agents
    }


def test_figures_have_all_containers_and_agents():
    async def test(feed, c1, c2):
        events = await until(feed, lambda events: len(agents_of(events)) == 2)
        assert agents_of(events) == {("ann", "c1", "active"), ("bob", "c2", "active")}

    in_platform(test)


def test_later_figures_have_only_what_has_changed():
    async def test(feed, c1, c2):
        await until(feed, lambda events: len(agents_of(events)) == 2)
        await c2.management.suspend("bob")
        await c1.management.kill("ann")
        events = await until(feed, lambda events: any(getattr(each, "gone", ()) for each in events))
        assert agents_of(events) <= {("bob", "c2", "suspended")}
        (gone,) = [each.gone for each in events if isinstance(each, Figures) and each.gone]
        assert gone == (f"ann@{c1.domain}",)
        assert [(each.name, each.state) for each in events if isinstance(each, AgentSeen)] == [
            (f"ann@{c1.domain}", "ended")
        ]

    in_platform(test)


def test_messages_between_containers_are_seen_once_where_they_arrive():
    async def test(feed, c1, c2):
        asker = Agent("asker")
        asker.add_behaviour(Ask())
        await first(feed, Figures)
        await c1.start(asker)
        events = await until(feed, lambda events: len([e for e in events if isinstance(e, MessageSeen)]) >= 2)
        question, answer = [event for event in events if isinstance(event, MessageSeen)]
        assert (question.sender, question.receiver, question.container, question.body) == (
            f"asker@{c1.domain}",
            f"bob@{c2.domain}",
            "c2",
            "hello",
        )
        assert (question.conversation, question.performative, question.waited) == ("talk", "request", 0.0)
        assert (answer.sender, answer.container, answer.conversation) == (question.receiver, "c1", "talk")
        assert [(each.shown, each.left_out) for each in events if isinstance(each, LeftOut)] == [(1, 0)] * 2

    in_platform(test)


def test_a_view_that_has_gone_costs_nothing_after_some_seconds():
    async def main():
        async with Container("c1") as c1:
            await c1.start(echo("ann"))
            async with JoinedFeed(c1) as feed:
                await first(feed, Figures)
                assert c1.dispatcher.observers
            assert not c1.dispatcher.observers
            await c1.management.watch("c1", "another", Filters(), 10)
            await asyncio.sleep(4)
            assert c1.dispatcher.observers
            await asyncio.sleep(2)
            assert not c1.dispatcher.observers
            assert not c1.dispatcher.routes

    run_virtual(main())


@pytest.mark.parametrize("slow", ["c1", "c2"])
def test_an_agent_that_moves_is_seen_where_it_is_whoever_tells_first(slow, monkeypatch):
    async def main():
        network = MemoryNetwork()
        async with (
            Container("c1", server=network) as c1,
            Container("c2", server=network, accepts=[HERE], services=Services(main="c1")) as c2,
        ):
            watch = c1.management.watch

            async def late(domain, *arguments, **options):
                seen = await watch(domain, *arguments, **options)
                await asyncio.sleep(1.5 if domain.startswith(slow) else 0)
                return seen

            monkeypatch.setattr(c1.management, "watch", late)
            await c1.start(Shopper("ann"))
            view = View()
            async with JoinedFeed(c1) as feed:
                for _ in range(60):
                    view.take(await anext(feed))
                assert [agent.container for agent in view.agents.values()] == ["c1"]
                await c1.management.move("ann", "c2")
                assert [agent.name for agent in c2.agents] == ["ann"]
                for _ in range(120):
                    view.take(await anext(feed))
                assert [(each.container, each.state) for each in view.agents.values()] == [("c2", "active")]

    run_virtual(main())


def test_a_view_that_may_only_look_does_nothing():
    async def test(feed, c1, c2):
        with pytest.raises(UsageError, match="--allow act to kill"):
            await feed.act("kill", agent="ann@c1")
        assert len(c1.agents) == 1

    in_platform(test)


def test_what_is_done_in_a_view_is_done_by_management():
    async def test(feed, c1, c2):
        await feed.act("suspend", agent="bob@c2")
        assert c2.agents[0].state.value == "suspended"
        await feed.act("resume", agent="bob@c2")
        await feed.act("kill", agent="bob@c2")
        assert not c2.agents
        with pytest.raises(UnknownAgentError):
            await feed.act("kill", agent="bob@c2")
        with pytest.raises(UsageError, match="requires agent"):
            await feed.act("kill")

    in_platform(test, may_act=True)


def test_a_message_can_be_sent():
    async def test(feed, c1, c2):
        await feed.act("send", to="bob@c2", body="hello")
        await first(feed, Figures)
        assert [agent.name for agent in c1.agents] == ["ann", "viewer"]
        with pytest.raises(UsageError, match="failed with these arguments"):
            await feed.act("send", to="bob@c2", colour="red")

    in_platform(test, may_act=True)


def test_pausing_gives_no_figures():
    async def test(feed, c1, c2):
        feed.pause()
        batches = aiter(feed)
        assert not any([await anext(batches) for _ in range(20)])
        feed.resume()
        assert await first(feed, Figures)

    in_platform(test)


def test_what_is_seen_can_be_recorded(tmp_path):
    path = tmp_path / "shop.formicary"

    async def test(feed, c1, c2):
        asker = Agent("asker")
        asker.add_behaviour(Ask())
        await first(feed, Figures)
        await c1.start(asker)
        await until(feed, lambda events: len([e for e in events if isinstance(e, MessageSeen)]) >= 2)

    in_platform(test, record=path)
    with Recording(path) as recording:
        assert [message.performative for message in recording.conversation("talk", 10)] == [
            "request",
            "inform",
        ]
        assert {each.name.partition("@")[0] for each in recording.state(recording.span[1]).agents} == {
            "ann",
            "asker",
            "bob",
        }
