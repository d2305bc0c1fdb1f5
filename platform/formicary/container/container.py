"""Containers: where agents live. How their messages are handed over is in `delivery`."""

from __future__ import annotations

import asyncio
import logging
import random
from typing import TYPE_CHECKING, Literal, Self

from formicary.container.dispatcher import Dispatcher
from formicary.container.options import (
    ConnectionOptions,
    PlatformOptions,
    check_directory,
    check_guest,
    check_identity,
    main_domain,
    meeting_place,
)
from formicary.container.protocols import Connectable
from formicary.core.agent import Agent
from formicary.core.base_agent import AgentState, BaseAgent
from formicary.core.errors import AgentStateError, ContainerClosedError, FormicaryError, NameTakenError
from formicary.core.micro import MicroAgent
from formicary.core.names import MANAGEMENT, check_container
from formicary.core.scheduler import Scheduler

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from formicary.container.link_status import LinkStatus
    from formicary.container.protocols import Transport
    from formicary.core.behaviours import Behaviour
    from formicary.core.message import Message
    from formicary.core.strand import Strand
    from formicary.directory.interface import Directory
    from formicary.management.guest import GuestServices
    from formicary.management.management import Management
    from formicary.management.services import PlatformServices
    from formicary.server.account import AccountAddress
    from formicary.server.address import ServerAddress

logger = logging.getLogger("formicary")

PLATFORM = "lab.localhost"
"""The platform's domain where none is given."""

MAIN = "c1"
"""The name of the platform's container where none is given."""

_STOP_TIMEOUT = 10.0  # seconds that an agent's behaviours get to end


