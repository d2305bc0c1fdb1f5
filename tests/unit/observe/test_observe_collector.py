"""What a container collects while somebody watches it, on virtual time."""

import asyncio
import gc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formicary import Agent, Container, CyclicBehaviour, Instrument, Message, OneShotBehaviour, Template
from formicary.core.choice import Choice
from formicary.core.errors import UsageError
from formicary.core.fsm import FSMBehaviour, State
from formicary.core.mailbox import Mailbox
from formicary.core.micro import MicroAgent, MicroInbox
from formicary.observe.collector import LEASE, MOST_VIEWERS, Collector, Subscription
from formicary.observe.events import DeadLetter, Figures, Filters, LeftOut, MessageSeen, MessageTaken
from formicary.observe.probes import Probe
from formicary.testing import run_virtual, until_idle


class Sink(MicroAgent):
    def handle(self, message):
        pass


class Receive(CyclicBehaviour):
    async def run(self):
        await self.receive()


class Slow(CyclicBehaviour):
    async def run(self):
        await self.receive()
        await asyncio.sleep(1)


class Send(OneShotBehaviour):
    def __init__(self, messages):
        super().__init__()
        self.messages = messages

    async def run(self):
        for message in self.messages:
            await self.send(message)


def agent(name, *behaviours, template=None):
    made = Agent(name)
    for behaviour in behaviours:
        made.add_behaviour(behaviour, template)
    return made


def of_kind(seen, kind):
    return [event for event in seen.events if isinstance(event, kind)]


def collecting(test, **options):
    async def main():
        async with Container("c1", **options) as container:
            await test(container, Collector(container))

    run_virtual(main())


async def send(container, *messages, name="sender"):
    await container.start(agent(name, Send(messages)))
    await until_idle()


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["", "a", "b", "c"])), max_size=60),
    st.integers(1, 20),
)
def test_shown_and_left_out_are_all(messages, most):
    async def test(container, collector):
        for number in range(5):
            await container.start(Sink(f"sink-{number}"))
        collector.ask("viewer", Filters(), most)
        to_send = [Message(to=f"sink-{n}", conversation_id=talk or None) for n, talk in messages]
        await send(container, *to_send)
        seen = collector.ask("viewer", Filters(), most)
        shown = of_kind(seen, MessageSeen)
        assert len(shown) <= most
        assert sum(each.shown for each in of_kind(seen, LeftOut)) == len(shown)
        assert sum(each.shown + each.left_out for each in of_kind(seen, LeftOut)) == len(messages)
        collector.close()

    collecting(test)


@pytest.mark.parametrize("with_instrument", [False, True])
def test_a_message_is_seen_with_all_that_it_says(with_instrument):
    async def test(container, collector):
        if with_instrument:  # then messages go the long way
            container.add_instrument(Instrument())
        await container.start(agent("ann", Receive()))
        collector.ask("viewer", Filters(), 10)
        await send(
            container,
            Message(
                to="ann",
                body="é" * 3000,
                performative="request",
                protocol="fipa-request",
                thread="talk",
                reply_with="r",
                in_reply_to="i",
                language="json",
                ontology="o",
            ),
        )
        (message,) = of_kind(collector.ask("viewer", Filters(), 10), MessageSeen)
        assert (message.sender, message.receiver) == ("sender@c1.lab.localhost", "ann@c1.lab.localhost")
        assert message.body == "é" * 2000
        assert message.size == 3000
        assert (message.performative, message.protocol, message.conversation) == (
            "request",
            "fipa-request",
            "talk",
        )
        assert (message.reply_with, message.in_reply_to, message.language, message.ontology) == (
            "r",
            "i",
            "json",
            "o",
        )
        assert (message.container, message.waited, message.outcome) == ("c1", 0.0, "delivered")
        collector.close()

    collecting(test)


def test_how_long_a_message_waits_is_told_when_it_is_received():
    async def test(container, collector):
        await container.start(agent("ann", Slow()))
        collector.ask("viewer", Filters(), 10)
        await send(container, Message(to="ann", body="1"), Message(to="ann", body="2"))
        first, second = of_kind(collector.ask("viewer", Filters(), 10), MessageSeen)
        assert (first.waited, second.waited) == (0.0, None)
        assert not of_kind(collector.ask("viewer", Filters(), 10), MessageTaken)
        await asyncio.sleep(1.5)
        (taken,) = of_kind(collector.ask("viewer", Filters(), 10), MessageTaken)
        assert (taken.number, taken.container) == (second.number, "c1")
        assert 1.0 <= taken.waited <= 1.6
        collector.close()

    collecting(test)


