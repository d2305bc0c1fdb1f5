"""The program's container, as SPADE programs use it, and `run`."""

from __future__ import annotations

import asyncio
import atexit
import signal
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self
from weakref import WeakValueDictionary

from formicary import Container as Host
from formicary import Limits
from formicary.extending import as_raised, get_logger, is_container_of, loop_factory
from formicary.spade.jid import JID, NOBODY, jid_of, name_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine
    from contextlib import AbstractAsyncContextManager

    from formicary.spade.account import Accounts
    from formicary.spade.agent import Agent
    from formicary.spade.body import Body
    from formicary.spade.cyclic import CyclicBehaviour
    from formicary.spade.message import Message

logger = get_logger("formicary.spade")

MAILBOX_LIMIT = 100_000
"""How many messages may wait for a behaviour. SPADE has no limit, and many behaviours never receive."""

_REMEMBERED = 65_536
_MEET = 10.0  # s after opening in which a container may not know all others
_LAST = 0.1  # s for behaviours to end with the program, about as long as SPADE takes to disconnect
_AGAIN = 0.1  # s between searches for an agent during that time


def _close(loop: asyncio.AbstractEventLoop, opening: asyncio.Task[None]) -> None:
    """Close the container when a program ends without closing its event loop."""
    if not loop.is_closed() and not loop.is_running():
        opening.cancel()
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(opening)


def _alone() -> Host:
    return Host("c1", limits=Limits(mailbox=MAILBOX_LIMIT))


