"""An agent between clients and three servers: `mobile/proxy` and `mobile/forward-messages`.

Clients, mediator and servers are in containers of their own: the clients' in one process, the two others in
the other one. Over many hosts the first has the mediator, the last the clients, and those between them have
the servers; with two hosts the mediator's has.
"""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary import CyclicBehaviour, Message, Template
from formicary.errors import FormicaryError
from formicary_bench.experiments.mobile.by_hand import mediators as by_hand
from formicary_bench.experiments.mobile.loops import MakeLoops, conducted, measures, open_place
from formicary_bench.experiments.mobile.mediators import SERVERS, Requests, is_proxy
from formicary_bench.subjects.ours.behaviours import PATIENCE
from formicary_bench.subjects.ours.containers import all_prepared, endpoint, know_members, start_agent
from formicary_bench.vocabulary.containers import ASKING, ECHOING, member_name, names_on

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from contextlib import AbstractAsyncContextManager

    from formicary import Container
    from formicary_bench.subjects.ours.containers import Measure
    from formicary_bench.worker.workload import PreparedRole, Workload

CPU_GROUP = "agents"

_SERVING = names_on(1)[1]
_REQUESTS, _ANSWERS = Template(performative="request"), Template(performative="inform")


class Serve(CyclicBehaviour):
    """Answers whoever is to get the answer."""

    __slots__ = ()

    async def run(self) -> None:
        """Answer one request."""
        message = await self.receive()
        await self.reply(message, body=message.body, performative="inform")


class Forward(CyclicBehaviour):
    """Looks at requests, and passes them on to the server that they are for, which answers the client.

    Args:
        servers: the names of the servers.
    """

    def __init__(self, servers: Sequence[str]) -> None:
        super().__init__()
        self.servers = servers

    async def run(self) -> None:
        """Pass one on."""
        request = await self.receive()
        await self.send(replace(request, to=self.servers[server_of(request)], reply_to=request.sender))


class Relay(CyclicBehaviour):
    """Looks at requests, passes them on to the server that they are for, and the answers to the clients.

    Args:
        servers: the names of the servers.
    """

    def __init__(self, servers: Sequence[str]) -> None:
        super().__init__()
        self.servers = servers

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
    """Makes a request, waits for the answer, and makes the next one.

    Args:
        mediator: whom it asks.
        body: what each request has, after the number of its server.
        requests: how many are to be made.
    """

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


class Mediate(MakeLoops):
    """Has all clients make requests.

    Args:
        work: what is measured.
        requests: how many are to be made.
    """

    def __init__(self, work: Workload, requests: Requests) -> None:
        super().__init__(work)
        self.requests = requests

    async def loop(self, count: int) -> float:
        """Have them make so many, all together."""
        return await self.requests.make(count)


def both(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have all of them in one container."""
    return by_hand.both(work) if work.configuration.platform == "tasks" else _both(work)


@asynccontextmanager
async def _both(work: Workload) -> AsyncIterator[PreparedRole]:
    async with open_place(work, ASKING) as home:
        await _start_servers(home, range(SERVERS))
        await _start_mediator(home, work, [f"server-{number}@{home.domain}" for number in range(SERVERS)])
        measure = await _start_clients(home, work, home.domain)
        yield all_prepared([home], work, 1, measure)


def echo(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have the mediator in one container, and the servers in another one."""
    return by_hand.echo(work) if work.configuration.platform == "tcp" else _echo(work)


@asynccontextmanager
async def _echo(work: Workload) -> AsyncIterator[PreparedRole]:
    async with AsyncExitStack() as stack:
        home = await stack.enter_async_context(open_place(work, ECHOING))
        other = await stack.enter_async_context(open_place(work, _SERVING, endpoint(home, work)))
        await _start_servers(other, range(SERVERS))
        await _start_mediator(home, work, [f"server-{number}@{other.domain}" for number in range(SERVERS)])
        yield all_prepared([home, other], work, 3)


def ask(work: Workload) -> AbstractAsyncContextManager[PreparedRole]:
    """Have the clients."""
    return by_hand.ask(work) if work.configuration.platform == "tcp" else _ask(work)


@asynccontextmanager
async def _ask(work: Workload) -> AsyncIterator[PreparedRole]:
    async with open_place(work, ASKING) as home:
        await know_members(home, 3)
        measure = await _start_clients(home, work, f"{ECHOING}.{home.platform}")
        yield all_prepared([home], work, 3, measure)


@asynccontextmanager
async def member(work: Workload) -> AsyncIterator[PreparedRole]:
    """Have the mediator, some of the servers, or the clients."""
    number, hosts = work.job.member, work.job.members
    serving = [host % max(hosts - 2, 1) + (hosts > 2) for host in range(SERVERS)]  # noqa: PLR2004 -- as said
    async with open_place(work, member_name(number)) as home:
        measure = None
        await _start_servers(home, [server for server, host in enumerate(serving) if host == number])
        if number == 0:
            names = [
                f"server-{server}@{member_name(host)}.{home.platform}" for server, host in enumerate(serving)
            ]
            await _start_mediator(home, work, names)
        if measures(work):
            measure = await _start_clients(home, work, f"{member_name(0)}.{home.platform}")
        yield all_prepared([home], work, hosts, measure)


async def _start_servers(home: Container, numbers: Sequence[int]) -> None:
    for number in numbers:
        await start_agent(home, f"server-{number}", Serve(), _REQUESTS)


async def _start_mediator(home: Container, work: Workload, servers: Sequence[str]) -> None:
    kind = Relay if is_proxy(work) else Forward
    await start_agent(home, "mediator", kind(servers))


async def _start_clients(home: Container, work: Workload, domain: str) -> Measure:
    requests = Requests()
    for number in range(work.configuration.pairs):
        client = Client(f"mediator@{domain}", work.body[1:], requests)
        await start_agent(home, f"client-{number}", client, _ANSWERS)
    return await conducted(home, Mediate(work, requests))
