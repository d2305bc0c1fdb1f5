"""An agent that asks the one in c1 every few seconds, and prints what it answers."""

from __future__ import annotations

from formicary import Agent, Message, PeriodicBehaviour

SECONDS = 5.0


class Ask(PeriodicBehaviour):
    """Says something to echo@c1 and waits for the answer."""

    async def run(self) -> None:
        """Ask once."""
        await self.send(Message(to="echo@c1", body="are you there?"))
        answer = await self.receive(timeout=SECONDS)
        said = "no answer" if answer is None else f"{answer.sender} answers {answer.body}"
        print(said, flush=True)


asker = Agent("asker")
asker.add_behaviour(Ask(period=SECONDS))