class Container:
    """The one container of the program; `Container()` returns it.

    The first agent to start opens it; the end of the event loop, or `run`, closes it.
    """

    _only: ClassVar[Any] = None

    opener: Callable[[], AbstractAsyncContextManager[Host]]
    """Creates the platform's container; to replace it, set it before the first agent starts."""

    accounts: Accounts | None
    """The agents' accounts; None for no accounts."""

    jids: dict[str | None, JID]
    """Addresses of agents by full name, and of all others asked for so far."""

    addresses: dict[JID, str]
    """Known full names of the platform's agents by address."""

    def __new__(cls) -> Self:
        """Return the only instance."""
        if cls._only is None:
            cls._only = super().__new__(cls)
            cls._only.opener = _alone
            cls._only.accounts = None
            cls._only.reset()
        only: Self = cls._only
        return only

    def reset(self) -> None:
        """Forget all agents of the program; those that run continue."""
        self.running: set[CyclicBehaviour] = set()
        self._agents: WeakValueDictionary[str, Agent] = WeakValueDictionary()
        self._host: Host | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._opening: asyncio.Task[None] | None = None
        self._meets_until = 0.0
        self._clear()

    def _clear(self) -> None:
        self.addresses = {}
        self.jids = {None: NOBODY}

    # -- the platform's container ---------------------------------------------------------------------------

    async def open(self) -> Host:
        """Return the platform's container, opened first if needed in this event loop.

        Raises:
            FormicaryError: it cannot be opened.
        """
        loop = asyncio.get_running_loop()
        if self._host is None or self._loop is not loop or not self._host.is_open:
            if self._opening is None or self._opening.get_loop() is not loop or self._opening.done():
                opened = loop.create_future()
                self._opening = loop.create_task(self._keep_open(opened), name="SPADE's container")
                self._opened = opened
            await asyncio.wait([self._opening, self._opened], return_when=asyncio.FIRST_COMPLETED)
            if not self._opened.done():
                await self._opening
        assert self._host is not None
        return self._host

    async def _keep_open(self, opened: asyncio.Future[None]) -> None:
        async with self.opened():
            opened.set_result(None)
            assert self._opening is not None  # this task
            close = partial(_close, asyncio.get_running_loop(), self._opening)
            atexit.register(close)
            try:
                await asyncio.Event().wait()  # the end of the event loop cancels this
            finally:
                atexit.unregister(close)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Open the platform's container for a block."""
        try:
            async with self.opener() as host:
                self._clear()
                self._host, self._loop = host, asyncio.get_running_loop()
                self._meets_until = self._loop.time() + _MEET
                yield
        finally:
            await self._end_behaviours()

    async def _end_behaviours(self) -> None:
        """End the remaining behaviours of stopped agents without `on_end`, as SPADE does."""
        running, self.running = self.running, set()
        strands = [
            strand for behaviour in running if (strand := behaviour.our_runner().mailbox.strand) is not None
        ]
        for strand in strands:
            strand.cancel()
        if strands:
            await asyncio.wait(strands)

    async def let_others_run(self) -> None:
        """Run each behaviour that is ready once."""
        await asyncio.sleep(0)
        scheduler = None if self._host is None else self._host.scheduler
        if scheduler is not None:
            # It resumes a bounded number per turn of the loop, first come, first served.
            last = scheduler.resumed + len(scheduler.ready) // 2
            while scheduler.awake and scheduler.resumed < last:  # noqa: ASYNC110 -- they take turns
                await asyncio.sleep(0)

    async def stop_all(self) -> None:
        """Stop all agents of the program, and wait briefly for their behaviours."""
        await self.let_others_run()
        running = set(self.running)
        await asyncio.gather(*(agent.stop() for agent in tuple(self._agents.values()) if agent.is_alive()))
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST):
                for behaviour in running:
                    await behaviour.join()

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The event loop in which it is open; None if it is not. Setting it does nothing."""
        return self._loop

    @loop.setter
    def loop(self, loop: object) -> None:
        pass

    @property
    def domain(self) -> str | None:
        """The full domain of the platform's container; None if it has not been opened."""
        return None if self._host is None else self._host.domain

    # -- addresses ------------------------------------------------------------------------------------------

    def has_started(self, jid: JID, body: Body) -> None:
        """Record where messages to an agent of the program go."""
        assert body.address is not None
        self._remember(jid, body.address)

    def _remember(self, jid: JID, address: str) -> None:
        if len(self.addresses) >= _REMEMBERED:
            self.addresses.clear()
        self.addresses[jid] = address

    def forget(self, address: str) -> JID:
        """Forget an agent, so that the next message searches for it; return its SPADE address."""
        jid = self.jid_of(address)
        self.addresses.pop(jid, None)
        return jid

    def jid_of(self, address: str | None) -> JID:
        """Return a message sender's SPADE address."""
        jid = self.jids.get(address)
        if jid is None:
            assert address is not None
            if len(self.jids) >= _REMEMBERED:
                self.jids = {None: NOBODY}
            platform = "" if self._host is None else self._host.platform
            jid = self.jids[address] = jid_of(address, platform)
            if jid not in self.addresses:
                self._remember(jid, address)  # for answers
        return jid

    async def find(self, message: Message, sender: str | None) -> str | None:
        """Find where to send a message whose receiver is not known yet.

        Args:
            message: the message.
            sender: the full name of the agent that sends it.

        Returns:
            The full name of an agent of the platform, or an address outside; None if it went to an agent of
            the program that has not started.

        Raises:
            FormicaryError: the container is not open.
        """
        host = await self.open()
        jid = JID(str(message.to))
        name = name_of(jid)
        own = f"{name}@{host.domain}"
        if own in host.dispatcher.agents:
            self._remember(jid, own)
            return own
        if (agent := self._agents.get(jid)) is not None:
            agent.dispatch(message)
            return None
        if is_container_of(jid.domain, host.platform):
            return str(jid.bare)
        if host.dispatcher.transport is not None:
            if (found := await self._search(host, name)) is not None:
                self._remember(jid, found)
                return found
            if "." in jid.domain or sender in host.dispatcher.outlets:
                return str(jid)
        return self._find_with_resource(jid) or own

    async def _search(self, host: Host, name: str) -> str | None:
        """Return the full name of an agent of this name in any container; None if there is none.

        A container that has just opened may not know all others yet, so it searches again.
        """
        loop = asyncio.get_running_loop()
        while True:
            for each in await host.management.list_agents(name):
                if each.name.partition("@")[0] == name:
                    return each.name
            if loop.time() > self._meets_until:
                return None
            await asyncio.sleep(_AGAIN)

    def _find_with_resource(self, jid: JID) -> str | None:
        """Return the full name of a program's agent whose address differs only by resource."""
        return next(
            (name for each, name in self.addresses.items() if each.bare == jid.bare and each != jid), None
        )

    # -- SPADE's interface ----------------------------------------------------------------------------------

    def register(self, agent: Agent) -> None:
        """Register an agent under its address."""
        self._agents[str(agent.jid)] = agent

    def unregister(self, jid: str) -> None:
        """Unregister the agent of an address."""
        self._agents.pop(str(jid), None)

    def has_agent(self, jid: str) -> bool:
        """Return whether there is an agent of this address in the program, started or not."""
        return jid in self._agents

    def get_agent(self, jid: str) -> Agent:
        """Return the agent of an address; KeyError if there is none in the program."""
        return self._agents[jid]

    async def send(self, msg: Message, behaviour: Any) -> None:
        """Send a message of a behaviour."""
        await behaviour.send(msg)

    def run(self, coro: Coroutine[Any, Any, Any]) -> None:
        """Run a coroutine as `spade.run` does."""
        run_container(coro)


async def _main(main_func: Coroutine[Any, Any, Any], terminated: list[int]) -> None:
    task = asyncio.current_task()
    assert task is not None

    def terminate() -> None:
        terminated.append(128 + signal.SIGTERM)
        task.cancel()

    with suppress(NotImplementedError):  # Windows has no such handlers
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, terminate)
    async with Container().opened():
        try:
            await main_func
        except Exception as error:
            logger.exception("the program ended with an exception", exc_info=as_raised(error))
        await Container().stop_all()


def run_container(main_func: Coroutine[Any, Any, Any], embedded_xmpp_server: bool = False) -> None:  # noqa: FBT001, FBT002
    """Run a program in an event loop; when it ends, all agents are stopped.

    As in SPADE, an exception or Ctrl-C is logged, and the script continues. SIGTERM also stops the agents.

    Args:
        main_func: the coroutine.
        embedded_xmpp_server: ignored: no server is needed.

    Raises:
        FormicaryError: the container cannot be opened.
        SystemExit: SIGTERM was received.
    """
    del embedded_xmpp_server
    terminated: list[int] = []
    try:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            runner.run(_main(main_func, terminated))
    except KeyboardInterrupt:
        logger.warning("interrupted; all agents have been stopped")
    except asyncio.CancelledError:
        if terminated:
            raise SystemExit(terminated[0]) from None
        raise
