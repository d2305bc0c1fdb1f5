"""An agent that sends back what it gets."""

from __future__ import annotations

from formicary import Agent, CyclicBehaviour


class Echo(CyclicBehaviour):
    """Answers each message with its own words."""

    async def run(self) -> None:
        """Answer one."""
        message = await self.receive()
        await self.send(message.make_reply(body=message.body))


echo = Agent("echo")
echo.add_behaviour(Echo())
