"""An agent between clients and three servers: `mobile/proxy` and `mobile/forward-messages`.

Clients, mediator and servers are in containers of their own: the clients' in one process, the two others in
the other one. Over many hosts the first has the mediator, the last the clients, and those between them have
the servers; with two hosts the mediator's has.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from formicary import CyclicBehaviour, Message, Template
from formicary.errors import FormicaryError
from formicary_bench.experiments.mobile import Looped
from formicary_bench.experiments.mobile.loops import Countdown
from formicary_bench.experiments.mobile.play import SECOND, Play, played
from formicary_bench.subjects.ours.behaviours import PATIENCE, Responder
from formicary_bench.subjects.ours.containers import start_agent
from formicary_bench.vocabulary.places import ASKING, ECHOING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary import Container
    from formicary_bench.worker.workload import Workload

_REQUESTS, _ANSWERS = Template(performative="request"), Template(performative="inform")

SERVERS = 3
"""How many servers there are, as in the paper."""


class Requests:
    """The requests of a loop, which all clients make together."""

    def __init__(self) -> None:
        self.left = 0
        self.begin = asyncio.Event()
        self._unanswered = Countdown()
        self.end = self._unanswered.count
        """Counts an answered request."""

    def start(self, count: int) -> asyncio.Future[Any]:
        """Start `count` requests of the clients; return a future for the last answer."""
        self.left = count
        self.begin.set()
        return self._unanswered.expect(count)

    def take(self) -> int | None:
        """Return the number of the next request to make; None until the next loop if all have been made."""
        if not self.left:
            self.begin.clear()
            return None
        self.left -= 1
        return self.left


class Forward(CyclicBehaviour):
    """Looks at requests, and passes them on to the server that they are for, which answers the client."""

    def __init__(self, servers: Sequence[str]) -> None:
        super().__init__()
        self.servers = servers

    async def run(self) -> None:
        """Pass one on."""
        request = await self.receive()
        await self.send(replace(request, to=self.servers[server_of(request)], reply_to=request.sender))


class Relay(Forward):
    """Looks at requests, passes them on to the server that they are for, and the answers to the clients."""

    async def run(self) -> None:
        """Pass on one request, or one answer."""
        message = await self.receive()
        if message.performative == "request":
            to = self.servers[server_of(message)]
            await self.send(replace(message, to=to, reply_with=message.sender))
        else:
            await self.send(replace(message, to=message.in_reply_to, in_reply_to=None))


def server_of(request: Message) -> int:
    """Return which server a request is for: it is in its body."""
    return int(str(request.body)[0])


class Client(CyclicBehaviour):
    """Makes a request, waits for the answer, and makes the next one."""

    def __init__(self, mediator: str, body: str, requests: Requests) -> None:
        super().__init__()
        self.mediator = mediator
        self.body = body
        self.requests = requests

    async def run(self) -> None:
        """Make one, or wait until there are some to be made."""
        number = self.requests.take()
        if number is None:
            await self.requests.begin.wait()
            return
        body = f"{number % SERVERS}{self.body}"
        await self.send(Message(to=self.mediator, body=body, performative="request"))
        answer = await self.receive(timeout=PATIENCE)
        if answer is None or answer.body != body:
            raise FormicaryError(f"a request was answered by {answer!r:.200}")
        self.requests.end()


async def _start_server(_: Play, home: Container, number: int) -> None:
    await start_agent(home, f"server-{number}", Responder(), _REQUESTS)


async def _start_mediator(play: Mediate, home: Container) -> None:
    names = [f"server-{number}@{play.places[number]}.{home.platform}" for number in range(SERVERS)]
    await start_agent(home, "mediator", play.mediator(names))


async def _start_clients(play: Mediate, home: Container) -> None:
    mediator = f"mediator@{play.places[SERVERS]}.{home.platform}"
    for number in range(Looped.of(play.work.configuration).pairs):
        client = Client(mediator, play.work.body[1:], play.requests)
        await start_agent(home, f"client-{number}", client, _ANSWERS)


class Mediate(Play):
    """Makes requests of several clients, which a mediator forwards."""

    cast = (
        *((SECOND, partial(_start_server, number=number)) for number in range(SERVERS)),
        (ECHOING, _start_mediator),
        (ASKING, _start_clients),
    )
    mediator = Forward

    def __init__(self, work: Workload) -> None:
        super().__init__(work)
        self.requests = Requests()

    def members(self, hosts: int) -> Sequence[int]:
        """Return where servers, mediator and clients are."""
        servers = [number % max(hosts - 2, 1) + (hosts > 2) for number in range(SERVERS)]  # noqa: PLR2004 -- as said
        return [*servers, 0, hosts - 1]

    async def operate(self, count: int) -> None:
        """Make `count` requests in total."""
        await self.requests.start(count)


class MediateBothWays(Mediate):
    """Makes requests of several clients; a mediator forwards them, and the answers."""

    mediator = Relay


both = echo = ask = member = played({"mobile/forward-messages": Mediate, "mobile/proxy": MediateBothWays})
