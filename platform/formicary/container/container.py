"""Containers: where agents live."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar, TypeVarTuple

from formicary.container.base_container import BaseContainer
from formicary.container.blockers import Blockers
from formicary.container.dispatcher import Dispatcher
from formicary.container.facilities import Facilities
from formicary.container.lifecycle import Lifecycle
from formicary.container.opening import Opening
from formicary.container.option_values import as_path, check_modules, check_values
from formicary.container.options import (
    ConnectionOptions,
    Mode,
    PlatformOptions,
    check_directory,
    check_guest,
    check_identity,
    check_means,
    check_mode,
    main_domain,
    meeting_place,
)
from formicary.container.program_exit import ProgramExit
from formicary.core import randomness
from formicary.core.names import check_container, check_platform
from formicary.core.strand import PROGRAM_EXITS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from types import TracebackType

    from formicary.compute.pool import Means
    from formicary.container.dead_letters import DeadLetters
    from formicary.container.instruments import Instrument
    from formicary.container.protocols import Connectable, Peers
    from formicary.core.agent import Agent
    from formicary.core.failures import FailureLog
    from formicary.core.micro import MicroAgent
    from formicary.local.child import ChildContainer
    from formicary.profiling.accounting.accounting import Accounting
    from formicary.server.account import AccountAddress
    from formicary.server.address import ServerAddress

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

PLATFORM = "lab.localhost"
"""The platform's domain where none is given."""

MAIN = "c1"
"""The name of the platform's container where none is given."""


