"""Both roles of every protocol, over paths that lose, double, delay or reorder messages.

Each says what its table allows in its own state of the conversation, and may end in the middle.
"""

from __future__ import annotations

import asyncio
import random
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formicary import Agent, Container, Services
from formicary.errors import ConversationError, FormicaryError, ProtocolError
from formicary.protocols import Inform, Say, responds
from formicary.protocols.standard import ALL
from formicary.testing import run_virtual

STAGES = {(protocol.name, protocol.opening): protocol.asked for protocol in ALL} | {
    (protocol.name, "cfp"): protocol.stages["called"] for protocol in ALL if "called" in protocol.stages
}
"""In which state the conversation is when a function is called with a message."""
META = {"not-understood", "cancel"}


class Faulty(dict):
    """A container's faulty paths."""

    chance = random.Random()
    is_faulty = True

    def get(self, key, default=None):
        deliver = super().get(key, default)
        if deliver is None or not self.is_faulty:
            return deliver
        loop = asyncio.get_running_loop()

        def faulty(message):
            match self.chance.randrange(12):
                case 0:
                    return None  # lost
                case 1 | 2 | 3:
                    loop.call_later(self.chance.uniform(0, 2), deliver, message)
                    return None
                case 4:
                    loop.call_later(self.chance.uniform(0, 2), deliver, message)
            return deliver(message)

        return faulty


class Player(Agent):
    """Takes part in everything, at random."""

    chance = random.Random()

    @responds(*ALL)
    async def play(self, message):
        stage = STAGES[message.protocol, message.performative]
        while not stage.is_end:
            await asyncio.sleep(self.chance.choice([0, 0, 1]))
            if self.chance.random() < 0.05:
                await self.stop()
            said = self.chance.choice(sorted(stage.by_participant.keys() - META) or [None])
            heard = yield Inform() if said is None else Say(said, "1")
            stage = stage.by_participant.get(said, stage)
            if heard is not None:
                stage = stage.by_initiator.get(heard.performative, stage)


async def lead(agent, protocol, chance):
    """Hold a random conversation; return its final state here."""
    async with agent.converse(protocol, "player", timeout=3) as talk:
        with suppress(ConversationError, TimeoutError):
            await talk.send(protocol.opening, "1")
            for _ in range(8):
                stage = protocol.stages[talk.state]
                if stage.is_end:
                    break
                sayable = sorted(stage.by_initiator.keys() - META)
                if sayable and (not stage.by_participant.keys() - META or chance.random() < 0.5):
                    await talk.send(chance.choice(sayable), "1")
                else:
                    async with asyncio.timeout(4):
                        await talk.receive()
        return talk.state


@pytest.mark.parametrize("rules", ["strict", "lenient"])
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(ALL))
def test_each_conversation_ends_in_a_state_of_its_table_and_leaves_nothing(rules, seed, protocol):
    async def main():
        chance = Faulty.chance = Player.chance = random.Random(seed)
        async with Container("c1", services=Services(conversation_rules=rules)) as container:
            container.dispatcher.routes = ways = Faulty()
            await container.start(player := Player("player"))
            await container.start(agent := Agent("leader"))
            states = await asyncio.gather(
                *(lead(agent, protocol, chance) for _ in range(4)), return_exceptions=True
            )
            for state in states:
                if isinstance(state, BaseException):
                    assert isinstance(state, FormicaryError)
                    assert not isinstance(state, ProtocolError), "what is in the table was refused"
                else:
                    assert state in protocol.stages
            assert asyncio.get_running_loop().time() < 60
            assert agent.conversations.expected == {}
            assert player.failures == agent.failures == 0, player.last_failure
            # Over good paths, the remaining agents are not harmed by any of that.
            ways.is_faulty = False
            await asyncio.sleep(5)
            if player.state.value == "active":
                assert await lead(agent, protocol, chance) in protocol.stages

    run_virtual(main())
