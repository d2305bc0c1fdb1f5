"""Agents between clients and three servers: `mobile/mediators`, `mobile/proxy`, `mobile/forward-messages`.

Clients, mediators and servers have containers of their own: the clients' in one process, the other two in
the other. Over many hosts the mediators are on the first, the clients on the last, and the servers on those
between; with two hosts the servers are on the first. Intercepting agents are in the clients' container.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary import CyclicBehaviour, Message, Template
from formicary.errors import FormicaryError
from formicary_bench.experiments.mobile.play import SECOND, Play, played
from formicary_bench.subjects.ours.behaviours import PATIENCE, Responder
from formicary_bench.subjects.ours.containers import start_agent
from formicary_bench.vocabulary.places import ASKING, ECHOING
from formicary_bench.vocabulary.values import BY_PROXY, INTERCEPTED, UNMEDIATED
from formicary_bench.worker.workload import Countdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary import Container
    from formicary_bench.worker.workload import Workload

_REQUESTS, _ANSWERS = Template(performative="request"), Template(performative="inform")

SERVERS = 3
"""How many servers there are, as in the paper."""


class Requests:
    """The requests of a loop, shared by all clients."""

    def __init__(self) -> None:
        self.left = 0
        self.begin = asyncio.Event()
        self._unanswered = Countdown()
        self.end = self._unanswered.count
        """Counts an answered request."""

    def start(self, count: int) -> asyncio.Future[None]:
        """Start `count` requests of the clients; return a future for the last answer."""
        self.left = count
        self.begin.set()
        return self._unanswered.expect(count)

    def take(self) -> int | None:
        """Return the number of the next request; None until the next loop if all have been made."""
        if not self.left:
            self.begin.clear()
            return None
        self.left -= 1
        return self.left


class Forward(CyclicBehaviour):
    """Passes requests on to their servers, which answer the client."""

    def __init__(self, onward: Sequence[str]) -> None:
        super().__init__()
        self.onward = onward

    async def run(self) -> None:
        request = await self.receive()
        await self.send(replace(request, to=addressee(request, self.onward), reply_to=request.sender))


class Relay(Forward):
    """Passes requests on to their servers, and answers back to the senders.

    The way back is in the request, as there may be several relays on it.
    """

    async def run(self) -> None:
        message = await self.receive()
        if message.performative == "request":
            way = f"{message.sender} {message.reply_with or ''}"
            await self.send(replace(message, to=addressee(message, self.onward), reply_with=way))
        else:
            to, _, way = str(message.in_reply_to).partition(" ")
            await self.send(replace(message, to=to, in_reply_to=way or None))


def addressee(request: Message, onward: Sequence[str]) -> str:
    """Return the server that a request is for, as its body says."""
    return onward[int(str(request.body)[0]) % len(onward)]


class Client(CyclicBehaviour):
    """Makes a request, waits for the answer, and makes the next one."""

    def __init__(self, onward: Sequence[str], body: str, requests: Requests) -> None:
        super().__init__()
        self.onward = onward
        self.body = body
        self.requests = requests

    async def run(self) -> None:
        """Make one request, or wait for the next loop."""
        number = self.requests.take()
        if number is None:
            await self.requests.begin.wait()
            return
        body = f"{number % SERVERS}{self.body}"
        request = Message(to=self.onward[number % len(self.onward)], body=body, performative="request")
        await self.send(request)
        answer = await self.receive(timeout=PATIENCE)
        if answer is None or answer.body != body:
            raise FormicaryError(f"a request was answered by {answer!r:.200}")
        self.requests.end()


async def _start_server(_: Play, home: Container, number: int) -> None:
    await start_agent(home, f"server-{number}", Responder(), _REQUESTS)


def _servers(play: Play, home: Container) -> list[str]:
    return [f"server-{number}@{play.places[number]}.{home.platform}" for number in range(SERVERS)]


async def _start_mediators(play: Mediate, home: Container) -> None:
    for number in range(play.mediators):
        await start_agent(home, f"mediator-{number}", play.mediator(_servers(play, home)))


async def _start_clients(play: Mediate, home: Container) -> None:
    for number in range(play.sizes.pairs):
        onward = _servers(play, home)
        if play.mediators:
            onward = [f"mediator-{number % play.mediators}@{play.places[SERVERS]}.{home.platform}"]
        if play.pattern == INTERCEPTED:
            await start_agent(home, f"interceptor-{number}", Relay(onward))
            onward = [f"interceptor-{number}@{home.domain}"]
        client = Client(onward, play.work.body[1:], play.requests)
        await start_agent(home, f"client-{number}", client, _ANSWERS)


class Mediate(Play):
    """Makes requests of several clients to servers by a pattern."""

    cast = (
        *((SECOND, partial(_start_server, number=number)) for number in range(SERVERS)),
        (ECHOING, _start_mediators),
        (ASKING, _start_clients),
    )
    mediator: type[Forward] = Relay

    def __init__(self, work: Workload) -> None:
        super().__init__(work)
        self.requests = Requests()
        self.pattern = self.sizes.pattern or BY_PROXY
        self.mediators = {UNMEDIATED: 0, BY_PROXY: 1}.get(self.pattern, self.sizes.pairs)

    def members(self, hosts: int) -> Sequence[int]:
        """Return the hosts of servers, mediators and clients."""
        servers = [number % max(hosts - 2, 1) + (hosts > 2) for number in range(SERVERS)]  # noqa: PLR2004 -- as said
        return [*servers, 0, hosts - 1]

    async def operate(self, count: int) -> None:
        await self.requests.start(count)


class MediateOneWay(Mediate):
    """Makes requests that one agent forwards to servers, which answer the clients."""

    mediator = Forward


both = echo = ask = member = played(
    {"mobile/forward-messages": MediateOneWay, "mobile/proxy": Mediate, "mobile/mediators": Mediate}
)
