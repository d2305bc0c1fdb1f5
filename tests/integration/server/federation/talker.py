"""A container in a process of its own: `python talker.py FOLDER CONTAINER [tls]`, a program and no test.
FOLDER may also be a file with an address as JSON.

It has an agent `echo`, which answers, and one that does what comes in on standard input: for each line
`RECEIVER COUNT` it sends so many numbered messages, waits for as many answers, and prints them as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from formicary import Agent, Container, CyclicBehaviour, Message
from formicary.server import ServerAddress
from formicary.transport.xmpp import stream

stream._CONNECT_TIMEOUT = 60.0  # on a busy machine, a server is slow to answer at first


class Echo(Agent):
    class Answer(CyclicBehaviour):
        async def run(self):
            message = await self.receive()
            await self.send(message.make_reply(body=message.body))

    async def setup(self):
        self.add_behaviour(self.Answer())


class Talker(Agent):
    class Talk(CyclicBehaviour):
        async def run(self):
            line = await asyncio.to_thread(sys.stdin.readline)
            if not line:
                self.kill()
                return
            receiver, count = line.split()
            for number in range(int(count)):
                await self.send(Message(to=receiver, body=str(number)))
            answers = [await self.receive() for _ in range(int(count))]
            say(json.dumps([(answer.performative, answer.body) for answer in answers]))

    async def setup(self):
        self.add_behaviour(self.Talk())


def say(line):
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def address(folder, *options):
    if Path(folder).is_file():
        return ServerAddress(**json.loads(Path(folder).read_text(encoding="utf-8")))
    return ServerAddress.load(folder, tls="tls" in options)


async def main(server, name):
    async with Container(name, platform=server.platform, server=server) as container:
        await container.start(Echo("echo"))
        await container.start(talker := Talker("talker"))
        say("ready")
        await talker.behaviours[0].join()


asyncio.run(main(address(sys.argv[1], *sys.argv[3:]), sys.argv[2]))