class Container(BaseContainer):
    """A place for any number of agents, in one event loop. `async with` it: that is its life.

    Leaving the block, also by an exception or Ctrl-C, stops the agents, the latest first. So does
    `sys.exit()` in any of its agents (and KeyboardInterrupt): the block is cancelled, all agents end, and the
    block raises it at its end. Where there can be no block, as in a notebook, `await container.open()` and
    `await container.close()` do the same.

    Args:
        name: unique in the platform, such as `"c1"`: its agents are `agent@c1.lab.localhost`.
        platform: the platform's domain; if it is not given, that of the server or of the container to join,
            else `lab.localhost`.
        server: what connects it to the platform's other containers: `ServerAddress.load()`, or an ordinary
            XMPP account that they share, `AccountAddress("lab@example.org", "its password")`.
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
        mailbox_limit: how many messages a behaviour's mailbox holds; 0 for any number.
        queue_limit: how many messages all micro-agents of the container may have waiting.
        when_full: what `send` does with a full mailbox: wait up to `send_timeout`, or fail at once.
        send_timeout: seconds.
        seed: makes the agents' random generators give the same again; None for a new one.
        main: the name of the platform's container, which keeps the list of all, where containers meet at a
            server; without one it is that which the others join.
        directory: how agents find each other: each container has all entries (`"replica"`), or an agent `df`
            of the platform's container has them (`"central"`). All containers of a platform need the same.
        directory_file: where the central directory keeps its entries, if it should outlive its process.
        creatable: the packages or modules whose agents others may have created here, such as `["shop"]`.
        accepts: the packages or modules whose agents may come here from other containers of the platform;
            all classes of their behaviours have to lie there, too. Those that were started here come back
            all the same.
        sleepers: the file in which agents sleep, and from which they wake when the container is opened again;
            None for a temporary one, with which they end.
        copy: whether each agent gets a copy of each message, which cannot be changed and so is shared
            otherwise: to measure what that would cost. What has to wait for room is not copied.
        mode: `"asynchronous"`: each behaviour goes on as soon as it can; `"synchronous"`: all do one cycle,
            which is to receive one message and go on to the next `receive`, before any does its next.
        compute_in: what runs the functions that are given to `compute`: `"processes"`, `"threads"`,
            `"interpreters"` (Python 3.14 and later; for modules that can be imported there, which none can
            that imports this package), or `"auto"`: threads where Python has no global lock, else processes.
        guest: whether it is none of the platform's containers, and only asks these: it is in no list of
            them, and its agents can register nothing.
        conversation_rules: what becomes of a message that has no place in its conversation, as the protocol
            goes: it is a dead letter, and who has sent it is told by a `not-understood` (`"strict"`); or it
            is counted, and goes to the behaviours as any message does (`"lenient"`).

    Raises:
        InvalidNameError: a name cannot be one.
        UsageError: an option is not what it should be, or the ways to meet others do not go together.
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
        identity: Path | str | None = None,
        route: Literal["auto", "direct", "xmpp"] = "auto",
        tls: bool | Literal["always"] = True,
        mailbox_limit: int = 1000,
        queue_limit: int = 100_000,
        when_full: Literal["wait", "fail"] = "wait",
        send_timeout: float = 30.0,
        seed: int | None = None,
        main: str = MAIN,
        directory: Literal["replica", "central"] = "replica",
        directory_file: Path | str | None = None,
        creatable: Sequence[str] = (),
        accepts: Sequence[str] = (),
        sleepers: Path | str | None = None,
        copy: bool = False,
        mode: Mode = "asynchronous",
        compute_in: Means = "auto",
        guest: bool = False,
        conversation_rules: Literal["strict", "lenient"] = "strict",
    ) -> None:
        check_values({
            "server": server, "join": join, "listen": listen,
            "identity": identity, "route": route, "tls": tls, "mailbox_limit": mailbox_limit,
            "queue_limit": queue_limit, "when_full": when_full, "send_timeout": send_timeout,
            "directory_file": directory_file, "sleepers": sleepers, "copy": copy, "guest": guest,
            "conversation_rules": conversation_rules,
        })  # fmt: skip
        identity, directory_file, sleepers = map(as_path, (identity, directory_file, sleepers))
        meeting = meeting_place(server, join)
        check_guest(meeting, guest=guest)
        if platform is None:
            platform = str(getattr(meeting, "platform", PLATFORM))
        self.name = check_container(name)
        self.platform = check_platform(platform)
        self.domain = f"{name}.{platform}"
        connection = ConnectionOptions(listen, route, tls, identity)
        self._facilities = Facilities(self, meeting, connection, check_means(compute_in))
        self.dispatcher = self.dispatcher_type(
            name, platform, when_full, send_timeout, self._facilities.open_services
        )
        self.dispatcher.copies = copy
        self.program_exit = ProgramExit(self.dispatcher, self.close)
        self.lifecycle = Lifecycle(self, mailbox_limit)
        self.seed = randomness.bits(64) if seed is None else seed
        self.creatable = check_modules("creatable=", creatable)
        self.accepts = check_modules("accepts=", accepts)
        check_directory(directory, directory_file)
        check_identity(identity, can_be_joined=listen is not None and server is None)
        self.platform_options = PlatformOptions(
            main=main_domain(self.domain, meeting, join, f"{check_container(main)}.{platform}"),
            directory=directory,
            directory_file=directory_file,
            sleepers=sleepers,
            is_guest=guest,
        )
        self.blockers = Blockers(name)
        self.peers: Peers | None = None
        self.accounting: Accounting | None = None  # as long as the CPU time is accounted by group
        self.conversation_rules = conversation_rules
        self.mode = check_mode(mode)
        self._opening = Opening(self, self._facilities, queue_limit)

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
        """Tell `instrument` of everything that happens from now on."""
        self.dispatcher.add_instrument(instrument)

    def remove_instrument(self, instrument: Instrument) -> None:
        """Tell `instrument` nothing more; one that is not there is no error."""
        self.dispatcher.remove_instrument(instrument)

    def spawn(self, name: str, **options: Any) -> ChildContainer:
        """Make one more container, in a process of its own, which joins this one; `async with` is its life.

        Args:
            name: its own name.
            options: more of what `Container` takes, such as `mailbox_limit` and `seed`.

        Raises:
            InvalidNameError: the name cannot be one.
            UsageError: a container in another process cannot be given such an option.
            ContainerClosedError: this container is not open, or cannot be joined.
        """
        from formicary.local.child import ChildContainer, check_options

        check_options(options)
        if not self.is_open:
            raise self.not_open_error()
        _ = self.join_address
        return ChildContainer(self, name, {"tls": self._facilities.connection.tls, **options})

    def __repr__(self) -> str:
        return f"<Container {self.domain}, {len(self.dispatcher.agents)} agents>"
