"""Whatever others do, a conversation reaches an end of its protocol in time, and leaves nothing behind.

Participants are puppets that say anything, late, twice, for others, out of order, or end; the tables are also
tested with both roles over a channel that loses, delays and reorders.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formicary import Agent, Container, CyclicBehaviour, Message
from formicary.errors import ConversationError
from formicary.protocols.dialogue import Dialogue, Inbox
from formicary.protocols.standard import ALL
from formicary.testing import run_virtual

PERFORMATIVES = sorted({step.performative for protocol in ALL for step in protocol.steps})
ACTS = st.lists(
    st.tuples(
        st.sampled_from([*PERFORMATIVES, "not-understood", "cancel", "end", "sleep", "forge", None]),
        st.floats(0, 4),
    ),
    max_size=6,
)


class Puppet(CyclicBehaviour):
    """Performs its acts in sequence after the first message."""

    def __init__(self, acts):
        super().__init__()
        self.acts = deque(acts)

    async def run(self):
        message = await self.receive()
        while self.acts:
            act, seconds = self.acts.popleft()
            if act == "sleep":
                await asyncio.sleep(seconds)
            elif act == "end":
                await self.agent.stop()
                return
            elif act == "forge":
                forged = Message(to=message.sender, performative="inform", in_reply_to="nothing-1")
                await self.send(forged)
            elif message.sender is not None:
                await self.reply(message, performative=act, body="1")


async def puppets(container, scripts):
    for number, acts in enumerate(scripts):
        agent = Agent(f"p{number}")
        agent.add_behaviour(Puppet(acts))
        await container.start(agent)
    return [f"p{number}" for number in range(len(scripts))]


@settings(max_examples=60, deadline=None)
@given(ACTS, st.sampled_from(["request", "query_if", "propose", "request_when", "broker", "recruit"]))
def test_one_question_has_one_result_in_time(acts, verb):
    async def main():
        async with Container("c1") as container:
            (name,) = await puppets(container, [acts])
            asker = Agent("asker")
            await container.start(asker)
            with suppress(ConversationError):
                answer = await getattr(asker, verb)(name, "x", timeout=5)
                assert answer.performative in {"inform", "accept-proposal"}
            assert asyncio.get_running_loop().time() <= 5.01
            assert asker.conversations.expected == {}

    run_virtual(main())


@settings(max_examples=60, deadline=None)
@given(st.lists(ACTS, min_size=1, max_size=4), st.booleans())
def test_a_contract_net_ends_in_time_and_knows_of_every_bidder(scripts, awards):
    async def main():
        async with Container("c1") as container:
            names = await puppets(container, scripts)
            asker = Agent("asker")
            await container.start(asker)
            async with asker.contract_net(names, "x", timeout=3) as net:
                bids = [bid async for bid in net.bids]
                assert asyncio.get_running_loop().time() <= 3.01
                senders = [bid.sender for bid in bids]
                assert len(set(senders)) == len(senders)
                known = {*senders, *net.missing, *net.refused, *net.failed}
                assert known == {f"{name}@c1.lab.localhost" for name in names}
                for bid in bids if awards else ():
                    with suppress(ConversationError):
                        assert (await net.award(bid, timeout=2)).performative == "inform"
            assert asker.conversations.expected == {}

    run_virtual(main())


class _Quiet:
    """The part of one side's conversations that a dialogue's pure part needs."""

    platform = "lab.localhost"
    address = None


@pytest.mark.parametrize("protocol", ALL, ids=lambda protocol: f"{protocol.name} {protocol.opening}")
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_both_roles_follow_the_table_over_any_channel(protocol, seed):
    chance = random.Random(seed)
    names = {"initiator": "a@c1.lab.localhost", "participant": "b@c1.lab.localhost"}
    others = {"initiator": "participant", "participant": "initiator"}
    sides = {
        role: Dialogue(_Quiet(), protocol, role == "initiator", names[others[role]], "n", "c", Inbox(None))
        for role in names
    }
    channel = {role: [] for role in names}
    for _ in range(60):
        role = chance.choice(list(names))
        side = sides[role]
        can_say = protocol.can_say(side.state, role)
        match chance.randrange(6):
            case 0 | 1 if can_say:
                message = side.say(chance.choice(can_say)).replace(sender=names[role])
                channel[others[role]].append(message)
            case 2 | 3 if channel[role]:
                message = channel[role].pop(chance.choice([0, -1]))  # in order, or not
                before = side.state
                why = side.hear(message)
                after = protocol.next.get((before, others[role], message.performative))
                assert (side.state, why is None) == (after or before, after is not None)
            case 4 if channel[role]:
                channel[role].pop()  # lost
            case 5 if side.state in protocol.after_time and chance.random() < 0.2:
                side.expire()
                assert side.state in protocol.ends
    for role, side in sides.items():
        assert side.state in protocol.states
        if side.is_over:
            assert protocol.can_say(side.state, role) == []
