"""Whatever an agent does: it moves or says why not, and gets each message once."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st
from tests.property.searches import at_first
from tests.unit.mobility.travellers import HERE, hand_over

from formicary import Agent, Container, CyclicBehaviour, Limits, Message, OneShotBehaviour, Template
from formicary.errors import MoveError
from formicary.testing import run_virtual, until_idle

ME = __name__


class Seen(msgspec.Struct):
    pause: float
    timeout: float | None
    bodies: list[str] = []


class Works(CyclicBehaviour):
    """Receives in one of several ways, and then works for a while."""

    data: Seen

    def __init__(self, performative, pause, timeout):
        super().__init__()
        self.template = Template(performative=performative) if performative else None
        self.data = Seen(pause, timeout)

    async def run(self):
        message = await self.receive(self.data.timeout)
        if message is None:
            if not self.data.timeout:
                await asyncio.sleep(0.05)
            return
        self.data.bodies.append(message.body)
        if self.data.pause:
            await asyncio.sleep(self.data.pause)


class Sends(OneShotBehaviour):
    def __init__(self, plan):
        super().__init__()
        self.plan = plan
        self.sent = []

    async def run(self):
        for number, (pause, performative) in enumerate(self.plan):
            if pause:
                await asyncio.sleep(pause)
            body = f"{self.agent.name}-{number}"
            self.sent.append((body, performative))
            await self.send(Message(to="alice@c1.lab.localhost", body=body, performative=performative))


pauses = st.sampled_from([0, 0, 0, 0.01, 0.1])
performatives = st.sampled_from(["a", "b"])
behaviours = st.lists(
    st.tuples(
        st.sampled_from([None, "a", "b"]),
        st.sampled_from([0, 0.01, 0.3]),
        st.sampled_from([None, 0, 0.05, 100.0]),
    ),
    min_size=1,
    max_size=3,
)
senders = st.lists(st.lists(st.tuples(pauses, performatives), max_size=30), min_size=1, max_size=3)
moves = st.lists(
    st.tuples(
        st.sampled_from([0, 0.001, 0.05, 0.5]),  # before it
        st.sampled_from([0, 0.02, 0.3]),  # in transit
        st.sampled_from([True, True, False]),  # whether the agent is active
    ),
    max_size=6,
)


async def play(behaviours, plans, moves, limit):
    """Return what each behaviour got, what was sent, and what failed."""
    options: Any = {"accepts": [HERE, ME], "limits": Limits(mailbox=limit)}
    async with Container("c1", **options) as c1, Container("c2", **options) as c2:
        alice = Agent("alice")
        for each in behaviours:
            alice.add_behaviour(Works(*each))
        await c1.start(alice)
        sends = []
        for number, plan in enumerate(plans):
            sender, behaviour = Agent(f"s{number}"), Sends(plan)
            sender.add_behaviour(behaviour)
            await c1.start(sender)
            sends.append(behaviour)
        places = [c1, c2]
        for pause, transit, is_active in moves:
            await asyncio.sleep(pause)
            if not is_active:
                alice.suspend()
            try:
                alice = await hand_over(alice, *places, transit=transit)
            except MoveError:
                assert not is_active  # in the middle of something, and kept there
            else:
                places.reverse()
            if not is_active:
                alice.resume()
        for behaviour in sends:
            await behaviour.join()
        await asyncio.sleep(60)
        await until_idle() if all(timeout is None for _, _, timeout in behaviours) else None
        failed = [letter for each in (c1, c2) for letter in each.dead_letters]
        received = [each.data.bodies for each in alice.behaviours]
        await alice.stop()
        return received, [behaviour.sent for behaviour in sends], failed


def wanted_by(performative, sent):
    return [body for body, given_performative in sent if performative in {None, given_performative}]


@at_first(40)
@given(behaviours, senders, moves)
def test_each_message_is_received_once_and_in_order(behaviours, plans, moves):
    received, sent, failed = run_virtual(play(behaviours, plans, moves, 0))
    for (performative, _, _), bodies in zip(behaviours, received, strict=True):
        for number, messages in enumerate(sent):
            own = [body for body in bodies if body.startswith(f"s{number}-")]
            assert own == wanted_by(performative, messages)
    unwanted = [
        body
        for messages in sent
        for body, given_performative in messages
        if not any(performative in {None, given_performative} for performative, _, _ in behaviours)
    ]
    to_alice = [each.message.body for each in failed if each.message.performative != "failure"]
    assert sorted(to_alice) == sorted(unwanted)


@at_first(40)
@given(behaviours, senders, moves)
@example(  # it moves on at once, with what it has brought along for one of two behaviours
    [(None, 0.01, None), (None, 0, None)],
    [[(0, "a"), (0, "a"), (0.01, "a")], [(0, "a"), (0, "a")]],
    [(0, 0.02, True), (0, 0, True)],
)
def test_with_little_room_each_message_is_received_once_or_fails(behaviours, plans, moves):
    received, sent, failed = run_virtual(play(behaviours, plans, moves, 2))
    has_failed = {each.message.body for each in failed}
    for (performative, _, _), bodies in zip(behaviours, received, strict=True):
        assert len(set(bodies)) == len(bodies)
        everything = {body for messages in sent for body in wanted_by(performative, messages)}
        assert set(bodies) <= everything
        assert everything - set(bodies) <= has_failed
