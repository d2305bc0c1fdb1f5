"""Messages for an agent that is at rest."""

from __future__ import annotations

from formicary import AgentState, Message
from formicary.delivery.dead_letters import failure_of
from formicary.delivery.held import HeldMessages

ALICE = "alice@c1.lab.localhost"


def test_what_tells_of_failures_finds_room_where_nothing_else_does():
    held = HeldMessages(ALICE, 2, AgentState.ACTIVE)
    messages = [Message(to=ALICE, sender="bob@c1.lab.localhost", body=str(number)) for number in range(3)]
    assert [held.put(message) for message in messages] == [True, True, False]
    own = Message(to="bob@c1.lab.localhost", sender=ALICE, body="4")
    failure = failure_of(own, "ams@c1.lab.localhost", "bob@c1.lab.localhost", "it is gone")
    assert held.accept(failure) is None
    assert held.accept(messages[2]) == (held,)
    assert list(held.end()) == [*messages[:2], failure]
