"""SPADE's agents."""

from __future__ import annotations

import asyncio
from functools import cached_property
from hashlib import md5
from typing import TYPE_CHECKING, Any, TypeVar

from formicary import Message as PlatformMessage
from formicary.errors import AuthenticationError
from formicary.extending import get_logger, is_failure
from formicary.spade.body import Body, Starting
from formicary.spade.container import Container
from formicary.spade.jid import JID, name_of
from formicary.spade.message import Message
from formicary.spade.missing import NoClient, Pages
from formicary.spade.presence import PresenceManager
from formicary.spade.trace import TraceStore

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from formicary.spade.cyclic import CyclicBehaviour
    from formicary.spade.template import BaseTemplate

logger = get_logger("formicary.spade")

_TRACED = 1000  # messages, as in SPADE
_NO_CLIENT = NoClient()

AgentType = TypeVar("AgentType", bound="Agent")


class AuthenticationFailure(Exception):  # noqa: N818 -- SPADE's name
    """The agent's account does not accept the password."""


class DisconnectedException(Exception):  # noqa: N818 -- SPADE's name
    """Never raised, since nothing connects here; for programs that catch it."""


class Agent:
    """An agent of the program's container. It needs neither a server nor a login.

    If its address is an account on the server where containers meet, it also logs in.

    Args:
        jid: its address, such as `"alice@localhost"`.
        password: the password of its account, if any.
        port: ignored.
        verify_security: ignored.
    """

    def __init__(
        self,
        jid: str,
        password: str = "",
        port: int = 5222,
        verify_security: bool = False,  # noqa: FBT001, FBT002
    ) -> None:
        self.jid = JID(str(jid))
        self.password = password
        self.xmpp_port = port
        self.verify_security = verify_security
        self.behaviours: list[CyclicBehaviour] = []
        self.client: Any = None
        self.traces = TraceStore(_TRACED, self._our_traced)
        self.container = Container()
        self._values: dict[str, Any] = {}
        self._our_body: Body | None = None
        self._alive = False
        self._our_waiting: list[asyncio.Future[None]] = []  # for it to start or stop
        self._our_own_dispatch: Callable[[Message], Any] | None = None
        self.container.register(self)

    # -- life cycle -----------------------------------------------------------------------------------------

    async def setup(self) -> None:
        """Prepare the agent at its start, before its behaviours; for subclasses."""

    async def _hook_plugin_before_connection(self) -> None:
        """Prepare before the agent enters its container; for SPADE plugins."""

    async def _hook_plugin_after_connection(self) -> None:
        """Prepare after the agent enters its container, before `setup`; for SPADE plugins."""

    def start(self, auto_register: bool = True) -> Starting:  # noqa: FBT001, FBT002 -- SPADE's
        """Start the agent in the program's container, which the first one opens; no effect if started.

        Await the result.

        Args:
            auto_register: ignored.

        Raises:
            NameTakenError: another agent, not one of SPADE, has this name in the container.
            FormicaryError: the container cannot be opened.
            AuthenticationFailure: the agent's account does not accept the password.
            Exception: raised by `setup`; the agent is not started.
        """
        del auto_register
        return Starting(self._our_start(), self.jid)

    async def _our_start(self) -> None:
        if self._our_body is not None:
            return
        await self._hook_plugin_before_connection()
        host = await self.container.open()
        await asyncio.sleep(0)  # SPADE waits for its server here: let started behaviours run
        accounts = self.container.accounts
        body = Body(name_of(self.jid), self) if accounts is None else await accounts.body(self)
        if self._our_body is not None:
            return  # it was started again meanwhile
        self._our_body = body
        self._our_take_over(host.dispatcher.agents.get(f"{body.name}@{host.domain}"))
        try:
            await host.start(body)
            self.container.has_started(self.jid, body)
            self.client = _NO_CLIENT
            body.bring_presence()
            await self._hook_plugin_after_connection()
            await self.setup()
        except BaseException as error:
            self._our_body = None
            body.abandon()
            if isinstance(error, AuthenticationError):
                raise AuthenticationFailure(str(error)) from error
            raise
        if self._our_body is None:
            return  # `setup` stopped it
        self._alive = True
        self._our_tell()
        for behaviour in tuple(self.behaviours):
            if not behaviour.is_running:
                self._our_begin(behaviour)

    def _our_take_over(self, other: object) -> None:
        """Take over the address of another agent of the program, as in SPADE."""
        if isinstance(other, Body):
            logger.warning(
                "a second agent %s has started; it now receives the messages of the first", self.jid
            )
            other.become_gone()

    def _our_begin(self, behaviour: CyclicBehaviour) -> None:
        assert self._our_body is not None
        behaviour.is_running = True
        self.container.running.add(behaviour)
        self._our_body.add_behaviour(behaviour.our_runner())

    async def stop(self) -> None:
        """Stop the agent: it gets no more messages, and its behaviours end after their current `run`."""
        body = self._our_body
        if self._alive:
            for behaviour in self.behaviours:
                behaviour.kill()
            try:
                await self.container.let_others_run()  # SPADE waits for its server here
            finally:
                self.our_end()
        else:
            self.our_end()
        if body is not None:
            await body.log_out()

    def our_end(self) -> None:
        """End the agent; for its container."""
        for behaviour in self.behaviours:
            behaviour.kill()
        body, self._our_body = self._our_body, None
        self._alive = False
        self._our_tell()
        if body is not None:
            body.become_gone()

    def is_alive(self) -> bool:
        """Return whether the agent has started and has not been stopped."""
        return self._alive

    async def our_come_alive(self) -> None:
        """Wait until the agent has started; for its behaviours."""
        while not self._alive:
            await self._our_change()

    async def our_finished(self) -> None:
        """Wait until the agent is not alive."""
        while self._alive:
            await self._our_change()

    async def _our_change(self) -> None:
        change = asyncio.get_running_loop().create_future()
        self._our_waiting.append(change)
        await change

    def _our_tell(self) -> None:
        waiting, self._our_waiting = self._our_waiting, []
        for change in waiting:
            if not change.done() and not change.get_loop().is_closed():
                change.set_result(None)

    # -- state ----------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The part of its address before the `@`."""
        return self.jid.node

    @property
    def avatar(self) -> str:
        """The Gravatar URL of the agent's address."""
        return self.build_avatar_url(self.jid.bare)

    @staticmethod
    def build_avatar_url(jid: str) -> str:
        """Return the Gravatar URL of an address."""
        digest = md5(str(jid).encode(), usedforsecurity=False).hexdigest()
        return f"http://www.gravatar.com/avatar/{digest}?d=monsterid"

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The event loop of the program's container; None if that is not open. Setting it does nothing."""
        return self.container.loop

    @loop.setter
    def loop(self, loop: object) -> None:
        pass

    def set_loop(self, loop: object) -> None:
        """Do nothing: there is one event loop."""

    def set_container(self, container: Container) -> None:
        """Set `container`."""
        self.container = container

    @cached_property
    def presence(self) -> PresenceManager:
        """Its presence, visible to others if it has an account."""
        return PresenceManager(self)

    @cached_property
    def web(self) -> Pages:
        """A stand-in for its web pages, which do not exist."""
        return Pages()

    def submit(self, coro: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a coroutine as a task, and return the task."""
        return asyncio.create_task(coro)

    def get(self, name: str) -> Any:
        """Return the agent's value for `name`; None if it has none."""
        return self._values.get(name)

    def set(self, name: str, value: Any) -> None:
        """Set the agent's value for `name`."""
        self._values[name] = value

    # -- behaviours -----------------------------------------------------------------------------------------

    def add_behaviour(self, behaviour: CyclicBehaviour, template: BaseTemplate | None = None) -> None:
        """Add a behaviour; it starts now, or when the agent starts.

        Args:
            behaviour: the behaviour.
            template: which messages it gets; None for all, replacing any earlier template.
        """
        behaviour.set_agent(self)
        behaviour.set_template(template)
        self.behaviours.append(behaviour)
        if self._alive:
            self._our_begin(behaviour)

    def remove_behaviour(self, behaviour: CyclicBehaviour) -> None:
        """Remove a behaviour: it gets no more messages, and ends after its current `run`.

        Raises:
            ValueError: the agent does not have it.
        """
        if behaviour not in self.behaviours:
            raise ValueError(f"agent {self.jid} does not have {behaviour}")
        behaviour.kill()
        self.behaviours.remove(behaviour)
        behaviour.our_runner().take_nothing()

    def has_behaviour(self, behaviour: CyclicBehaviour) -> bool:
        """Return whether the agent has a behaviour."""
        return behaviour in self.behaviours

    def our_record_failure(self, part: str, error: Exception) -> None:
        """Record a failure of the agent in the container."""
        if self._our_body is not None:
            self._our_body.record_failure(part, error)

    # -- messages -------------------------------------------------------------------------------------------

    def our_message_of(self, message: PlatformMessage) -> Message:
        """Return a received message as a SPADE message."""
        return Message.from_platform(message, self.jid, self.container.jid_of(message.sender))

    def _our_traced(self, event: Any) -> Any:
        """Return a message from the trace."""
        if not isinstance(event, PlatformMessage):
            return event
        sender = self.container.jid_of(event.sender)
        if sender != self.jid or event.to is None:
            return self.our_message_of(event)
        message = Message.from_platform(event, self.container.jid_of(str(event.to)), sender)
        message.sent = True
        return message

    def our_inward(self, message: Message) -> PlatformMessage:
        """Return a message that a program passes directly to this agent."""
        return message.to_platform(None, str(message.sender) if message.sender else None)

    @property
    def dispatch(self) -> Callable[[Message], Any]:
        """The function that passes a message to matching behaviours; a program may replace it."""
        return self._our_own_dispatch or self._our_dispatch

    @dispatch.setter
    def dispatch(self, dispatch: Callable[[Message], Any]) -> None:
        self._our_own_dispatch = dispatch
        if self._our_body is not None:
            self._our_body.rewire()

    def our_has_own_dispatch(self) -> bool:
        """Return whether the program replaced `dispatch`."""
        return self._our_own_dispatch is not None or type(self).dispatch is not Agent.dispatch

    def _our_dispatch(self, message: Message) -> None:
        wanting = [behaviour for behaviour in self.behaviours if behaviour.match(message)]
        for behaviour in wanting:
            behaviour.our_runner().mailbox.put(self.our_inward(message))
        if not wanting:
            self._our_log_unwanted(message)

    def our_unwanted(self, message: PlatformMessage) -> None:
        """Handle a message that no behaviour matches; called by the body."""
        if is_failure(message):
            self._our_log_failure(message)
        elif not self._alive:
            self._our_dispatch(self.our_message_of(message))  # its behaviours have not started
        elif self._our_body is not None:
            self.traces.append(self.our_message_of(message))
            self._our_body.add_dead_letter(message)

    def _our_log_unwanted(self, message: Message) -> None:
        self.traces.append(message)
        logger.warning("no behaviour of agent %s matches a message from %s", self.jid, message.sender)

    def _our_log_failure(self, message: PlatformMessage) -> None:
        receiver = (message.metadata or {}).get("receiver", "")
        to = self.container.forget(receiver)
        own = self.container.domain
        if own is None or not str(message.sender).endswith(f"@{own}"):  # otherwise logged as a dead letter
            logger.warning("a message from %s to %s was not delivered: %s", self.jid, to, message.body)
