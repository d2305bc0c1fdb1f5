"""Two processes whose agents exchange messages, and in which known work is done where messages pass.

Arguments: the way (`direct` or `xmpp`), the number of round trips, a file for the seconds of each process by
group, and the folder of the server. The process starts another of itself, which has two more arguments: the
name of its container, and what it joins.
"""

from __future__ import annotations

import asyncio
import collections
import json
import os
import sys
import time
from asyncio.subprocess import PIPE
from pathlib import Path

import work_agents
import work_communication
import work_platform

from formicary import Agent, Container, CyclicBehaviour, Message, Network, OneShotBehaviour
from formicary.server import ServerAddress
from formicary.transport.link.link import Link
from formicary.transport.link.outbox import Outbox

WAY, ROUNDS, FILE, SERVER, *REST = sys.argv[1:]
used: collections.Counter[str] = collections.Counter()


def work(name, module, seconds):
    before = time.thread_time()
    module.python(before + seconds)
    used[name] += time.thread_time() - before


def also(owner, method, *what):
    plain = getattr(owner, method)

    def slower(*args, **kwargs):
        work(*what)
        return plain(*args, **kwargs)

    setattr(owner, method, slower)


also(Outbox, "send_all", "communication", work_communication, 0.003)
also(Link, "receive", "communication", work_communication, 0.002)
also(Message, "make_reply", "platform", work_platform, 0.002)


class Echo(CyclicBehaviour):
    async def run(self):
        message = await self.receive()
        work("agents", work_agents, 0.004)
        await self.send(message.make_reply(body=message.body))


class Ask(OneShotBehaviour):
    async def run(self):
        for number in range(int(ROUNDS)):
            await self.send(Message(to=f"echo@{self.get('other')}", body=str(number)))
            await self.receive()
            work("agents", work_agents, 0.006)


def container(name, join):
    if WAY == "direct":
        return Container(name, join=join) if join else Container(name, listen="127.0.0.1")
    return Container(name, server=ServerAddress.load(SERVER), network=Network(route="xmpp"))


def say_what_was_used():
    Path(f"{FILE}.{os.getpid()}").write_text(json.dumps(used))


async def echo(name, join):
    async with container(name, join) as other:
        agent = Agent("echo")
        agent.add_behaviour(Echo())
        await other.start(agent)
        sys.stdout.write(f"{other.domain}\n")
        sys.stdout.flush()
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    say_what_was_used()


async def ask():
    async with container("a", "") as own:
        joined = str(own.join_address) if WAY == "direct" else "-"
        command = [sys.executable, *sys.argv[:5], "b", joined]
        process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
        agent, asks = Agent("ask"), Ask()
        agent.set("other", (await process.stdout.readline()).decode().strip())
        agent.add_behaviour(asks)
        await own.start(agent)
        await asks.join()
        process.stdin.close()
        await process.wait()
    say_what_was_used()


asyncio.run(echo(*REST) if REST else ask())
