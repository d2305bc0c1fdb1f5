"""Which behaviours want a message: found once for each kind, and always what the templates say."""

from __future__ import annotations

import pytest
from msgspec.structs import force_setattr

from formicary import Agent, Container, CyclicBehaviour, Limits, Message, MicroAgent, Template
from formicary.core.choice import Choice
from formicary.testing import until_idle

pytestmark = pytest.mark.virtual_clock


class Sender(MicroAgent):
    def handle(self, message):
        """Take what comes back."""


class Keep(CyclicBehaviour):
    def __init__(self):
        super().__init__()
        self.kept = []

    async def run(self):
        self.kept.append((await self.receive()).body)


class Asked(Template):
    """A template of the user's own, which counts how often it is asked."""

    asked = 0

    def __init__(self):
        super().__init__()
        self.match = self.matches

    def matches(self, message):
        self.asked += 1
        return message.performative == "cfp"


async def delivered(templates, messages):
    """Return what behaviours with these templates receive, each; and the bodies of the dead letters."""
    async with Container("c1") as container:
        agent = Agent("a")
        behaviours = [Keep() for _ in templates]
        for behaviour, template in zip(behaviours, templates, strict=True):
            agent.add_behaviour(behaviour, template)
        await container.start(agent)
        sender = Sender("sender")
        await container.start(sender)
        for message in messages:
            await sender.send(message)
        await until_idle()
        return [each.kept for each in behaviours], [each.message.body for each in container.dead_letters]


def told(number, **values):
    return Message(to="a", body=str(number), **values)


async def test_each_behaviour_receives_what_its_template_takes_also_the_second_time():
    templates = [
        Template(performative="request"),
        Template(performative="request") & Template(protocol="p"),
        ~Template(performative="request"),
    ]
    kinds = [{"performative": "request"}, {"performative": "request", "protocol": "p"}, {"protocol": "p"}, {}]
    messages = [told(number, **kinds[number % 4]) for number in range(8)]
    kept, dead = await delivered(templates, messages)
    assert kept == [["0", "1", "4", "5"], ["1", "5"], ["2", "3", "6", "7"]]
    assert not dead


async def test_what_nobody_wants_is_a_dead_letter_each_time():
    templates = [Template(performative="request"), Template(protocol="p")]
    kept, dead = await delivered(templates, [told(number, performative="inform") for number in range(3)])
    assert kept == [[], []]
    assert dead == ["0", "1", "2"]


async def test_metadata_and_receivers_tell_messages_apart():
    templates = [Template(metadata={"x": "1"}), Template(to="b@c1.lab.localhost"), Template(metadata={})]
    messages = [
        told(0, metadata={"x": "1"}),
        told(1, metadata={"x": "2"}),
        Message(to=("a", "b"), body="2"),
        told(3, metadata={"x": "1", "y": "2"}),
    ]
    kept, _ = await delivered(templates, messages)
    assert kept == [["0", "3"], ["2"], ["0", "1", "2", "3"]]


async def test_so_many_kinds_that_they_are_not_remembered():
    templates = [Template(in_reply_to="7"), ~Template(in_reply_to="7")]
    messages = [told(number, in_reply_to=str(number % 500)) for number in range(1000)]
    kept, _ = await delivered(templates, messages)
    assert kept[0] == ["7", "507"]
    assert kept[1] == [str(number) for number in range(1000) if number % 500 != 7]


async def test_a_template_of_the_users_own_is_asked_for_each_message():
    own = Asked()
    kept, _ = await delivered([own, ~Template()], [told(n, performative="cfp") for n in range(3)])
    assert kept == [["0", "1", "2"], []]
    assert own.asked == 3


async def test_a_parameter_that_cannot_be_looked_up_is_only_compared():
    templates = [Template(thread="t"), ~Template(thread="t")]
    messages = [told(0), told(1)]
    for message in messages:
        force_setattr(message, "thread", [])  # as only a message could have that was not looked at in full
    kept, _ = await delivered(templates, messages)
    assert kept == [[], ["0", "1"]]


async def test_templates_are_asked_once_for_messages_of_a_kind():
    async with Container("c1") as container:
        agent = Agent("a")
        asked = []
        for wanted in ("request", "cfp"):
            keep = Keep()
            agent.add_behaviour(keep, Template(performative=wanted))
            match = keep.mailbox.matches
            keep.mailbox.matches = lambda message, match=match: asked.append(message.body) or match(message)
        await container.start(agent)
        entrance = Choice(agent).accept
        for number in range(5):
            assert not entrance(told(number, performative="cfp"))
        assert asked == ["0", "0"]
        await until_idle()


async def test_a_mailbox_that_is_full_is_told_by_the_remembered_way():
    async with Container("c1", limits=Limits(mailbox=1)) as container:
        agent = Agent("a")
        agent.add_behaviour(Keep(), Template(performative="request"))
        agent.add_behaviour(Keep(), Template(performative="cfp"))
        await container.start(agent)
        await until_idle()
        agent.suspend()
        entrance = Choice(agent).accept
        results = [entrance(told(number, performative="cfp")) for number in range(3)]
        assert [bool(full) for full in results] == [False, True, True]
        assert str(results[1][0]) == "the mailbox of behaviour Keep of agent a"


async def test_behaviours_that_are_added_later_get_what_they_want():
    async with Container("c1") as container:
        agent = Agent("a")
        first, second = Keep(), Keep()
        agent.add_behaviour(first, Template(performative="request"))
        agent.add_behaviour(Keep(), Template(performative="cfp"))
        await container.start(agent)
        await first.send(told(0, performative="request"))
        agent.add_behaviour(second)
        await until_idle()
        await first.send(told(1, performative="request"))
        await until_idle()
        assert (first.kept, second.kept) == (["0", "1"], ["1"])
