"""Instruments: told of everything, and never in the way."""

from __future__ import annotations

import pytest
from tests.unit.core.agents import Collect, Deaf, do, start

from formicary import Container, Instrument, Limits, Message, MicroAgent, Template
from formicary.testing import MemoryNetwork, until_idle

pytestmark = pytest.mark.virtual_clock


class Log(Instrument):
    def __init__(self):
        self.events = []

    def message_sent(self, message):
        self.events.append(("sent", message.body))

    def message_delivered(self, message, receiver):
        self.events.append(("delivered", message.body, receiver.partition("@")[0]))

    def message_dead(self, letter):
        self.events.append(("dead", letter.message.body, letter.receiver.partition("@")[0]))

    def agent_started(self, agent):
        self.events.append(("started", agent.name))

    def agent_stopped(self, agent):
        self.events.append(("stopped", agent.name))

    def behaviour_ended(self, behaviour, error):
        self.events.append(("ended", behaviour.agent.name, repr(error)))

    def take(self):
        events, self.events = self.events, []
        return events


class Sink(MicroAgent):
    def handle(self, message):
        pass


def sends(*bodies, to="b"):
    async def send(behaviour):
        for body in bodies:
            await behaviour.send(Message(to=to, body=body))

    return do(send)


async def test_each_event_is_told():
    log = Log()
    async with Container("c1") as container:
        container.add_instrument(log)
        await start(container, "b", Collect())
        await container.start(Sink("m"))
        await start(container, "a", sends("x", to=("b", "m")))
        await until_idle()
        assert log.take() == [
            ("started", "b"),
            ("started", "m"),
            ("started", "a"),
            ("sent", "x"),
            ("delivered", "x", "b"),
            ("delivered", "x", "m"),
            ("ended", "a", "None"),
        ]

        async def fail(behaviour):
            raise ValueError("mine")

        await start(container, "f", do(fail))
        await until_idle()
        assert log.take() == [("started", "f"), ("ended", "f", "ValueError('mine')")]
    assert log.take() == [
        ("stopped", "f"),
        ("stopped", "a"),
        ("stopped", "m"),
        ("ended", "b", "None"),
        ("stopped", "b"),
    ]


async def test_a_dead_letter_is_told_as_that_alone_and_so_is_the_failure():
    log = Log()
    async with Container("c1") as container:
        container.add_instrument(log)
        await start(container, "a", sends("x", to="nobody"), Collect())
        strict = Collect()
        strict.template = Template(thread="t")
        await start(container, "b", strict)
        await until_idle()
        log.take()
        says = sends("y")
        says.template = Template(thread="t")
        await start(container, "c", says, Collect())
        await until_idle()
        reason = "no behaviour of agent b takes such a message"
        assert log.take() == [
            ("started", "c"),
            ("sent", "y"),
            ("dead", "y", "b"),
            ("sent", reason),
            ("delivered", reason, "c"),
            ("ended", "c", "None"),
        ]


async def test_a_message_that_had_to_wait_is_told_when_it_is_delivered():
    log = Log()
    async with Container("c1", limits=Limits(mailbox=1)) as container:
        container.add_instrument(log)
        collect = Collect()
        agent = await start(container, "b", collect)
        await until_idle()
        agent.suspend()
        await start(container, "a", sends("x", "y"))
        await until_idle()
        assert ("delivered", "y", "b") not in log.events
        agent.resume()
        await until_idle()
        assert [event for event in log.events if event[0] == "delivered"] == [
            ("delivered", "x", "b"),
            ("delivered", "y", "b"),
        ]


async def test_what_comes_from_another_container_is_told_there():
    network = MemoryNetwork()
    logs = Log(), Log()
    async with Container("c1", server=network) as c1, Container("c2", server=network) as c2:
        await start(c2, "b", Collect())
        c1.add_instrument(logs[0])
        c2.add_instrument(logs[1])
        await start(c1, "a", sends("x", to="b@c2"))
        await until_idle()
        assert logs[0].take() == [("started", "a"), ("sent", "x"), ("ended", "a", "None")]
        assert logs[1].take() == [("delivered", "x", "b")]


async def test_it_can_be_added_and_removed_at_any_time():
    log, other = Log(), Log()
    async with Container("c1") as container:
        collect = Collect()
        await start(container, "b", collect)
        talker = await start(container, "a")

        async def say(body):
            behaviour = sends(body)
            talker.add_behaviour(behaviour)
            await behaviour.join()
            await until_idle()

        await say("1")
        container.add_instrument(log)
        await say("2")
        container.add_instrument(other)
        await say("3")
        container.remove_instrument(log)
        container.remove_instrument(log)
        late = Collect()
        await start(container, "late", late)
        await say("4")
        container.remove_instrument(other)
        await say("5")
        latest = sends("6", to=("late", "b"))
        talker.add_behaviour(latest)
        await latest.join()
        await until_idle()
        assert collect.bodies == list("123456")
        assert late.bodies == ["6"]
        assert [event[1] for event in log.events if event[0] == "sent"] == ["2", "3"]
        assert [event[1] for event in other.events if event[0] == "delivered"] == ["3", "4"]


@pytest.mark.parametrize(
    "event",
    [
        "message_sent",
        "message_delivered",
        "message_dead",
        "agent_started",
        "agent_stopped",
        "behaviour_ended",
    ],
)
async def test_an_instrument_that_raises_is_taken_out_and_the_rest_goes_on(event, caplog):
    class Broken(Instrument):
        times = 0

    def fail(*_):
        broken.times += 1
        raise ValueError("mine")

    broken, log = Broken(), Log()
    setattr(broken, event, fail)
    async with Container("c1") as container:
        container.add_instrument(broken)
        container.add_instrument(log)
        collect = Collect()
        for number in range(2):
            agent = await start(container, f"b{number}", collect if number else Deaf())
            await start(container, f"a{number}", sends("x", to=(f"b{number}", "nobody")))
            await until_idle()
            if not number:
                await agent.stop()
        assert broken.times == 1
        assert container.dispatcher.instruments == (log,)
        assert collect.bodies == ["x"]
        assert ("delivered", "x", "b1") in log.events
    assert f"failed at {event} and was removed" in caplog.text


async def test_an_instrument_that_defines_nothing_is_told_of_nothing_and_harms_nobody():
    async with Container("c1") as container:
        container.add_instrument(Instrument())
        collect = Collect()
        await start(container, "b", collect)
        await start(container, "a", sends("x", to=("b", "nobody")))
        await until_idle()
        assert collect.bodies == ["x"]