class Container(Dispatcher):
    """A place for any number of agents, in one event loop. `async with` it: that is its life.

    Leaving the block, also by an exception or Ctrl-C, stops the agents, the latest first.

    Args:
        name: unique in the platform, such as `"c1"`: its agents are `agent@c1.lab.localhost`.
        platform: the platform's domain; if it is not given, that of the server or of the container to join,
            else `lab.localhost`.
        server: what connects it to the platform's other containers, such as `ServerAddress.load()`.
        account: an ordinary XMPP account through which the platform's containers meet, such as
            `"lab@example.org"`; `server=AccountAddress(...)` does the same and takes more options.
        password: the account's.
        join: without a server, the `join_address` of another container, where all those who join it meet.
        listen: the IP address of this host where other containers may reach this one, such as `"127.0.0.1"`
            or, with a port, `"192.168.1.7:5400"`. Without a server, they may join it there. None: only
            containers of this host that have a server or a container in common with it may reach it.
        identity: with `listen` and no server, a file with the secrets by which those who join know this
            container; it is made if there is none. A container of the same name that is opened with it later,
            as after a crash, has the same `join_address`, and those who had joined come back by themselves.
        route: how messages go to other containers: `"auto"`: by direct connections where these can be made,
            else through the server, or through the container that both have joined; `"direct"`: by direct
            connections only; `"xmpp"`: only through the server.
        tls: whether direct connections to other hosts use TLS 1.3; `"always"`: those on this host, too.
        mailbox_limit: how many messages a behaviour's mailbox holds.
        queue_limit: how many messages all micro-agents of the container may have waiting.
        when_full: what `send` does with a full mailbox: wait up to `send_timeout`, or fail at once.
        send_timeout: seconds.
        seed: makes the agents' random generators give the same again; None for a new one.
        main: the name of the platform's container, which keeps the list of all, where containers meet at a
            server; without one it is that which the others join.
        directory: how agents find each other: each container has all entries (`"replica"`), or they are kept
            by an agent `df` of the platform's container (`"central"`), or there until they expire
            (`"lookup"`). All containers of a platform need the same.
        directory_file: where the central directory keeps its entries, if it should outlive its process.
        creatable: the packages or modules whose agents others may have created here, such as `["shop"]`.
        guest: whether it is none of the platform's containers, and only asks these: it is in no list of
            them, and its agents can register nothing.

    Raises:
        InvalidNameError: a name cannot be one.
        UsageError: the ways to meet others do not go together, or one of them is not what it should be.
    """

    def __init__(
        self,
        name: str,
        *,
        platform: str | None = None,
        server: ServerAddress | AccountAddress | Connectable | None = None,
        account: str | None = None,
        password: str = "",
        join: str | None = None,
        listen: str | None = None,
        identity: Path | None = None,
        route: Literal["auto", "direct", "xmpp"] = "auto",
        tls: bool | Literal["always"] = True,
        mailbox_limit: int = 1000,
        queue_limit: int = 100_000,
        when_full: Literal["wait", "fail"] = "wait",
        send_timeout: float = 30.0,
        seed: int | None = None,
        main: str = MAIN,
        directory: Literal["replica", "central", "lookup"] = "replica",
        directory_file: Path | None = None,
        creatable: Sequence[str] = (),
        guest: bool = False,
    ) -> None:
        meeting = meeting_place(server, account, password, join)
        check_guest(meeting, guest=guest)
        if platform is None:
            platform = str(getattr(meeting, "platform", PLATFORM))
        super().__init__(name, platform, when_full, send_timeout)
        self.seed = random.SystemRandom().getrandbits(64) if seed is None else seed
        self.creatable = tuple(creatable)
        check_directory(directory, directory_file)
        check_identity(identity, can_be_joined=listen is not None and server is None and account is None)
        self.platform_options = PlatformOptions(
            main=main_domain(self.domain, meeting, join, f"{check_container(main)}.{platform}"),
            directory=directory,
            directory_file=directory_file,
            is_guest=guest,
        )
        self._services: PlatformServices | GuestServices | None = None
        self._meeting = meeting
        self._connection = ConnectionOptions(listen, route, tls, identity)
        self._mailbox_limit = mailbox_limit
        self._queue_limit = queue_limit
        self._starting: set[str] = set()
        self._emptied: asyncio.Future[None] | None = None  # made for the first who joins

    # -- life -----------------------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        if self._queue is not None:
            raise ContainerClosedError(f"container {self.name} was opened before; make a new one")
        self._queue = Scheduler(self._queue_limit, self._handle_failed, MicroAgent._go_on)
        transport = self._make_transport()
        try:
            await self._open_services(transport)
        except BaseException:
            self._closing = True
            raise
        return self

    async def _open_services(self, transport: Transport | None) -> None:
        if transport is None and self.platform_options.directory == "replica":
            return  # they are opened by who asks for one: most containers of a first hour need none
        services = self._open_now(transport)
        await services.open()
        if transport is not None:
            try:
                await transport.open(self)
            except BaseException:
                await services.close()
                raise
            self._transport = transport
            services.start()

    def _open_now(self, transport: Transport | None) -> PlatformServices | GuestServices:
        if self.platform_options.is_guest:
            from formicary.management.guest import GuestServices

            self._services = GuestServices(self, self.platform_options)
        else:
            from formicary.management.services import PlatformServices

            self._services = PlatformServices(self, self.platform_options, transport)
        return self._services

    @property
    def platform_services(self) -> PlatformServices | GuestServices:
        """What answers for this container and gives its agents the platform; made when first asked for.

        Raises:
            ContainerClosedError: the container is not open.
        """
        if self._queue is None or self._closing:
            raise ContainerClosedError(f"container {self.name} is not open; use it as: async with container")
        return self._services or self._open_now(None)

    @property
    def management(self) -> Management:
        """The white pages of the platform, and what can be done with agents of any of its containers.

        Raises:
            ContainerClosedError: the container is not open.
        """
        return self.platform_services.management

    @property
    def directory(self) -> Directory:
        """The platform's directory of services, to search and to watch; agents register by their own.

        Raises:
            ContainerClosedError: the container is not open.
        """
        return self.platform_services.directory

    @property
    def members(self) -> Mapping[str, int]:
        """The platform's containers by domain, as far as they are known here, this one included.

        The value is a container's incarnation: about when it was started, in microseconds since 1970. A guest
        knows the platform's container only, as long as that is there.
        """
        return self.platform_services.members

    def _own_agent(self, receiver: str) -> MicroAgent | None:
        if self._services is None and receiver == f"{MANAGEMENT}@{self.domain}" and not self._closing:
            self._open_now(None)
        return super()._own_agent(receiver)

    def add_system_agent(self, agent: MicroAgent) -> None:
        """Start a micro-agent that works for the container itself: it is not among the `agents`."""
        assert self._queue is not None
        agent.address = f"{agent.name}@{self.domain}"
        agent._container = self
        agent._routes = self.routes
        self.system_agents[agent.address] = agent
        agent._start(self._queue, self._mailbox_limit)
        if not self.instruments:
            self.routes[agent.address] = agent._entrance()

    def _make_transport(self) -> Transport | None:
        meeting = self._meeting
        if meeting is None and self._connection.listen is None:
            return None
        if isinstance(meeting, Connectable):
            return meeting.transport(self._connection)
        from formicary.transport import connect  # only now: most containers of a first hour need none of it

        return connect(meeting, self._connection)

    @property
    def links(self) -> tuple[LinkStatus, ...]:
        """What is known now about the links to other containers."""
        return () if self._transport is None else self._transport.status()

    @property
    def join_address(self) -> str:
        """What other containers need to `join` this one: text with a secret in it.

        Raises:
            ContainerClosedError: the container is not open, or does not `listen`.
        """
        address = getattr(self._transport, "join_address", None)
        if address is None:
            raise ContainerClosedError(
                f"container {self.name} cannot be joined; open it with listen='127.0.0.1' and no server"
            )
        return str(address)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._closing = True
        try:
            self._withdraw(None)
            for agent in reversed(tuple(self._agents.values())):
                await agent.stop()
        finally:
            for agent in reversed(tuple(self._agents.values())):  # if this was cancelled
                agent._abandon()
            try:
                await self.overflow.close()
            finally:
                try:
                    if self._services is not None:
                        await self._services.close()
                finally:
                    if self._transport is not None:
                        await self._transport.close()

    async def start(self, agent: Agent | MicroAgent) -> None:
        """Bring an agent to life here: its `setup` runs, then its behaviours start.

        Args:
            agent: one that was not started before.

        Raises:
            NameTakenError: an agent of that name lives here.
            AgentStateError: the agent was started before.
            ContainerClosedError: the container is not open, or was closed while `setup` ran.
            Exception: what `setup` raised; the agent is then gone. It is no error if `setup` stopped it.
        """
        if self._queue is None or self._closing:
            raise ContainerClosedError(f"container {self.name} is not open; use it as: async with container")
        if agent._container is not None or agent.state is not AgentState.INITIATED:
            raise AgentStateError(f"agent {agent.name} was started before; make a new one")
        address = f"{agent.name}@{self.domain}"
        if address in self._agents or address in self._starting or address in self.system_agents:
            raise NameTakenError(
                f"an agent named {agent.name!r} lives in container {self.name}; take another name"
            )
        agent.address = address
        agent._container = self
        agent._routes = self.routes
        if isinstance(agent, Agent) and type(agent).setup is not Agent.setup:
            await self._set_up(agent, address)
            if agent.state is AgentState.GONE:
                return
            if self._closing:
                agent._vanish()
                raise ContainerClosedError(f"container {self.name} was closed while {agent.name} was set up")
        self._agents[address] = agent
        agent._start(self._queue, self._mailbox_limit)
        if not self.instruments:
            self.routes[address] = agent._entrance()
        for instrument in self.instruments:
            self._tell(instrument, "agent_started", agent)

    async def _set_up(self, agent: Agent, address: str) -> None:
        self._starting.add(address)
        try:
            await agent.setup()
        except BaseException as error:
            if isinstance(error, FormicaryError):  # which says all in one sentence
                logger.error("setup of agent %s failed: %s", agent.name, error)  # noqa: TRY400
            elif not isinstance(error, asyncio.CancelledError):
                logger.exception("setup of agent %s failed", agent.name)
            if not isinstance(error, asyncio.CancelledError):
                agent._failed(error)
            agent._vanish()
            raise
        finally:
            self._starting.discard(address)

    async def join(self) -> None:
        """Wait until no agent lives here; return at once if none does."""
        while self._agents:
            if self._emptied is None:
                self._emptied = asyncio.get_running_loop().create_future()
            await asyncio.shield(self._emptied)

    @property
    def agents(self) -> tuple[Agent | MicroAgent, ...]:
        """The agents that live here, in the order in which they started."""
        return tuple(self._agents.values())

    # -- what agents ask of their container -----------------------------------------------------------------

    def _start_behaviour(self, behaviour: Behaviour) -> None:
        assert self._queue is not None
        behaviour._start(self._queue, self._mailbox_limit)
        if behaviour.agent.state is not AgentState.ACTIVE and behaviour._mailbox.strand is not None:
            behaviour._mailbox.strand.hold()

    def _behaviour_ended(self, behaviour: Behaviour, error: BaseException | None) -> None:
        if error is not None:
            logger.error("%s ended with an exception", behaviour, exc_info=error)
        for instrument in self.instruments:
            self._tell(instrument, "behaviour_ended", behaviour, error)

    def _handle_failed(self, agent: MicroAgent, error: BaseException) -> None:
        logger.error("handle() of agent %s raised an exception", agent.name, exc_info=error)
        agent._failed(error)

    async def _wait_for_end(self, strands: Sequence[Strand]) -> None:
        _, pending = await asyncio.wait(strands, timeout=_STOP_TIMEOUT)
        for strand in pending:
            logger.error("%s did not end within %g s and is left behind", strand.get_name(), _STOP_TIMEOUT)
            strand.cancel()

    def _forget(self, agent: BaseAgent) -> None:
        if self._services is not None and agent.address is not None:
            self._services.agent_gone(agent.address)
        if self._agents.get(agent.address) is agent:
            del self._agents[agent.address]
            self.routes.pop(agent.address, None)
            if isinstance(agent, MicroAgent):
                self._withdraw(None if self._closing else agent)
            for instrument in self.instruments:
                self._tell(instrument, "agent_stopped", agent)
            if self._emptied is not None and not self._agents:
                self._emptied.set_result(None)
                self._emptied = None

    def _withdraw(self, agent: MicroAgent | None) -> None:
        """Make dead letters of what waits for a micro-agent, or for all."""
        assert self._queue is not None
        for receiver, message in self._queue.withdraw(agent):
            self.add_unhandled(receiver, message)

    def add_unhandled(self, agent: MicroAgent, message: Message) -> None:
        """Add a message that an agent did not handle to the dead letters; for micro-agents."""
        """Add a message that an agent did not handle to the dead letters; for micro-agents."""
        self.add_dead_letter(
            message, f"agent {agent.name} ended before it handled the message", agent.address
        )

    def __repr__(self) -> str:
        return f"<Container {self.domain}, {len(self._agents)} agents>"
