"""Containers: where agents live."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Never, Self, TypeVar, TypeVarTuple

from formicary.container.facilities import Facilities
from formicary.container.lifecycle import Lifecycle
from formicary.container.opening import Opening
from formicary.container.option_values import (
    check_choice,
    check_means,
    check_mode,
    check_modules,
    check_server,
    check_text,
)
from formicary.container.options import (
    ConnectionOptions,
    Limits,
    Network,
    Services,
    check_child_options,
    check_groups,
    meeting_place,
    refuse_unknown,
)
from formicary.container.program_exit import ProgramExit
from formicary.core import randomness
from formicary.core.blockers import Blockers
from formicary.core.conversing import Conversing
from formicary.core.errors import ContainerClosedError, UsageError
from formicary.core.names import check_container, check_platform
from formicary.core.strand import PROGRAM_EXITS
from formicary.delivery.dispatcher import Dispatcher

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

    from formicary.children.child import ChildContainer
    from formicary.compute.pool import Means
    from formicary.core.agent import Agent
    from formicary.core.failures import FailureLog
    from formicary.core.micro import MicroAgent
    from formicary.core.scheduler import Scheduler
    from formicary.delivery.dead_letters import DeadLetters
    from formicary.delivery.instruments import Instrument
    from formicary.delivery.link_status import LinkStatus
    from formicary.delivery.protocols import Connectable, Peers
    from formicary.directory.interface import Directory
    from formicary.management.guest import GuestServices
    from formicary.management.management import Management
    from formicary.management.services import PlatformServices
    from formicary.profiling.accounting.accounting import Accounting
    from formicary.protocols.conversations import Conversations
    from formicary.protocols.service import ConversationService
    from formicary.server.account import AccountAddress
    from formicary.server.address import ServerAddress

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

PLATFORM = "lab.localhost"
"""The platform's domain where none is given."""

Mode = Literal["asynchronous", "synchronous"]
"""How behaviours are scheduled: each as soon as it can run, or all in lockstep cycles."""


_LIMITS, _NETWORK, _SERVICES = Limits(), Network(), Services()


