"""An instrument sees all messages of a container; while there is none, messages do not pay for it."""

import asyncio

from formicary import Agent, Container, CyclicBehaviour, Instrument, Message


class Sniffer(Instrument):
    def message_sent(self, message):
        print(message.sender.partition("@")[0], "->", message.to.partition("@")[0], message.body)


class Shout(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        await self.reply(message, body=message.body.upper())


async def main():
    async with Container("c1") as container:
        container.add_instrument(Sniffer())
        shouter = Agent("shouter")
        shouter.add_behaviour(Shout())
        await container.start(shouter)
        await container.ask(Message(to="shouter", body="hello"), timeout=5)


if __name__ == "__main__":
    asyncio.run(main())

# It prints:
#   formicary-asker -> shouter hello
#   shouter -> formicary-asker HELLO
