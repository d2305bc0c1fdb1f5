"""A stock SPADE agent that has conversations, in a process of its own; arguments as of `spade_peer`."""

from __future__ import annotations

import asyncio
import json
import sys

from spade.agent import Agent
from spade.behaviour import CyclicBehaviour
from spade.message import Message
from trading import OPENINGS, answer, opening

ADDRESS, PASSWORD, PORT, *PARTNER = sys.argv[1:]


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


class Trade(CyclicBehaviour):
    async def on_start(self):
        for partner in PARTNER:
            for number in range(len(OPENINGS)):
                body, parameters = opening(number)
                await self.send(Message(to=partner, body=body, metadata=parameters))

    async def run(self):
        message = await self.receive(timeout=1)
        if message is None:
            return
        say(json.dumps([message.get_metadata("performative"), message.body]))
        if (said := answer(message._metadata)) is not None:
            body, parameters = said
            await self.send(Message(to=str(message.sender), body=body, metadata=parameters))


async def main():
    agent = Agent(ADDRESS, PASSWORD, port=int(PORT), verify_security=False)
    await agent.start(auto_register=False)
    agent.presence.set_available()
    await agent.client.get_roster()  # the server answers in order: by now it knows that the agent is there
    say("ready")
    agent.add_behaviour(Trade())
    await asyncio.to_thread(sys.stdin.read)
    await agent.stop()


if __name__ == "__main__":
    asyncio.run(main())