def test_what_nobody_takes_is_dead_with_its_reason():
    async def test(container, collector):
        await container.start(agent("ann", Receive(), template=Template(performative="inform")))
        collector.ask("viewer", Filters(), 10)
        await send(container, Message(to="ann", performative="request"), Message(to="nobody"))
        seen = collector.ask("viewer", Filters(), 10)
        assert [each.outcome for each in of_kind(seen, MessageSeen) if each.performative == "request"] == [
            "dead"
        ]
        reasons = [letter.reason for letter in of_kind(seen, DeadLetter)]
        assert reasons[:2] == [
            "no behaviour of agent ann takes such a message",
            "no agent named 'nobody' lives in container c1",
        ]
        collector.close()

    collecting(test)


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(conversation="talk"), ["one", "two"]),
        (Filters(performative="inform"), ["two", "three"]),
        (Filters(protocol="fipa-request"), ["one"]),
        (Filters(agent="bob"), ["three"]),
        (Filters(agent="sender"), ["one", "two", "three"]),
        (Filters(agent="BOB"), ["three"]),
        (Filters(agent="Sender"), ["one", "two", "three"]),
        (Filters(text="Tw"), ["two"]),
        (Filters(conversation="talk", performative="inform"), ["two"]),
    ],
)
def test_filters_count_and_show_what_they_let_through(filters, expected):
    async def test(container, collector):
        await container.start(Sink("ann"))
        await container.start(Sink("bob"))
        collector.ask("viewer", filters, 10)
        await send(
            container,
            Message(
                to="ann", body="one", conversation_id="talk", performative="request", protocol="fipa-request"
            ),
            Message(to="ann", body="two", thread="talk", performative="inform"),
            Message(to="bob", body="three", performative="inform"),
        )
        seen = collector.ask("viewer", filters, 10)
        assert [each.body for each in of_kind(seen, MessageSeen)] == expected
        assert [(each.shown, each.left_out) for each in of_kind(seen, LeftOut)] == [(len(expected), 0)]
        collector.close()

    collecting(test)


def test_one_conversation_is_followed_whole_while_others_are_sampled():
    async def test(container, collector):
        for number in range(20):
            await container.start(Sink(f"sink-{number}"))
        many = [Message(to=f"sink-{number % 20}", body=str(number)) for number in range(800)]
        wanted = [Message(to="sink-3", conversation_id="wanted", body=str(number)) for number in range(20)]
        collector.ask("one", Filters(conversation="wanted"), 30)
        collector.ask("all", Filters(), 30)
        await send(
            container, *[each for pair in zip(many[::40], wanted, strict=True) for each in pair], *many
        )
        followed = of_kind(collector.ask("one", Filters(conversation="wanted"), 30), MessageSeen)
        assert [each.body for each in followed] == [str(number) for number in range(20)]
        seen = collector.ask("all", Filters(), 30)
        assert len(of_kind(seen, MessageSeen)) <= 30
        assert sum(each.shown + each.left_out for each in of_kind(seen, LeftOut)) == 840
        collector.close()

    collecting(test)


def test_what_agents_ask_of_their_container_is_shown_with_its_answers():
    async def test(container, collector):
        collector.ask("viewer", Filters(), 10)
        _ = container.management
        await send(container, Message(to="ams", performative="request", body='{"action": "search"}'))
        shown = of_kind(collector.ask("viewer", Filters(), 10), MessageSeen)
        assert [each.receiver.partition("@")[0] for each in shown] == [
            "ams",
            "sender",
            "sender",
        ]
        collector.close()

    collecting(test)


def test_figures_have_behaviours_with_their_states_and_what_waits():
    class Rest(State):
        async def run(self):
            await asyncio.sleep(60)

    async def test(container, collector):
        machine = FSMBehaviour()
        machine.add_state("resting", Rest(), initial=True)
        await container.start(agent("ann", machine))
        await send(container, Message(to="ann"), Message(to="ann"))
        (figures,) = of_kind(collector.ask("viewer", Filters(), 10), Figures)
        (ann,) = [each for each in figures.agents if each.name.startswith("ann@")]
        assert (ann.waiting, ann.kind, ann.state) == (2, "Agent", "active")
        assert [(each.name, each.state, each.waiting) for each in ann.behaviours] == [
            ("FSMBehaviour", "resting", 2)
        ]
        assert (figures.containers[0].name, figures.containers[0].waiting) == ("c1", 2)
        collector.close()

    collecting(test)


def test_only_so_many_may_watch_a_container():
    async def test(container, collector):
        for number in range(MOST_VIEWERS):
            collector.ask(f"viewer-{number}", Filters(), 10)
        with pytest.raises(UsageError, match="8 viewers are already watching container c1"):
            collector.ask("another", Filters(), 10)
        collector.forget("viewer-0")
        assert collector.ask("another", Filters(), 10)
        collector.close()
        assert not container.dispatcher.observers

    collecting(test)