class Container(Conversing):
    """A place for any number of agents, in one event loop. Use as an async context manager.

    Leaving the block, also by an exception or Ctrl-C, stops the agents, the latest first. So does
    `sys.exit()` in any of its agents (and KeyboardInterrupt): the block is cancelled, all agents end, and the
    block raises it at its end. Where there can be no block, as in a notebook, `await container.open()` and
    `await container.close()` do the same.

    Args:
        name: unique in the platform, such as `"c1"`: its agents are `agent@c1.lab.localhost`.
        platform: the platform's domain; by default that of the server or of the container to join, else
            `lab.localhost`.
        server: what connects it to the platform's other containers: `ServerAddress.load()`, or an ordinary
            XMPP account that they share, `AccountAddress("lab@example.org", "its password")`.
        join: without a server, the `join_address` of another container, where all that join it meet.
        listen: the IP address of this host at which other containers may reach this one, such as
            `"127.0.0.1"` or, with a port, `"192.168.1.7:5400"`. Without a server, they may join it there.
            None: only containers of this host that share a server or a joined container with it.
        guest: whether it is none of the platform's containers, and only queries them: it is not listed among
            them, and its agents can register nothing.
        creatable: packages or modules whose agents others may create here, such as `["shop"]`.
        accepts: packages or modules whose agents may move here from other containers of the platform; all
            classes of their behaviours must be there, too. Agents that were started here may always return.
        mode: `"asynchronous"`: each behaviour runs as soon as it can; `"synchronous"`: all run one cycle,
            from one `receive` to the next, before any begins its next.
        seed: of the agents' random generators; None for a new one.
        compute_in: what runs functions given to `compute`: `"processes"`, `"threads"`, `"interpreters"`
            (Python 3.14 and later; only for modules that import nothing of this package), or `"auto"`:
            threads where Python has no global lock, else processes.
        copy: whether each agent gets its own copy of each message, to measure what that costs; messages are
            otherwise shared, as they cannot be changed. Messages that wait for room are not copied.
        limits: how many messages may wait, and what `send` then does.
        network: how messages travel to other containers.
        services: the platform's main container, its directory, and the files that outlive it.

    Raises:
        InvalidNameError: a name is invalid.
        UsageError: an option is invalid or unknown, or `server`, `join`, `guest` and `network` do not fit.
    """

    dispatcher_type: ClassVar[type[Dispatcher]] = Dispatcher
    """What hands messages over; the laboratory measures others."""

    def __init__(
        self,
        name: str,
        *,
        platform: str | None = None,
        server: ServerAddress | AccountAddress | Connectable | None = None,
        join: str | None = None,
        listen: str | None = None,
        guest: bool = False,
        creatable: Sequence[str] = (),
        accepts: Sequence[str] = (),
        mode: Mode = "asynchronous",
        seed: int | None = None,
        compute_in: Means = "auto",
        copy: bool = False,
        limits: Limits = _LIMITS,
        network: Network = _NETWORK,
        services: Services = _SERVICES,
        **unknown: Never,
    ) -> None:
        refuse_unknown("Container", unknown)
        check_server(server)
        check_text("join", join, "the other container's join_address, as text")
        check_choice("guest", guest, True, False)
        check_choice("copy", copy, True, False)
        check_mode(mode)
        check_groups({"limits": limits, "network": network, "services": services})
        connection = ConnectionOptions(
            route=network.route, tls=network.tls, identity=network.identity, listen=listen
        )
        if network.identity is not None and (listen is None or server is not None):
            raise UsageError(
                "only a container that others can join has an identity file; pass listen= and no "
                "server, or omit it"
            )
        meeting = meeting_place(server, join, guest=guest)
        if platform is None:
            platform = str(getattr(meeting, "platform", PLATFORM))
        self.name = check_container(name)
        self.platform = check_platform(platform)
        self.domain = f"{name}.{platform}"
        self.is_guest = guest
        self.main_domain = self.domain if meeting is None else f"{services.main}.{platform}"
        """The full domain of the platform's container."""
        if join is not None:
            self.main_domain = str(getattr(meeting, "domain", self.main_domain))
        self.service_options = services
        self.mode = mode
        self.seed = randomness.bits(64) if seed is None else seed
        self.creatable = check_modules("creatable=", creatable)
        self.accepts = check_modules("accepts=", accepts)
        self._facilities = Facilities(self, meeting, connection, check_means(compute_in))
        self.dispatcher = self.dispatcher_type(
            name, platform, limits.when_full, limits.send_timeout, self._facilities.open_services
        )
        self.dispatcher.copies = copy
        self.program_exit = ProgramExit(self.dispatcher, self.close)
        self.lifecycle = Lifecycle(self, limits.mailbox)
        self.blockers = Blockers(name)
        self.peers: Peers | None = None
        self.accounting: Accounting | None = None  # as long as the CPU time is accounted by group
        self._opening = Opening(self, self._facilities, limits.micro_agents)

    # -- life -----------------------------------------------------------------------------------------------

    async def open(self) -> Self:
        """Open the container, and return it: `container = await Container("c1").open()`.

        It then knows the platform as the others do: its containers, and their services and groups; a warning
        names those that have not told all within 10 s. It is open until `close`. If it is open already,
        nothing happens. Cancelled, it is not open, and cannot be opened any more.

        Raises:
            ContainerClosedError: it was closed, or could not be opened before; make a new one.
            FormicaryError: it cannot be opened: LinkError if the container that it joins, and a class of
                ServerError if its server cannot be reached, and others.
        """
        await self._opening.open()
        return self

    async def close(self) -> None:
        """Stop the agents, the latest first, and close the container; leaving an `async with` block does so.

        If it is closed already, or was never opened, nothing happens. Called by one of its own agents it only
        begins the end and returns, as `Agent.stop` does. Cancelled, it waits for nobody any more, and the
        container is closed all the same.

        Raises:
            ContainerClosedError: it was opened in another event loop.
        """
        await self._opening.close()

    async def __aenter__(self) -> Self:
        self._opening.check_new()
        self.program_exit.enter_block()
        return await self.open()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.program_exit.leave_block(error)
        await self.close()
        self.program_exit.end()  # if it has not come out of `close` already, as others have closed it

    # -- agents ---------------------------------------------------------------------------------------------

    async def start(self, agent: Agent | MicroAgent) -> None:
        """Bring an agent to life here: its `setup` runs, then its behaviours start.

        Args:
            agent: one that was not started before.

        Raises:
            NameTakenError: an agent of that name lives here.
            AgentStateError: the agent was started before.
            DefinitionError: it is no agent, or its class is not written as it has to be.
            ContainerClosedError: the container is not open, was closed while `setup` ran, or was opened in
                another event loop.
            Exception: what `setup` raised; the agent is then gone. It is no error if `setup` stopped it.
        """
        try:
            await self.lifecycle.start(agent)
        except PROGRAM_EXITS as error:
            self.program_exit.request(f"{agent.name}/setup", error)
            raise self.program_exit.refusal() from error

    async def wait_until_finished(self) -> None:
        """Wait until no agent lives here, nor elsewhere with its home here; return at once if so.

        It does not wait for an agent whose last behaviour has failed, as that does nothing more.

        Raises:
            Exception: the first failure that neither `start` nor `join` of the agent or the behaviour has
                raised. A note names the agent, and counts other failures; `failure_log` has them all.
        """
        await self.lifecycle.join()

    @property
    def agents(self) -> tuple[Agent | MicroAgent, ...]:
        """The agents that live here, in the order in which they started."""
        return tuple(self.dispatcher.agents.values())

    @property
    def dead_letters(self) -> DeadLetters:
        """The latest messages that could not be delivered, and how many there were of all."""
        return self.dispatcher.dead_letters

    @property
    def failure_log(self) -> FailureLog:
        """The latest 100 failures of agents; `failure_log.total` counts all."""
        return self.lifecycle.failure_log

    async def compute(self, function: Callable[[*Ts], T], *arguments: *Ts, timeout: float | None = None) -> T:
        """Run a plain function beside the event loop, in a worker of this container.

        There are as many workers as this process may use processors; who finds all of them busy waits, first
        come, first served. A worker process imports the module of the function, and gets copies of the
        arguments; the result comes back as a copy, too.

        Args:
            function: with `def`, at the top level of a module; `functools.partial` gives it named arguments.
            arguments: what it is called with.
            timeout: for how many seconds it may run, without waiting for a worker; then its process is ended.
                A thread cannot be ended: it goes on, and another takes its place.

        Returns:
            What it returns.

        Raises:
            Exception: what the function raised.
            TimeoutError: it has not returned in time.
            ComputeError: it cannot be sent to a worker process, or the process has ended before it returned.
            ContainerClosedError: the container is not open, or closed meanwhile.
            asyncio.CancelledError: when cancelled. If the function had not begun it never does; else it runs
                to its end, or to its time, and nobody gets its result.
        """
        pool = self._facilities.pool()
        with self.scheduler.busy(lambda: pool.describe(function)):
            return await pool.run(function, arguments, timeout)  # type: ignore[no-any-return]  # it is of `function`

    def add_instrument(self, instrument: Instrument) -> None:
        """Notify `instrument` of everything that happens from now on."""
        self.dispatcher.add_instrument(instrument)

    def remove_instrument(self, instrument: Instrument) -> None:
        """Stop notifying `instrument`; ignore one that was not added."""
        self.dispatcher.remove_instrument(instrument)

    def spawn(self, name: str, **options: Any) -> ChildContainer:
        """Return another container, in a process of its own, which joins this one; use it with `async with`.

        Args:
            name: its own name.
            options: further options of `Container`, such as `limits` and `seed`.

        Raises:
            InvalidNameError: the name cannot be one.
            UsageError: a container in another process cannot be given such an option.
            ContainerClosedError: this container is not open, or cannot be joined.
        """
        from formicary.children.child import ChildContainer

        check_child_options(options)
        if not self.is_open:
            raise self.not_open_error()
        _ = self.join_address
        network = Network(tls=self._facilities.connection.tls)
        return ChildContainer(self, name, {"network": network, **options})

    # -- state ----------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether agents can be started here."""
        return self.dispatcher.scheduler is not None and not self.dispatcher.is_closing

    def not_open_error(self) -> ContainerClosedError:
        """Return the error for what needs an open container."""
        return ContainerClosedError(f"container {self.name} is not open; use `async with container`")

    def other_loop_error(self) -> ContainerClosedError:
        """Return the error for using the container in another event loop."""
        return ContainerClosedError(
            f"container {self.name} was opened in another event loop; open, use and close it within "
            "one asyncio.run(), or in the cells of a notebook"
        )

    @property
    def scheduler(self) -> Scheduler:
        """The scheduler of the agents; for transports and services.

        Raises:
            ContainerClosedError: the container was never opened.
        """
        if self.dispatcher.scheduler is None:
            raise self.not_open_error()
        return self.dispatcher.scheduler

    # -- conversations --------------------------------------------------------------------------------------

    @property
    def conversation_service(self) -> ConversationService:
        """The service of the agents' conversations; for agents and what is below.

        Raises:
            ContainerClosedError: the container was never opened.
        """
        return self._facilities.conversations or self._facilities.open_conversations()

    @property
    def conversations(self) -> Conversations:
        """The conversations of what is no agent, such as a script or a notebook.

        Raises:
            ContainerClosedError: the container is not open.
        """
        if not self.is_open:
            raise self.not_open_error()
        return self.conversation_service.outside()

    def container_lost(self, domain: str) -> None:
        """End conversations with agents of a container whose link has ended."""
        if self._facilities.conversations is not None:
            self._facilities.conversations.container_lost(domain)

    # -- the platform ---------------------------------------------------------------------------------------

    @property
    def platform_services(self) -> PlatformServices | GuestServices:
        """The services of the platform, for agents and for what is below.

        Raises:
            ContainerClosedError: the container is not open.
        """
        if not (self.is_open or self._facilities.serves_agents):
            raise self.not_open_error()
        return self._facilities.services or self._facilities.open_services()

    @property
    def management(self) -> Management:
        """The white pages of the platform, and actions on agents of any of its containers.

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
        """The platform's containers by domain, as known here, including this one.

        The value is a container's incarnation: about when it was started, in microseconds since 1970. A guest
        knows the platform's container only, as long as that is there.
        """
        return self.platform_services.members

    @property
    def links(self) -> tuple[LinkStatus, ...]:
        """The current state of the links to other containers."""
        return () if self.dispatcher.transport is None else self.dispatcher.transport.status()

    @property
    def join_address(self) -> str:
        """The address with which other containers `join` this one: text that contains a secret.

        Raises:
            ContainerClosedError: the container is not open, or does not `listen`.
        """
        address = getattr(self.dispatcher.transport, "join_address", None)
        if address is None:
            raise ContainerClosedError(
                f"container {self.name} cannot be joined; open it with listen='127.0.0.1' and no server"
            )
        return str(address)

    def __repr__(self) -> str:
        return f"<Container {self.domain}, {len(self.dispatcher.agents)} agents>"
