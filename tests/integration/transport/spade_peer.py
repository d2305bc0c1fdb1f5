"""A stock SPADE agent, in a process of its own: SPADE's deprecation warnings are its own business.

Arguments: address, password, port, and whom to ask, or nothing. It reports each message that it gets as a
line of JSON, and answers it unless it is an answer.
"""

from __future__ import annotations

import asyncio
import json
import sys

from spade.agent import Agent
from spade.behaviour import CyclicBehaviour, OneShotBehaviour
from spade.message import Message

ADDRESS, PASSWORD, PORT, *PARTNER = sys.argv[1:]


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def report(message):
    values = {
        "sender": str(message.sender),
        "to": str(message.to),
        "body": message.body,
        "thread": message.thread,
        "metadata": message._metadata,
    }
    say(json.dumps(values))


class Answer(CyclicBehaviour):
    async def run(self):
        message = await self.receive(timeout=1)
        if message is not None:
            report(message)
            if message.get_metadata("performative") == "request":
                reply = message.make_reply()
                reply.body = f"{message.body}!"
                reply.set_metadata("performative", "inform")
                await self.send(reply)


class Ask(OneShotBehaviour):
    async def run(self):
        metadata = {
            "performative": "request",
            "ontology": "o",
            "conversation-id": "c",
            "reply-with": "r",
            "colour": "blue & <green>",
        }
        await self.send(Message(to=PARTNER[0], body="ask é\n<&>", thread="t1", metadata=metadata))


async def main():
    agent = Agent(ADDRESS, PASSWORD, port=int(PORT), verify_security=False)
    agent.add_behaviour(Answer())
    await agent.start(auto_register=False)
    agent.presence.set_available()
    await agent.client.get_roster()  # the server answers in order: by now it knows that the agent is there
    say("ready")
    if PARTNER:
        agent.add_behaviour(Ask())
    await asyncio.to_thread(sys.stdin.read)
    await agent.stop()


if __name__ == "__main__":
    asyncio.run(main())