def test_what_passed_before_other_filters_does_not_count():
    async def test(container, collector):
        await container.start(Sink("ann"))
        collector.ask("viewer", Filters(), 10)
        await send(container, Message(to="ann"))
        assert not of_kind(collector.ask("viewer", Filters(text="x"), 10), MessageSeen)
        await send(container, Message(to="ann", body="x"), Message(to="ann"), name="other")
        (counted,) = of_kind(collector.ask("viewer", Filters(text="x"), 10), LeftOut)
        assert (counted.shown, counted.left_out) == (1, 0)
        collector.close()

    collecting(test)


def test_a_conversation_is_followed_by_its_thread_too_and_counted_where_there_is_no_room():
    async def test(container, collector):
        await container.start(agent("ann", Receive()))
        wanted = Filters(conversation="wanted")
        collector.ask("viewer", wanted, 3)
        await send(
            container,
            *(Message(to="ann", body=str(number), thread="wanted") for number in range(8)),
            *(Message(to="ann", conversation_id="other", thread="wanted") for _ in range(5)),
            *(Message(to="ann") for _ in range(5)),
        )
        seen = collector.ask("viewer", wanted, 3)
        assert [each.body for each in of_kind(seen, MessageSeen)] == ["0", "1", "2"]
        assert [(each.shown, each.left_out) for each in of_kind(seen, LeftOut)] == [(3, 5)]
        collector.close()

    collecting(test)


def test_all_of_an_agent_is_left_out_or_shown_whoever_wrote_last():
    async def test(container, collector):
        await container.start(agent("ann", Receive()))
        for name in ("bob", "eve"):
            await container.start(agent(name, Receive()))
        collector.ask("viewer", Filters(), 100)
        probes = next(iter(container.dispatcher.observers)).probes
        marks = {name: probes.marks[f"{name}@c1.lab.localhost"] for name in ("ann", "bob", "eve")}
        low, high = sorted(("bob", "eve"), key=lambda name: marks[name] ^ marks["ann"])
        probes.sampler.threshold = marks[high] ^ marks["ann"]  # now only one of them is shown
        deliver = container.dispatcher.routes.get
        for name in (low, high, high, low, low, high):
            message = Message(to="ann@c1.lab.localhost", sender=f"{name}@c1.lab.localhost", body=name)
            route = deliver("ann@c1.lab.localhost")
            (route or container.dispatcher.dispatch)(message)
        seen = collector.ask("viewer", Filters(), 100)
        assert [each.body for each in of_kind(seen, MessageSeen)] == [low] * 3
        collector.close()

    collecting(test)


@pytest.mark.grid
@pytest.mark.parametrize("filters", [Filters(), Filters(conversation="wanted"), Filters(text="x")])
@pytest.mark.parametrize("end", ["forget", "close", "lease"])
def test_nothing_stays_of_a_viewer_that_has_gone(filters, end):
    def ways(container):
        return {name: (way.__func__, way.__self__) for name, way in container.dispatcher.routes.items()}

    def probes():
        gc.collect()
        return [each for each in gc.get_objects() if isinstance(each, Probe | Subscription)]

    def names(number):
        return [f"{name}@c1.lab.localhost" for name in ("one", "two", "micro")] * number

    async def test(container, collector):
        await container.start(agent("one", Receive(), template=Template(performative="request")))
        await container.start(agent("two", Receive(), Receive()))
        await container.start(Sink("micro"))
        to_send = [Message(to=name, performative="request") for name in names(2)]
        await send(container, *to_send, name="first")
        before = ways(container)
        functions = {name: before[name][0] for name in names(1)}
        assert list(functions.values()) == [Mailbox.accept, Choice.accept, MicroInbox.accept]
        collector.ask("viewer", filters, 10)
        await send(container, *to_send, name="second")
        assert {function.__qualname__.partition(".")[0] for function, _ in ways(container).values()} == {
            "Probe"
        }
        assert probes()
        if end == "forget":
            collector.forget("viewer")
        elif end == "close":
            collector.close()
        else:
            await asyncio.sleep(LEASE + 1)
        await send(container, *to_send, name="third")
        after = ways(container)
        assert {name: after[name][0] for name in names(1)} == functions
        kept = [after[name][1] is before[name][1] for name in names(1)]
        assert kept == [True, False, True]  # the choice among behaviours is made anew, by the same function
        assert not container.dispatcher.observers
        assert not container.dispatcher.is_observed
        assert not probes()

    collecting(test)
