"""Keeps a directory with a file, and has agents register and deregister services there as fast as they can.

    python keeper.py FILE FIRST

Prints `+5` when service 5 is confirmed to be registered, `~5` before it is taken back, and `-5` when that is
confirmed. Ends when it is killed.
"""

from __future__ import annotations

import asyncio
import itertools
import sys
from pathlib import Path

from formicary import Container, Message, MicroAgent
from formicary.directory.central.agent import DirectoryAgent
from formicary.directory.language import Deregister, Register, encode
from formicary.directory.model.description import ServiceDescription

AGENT = "alice@example.org"
CLIENTS = 20


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Client(MicroAgent):
    """Registers one service after the other, and takes every third back."""

    def __init__(self, name: str, numbers: itertools.count[int]) -> None:
        super().__init__(name)
        self.numbers = numbers
        self.current = 0

    def handle(self, message: Message) -> None:
        if message.performative not in {"inform", "start"}:
            say(f"unexpected: {message}")
        if message.in_reply_to == "register":
            say(f"+{self.current}")
            if self.current % 3 == 0:
                say(f"~{self.current}")
                return self.ask("deregister", encode(Deregister(AGENT, (str(self.current),))))
        elif message.in_reply_to == "deregister":
            say(f"-{self.current}")
        self.current = next(self.numbers)
        service = ServiceDescription(AGENT, "printer", str(self.current), properties={"text": "x" * 200})
        return self.ask("register", encode(Register((service,))))

    def ask(self, what: str, body: str) -> None:
        self.send_nowait(Message("df", body=body, performative="request", reply_with=what))


async def main() -> None:
    numbers = itertools.count(int(sys.argv[2]))
    async with Container("c1") as container:
        df = DirectoryAgent(path=Path(sys.argv[1]), may_write=lambda sender, agent: True)
        await df.open()
        await container.start(df)
        for number in range(CLIENTS):
            client = Client(f"client-{number}", numbers)
            await container.start(client)
            client.send_nowait(Message(client.name, performative="start"))
        await asyncio.get_running_loop().create_future()


asyncio.run(main())
