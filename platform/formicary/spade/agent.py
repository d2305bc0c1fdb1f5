"""SPADE's agents."""

from __future__ import annotations

import asyncio
from hashlib import md5
from typing import TYPE_CHECKING, Any

from formicary.container.dead_letters import is_failure
from formicary.core.errors import AuthenticationError
from formicary.core.logs import get_logger
from formicary.core.message import Message as PlatformMessage
from formicary.spade.body import Body
from formicary.spade.container import Container
from formicary.spade.jid import JID, name_of
from formicary.spade.message import Message
from formicary.spade.missing import Missing
from formicary.spade.trace import TraceStore

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from formicary.spade.cyclic import CyclicBehaviour
    from formicary.spade.presence import PresenceManager
    from formicary.spade.template import BaseTemplate

logger = get_logger("formicary.spade")

_TRACED = 1000  # messages, as in SPADE
_NO_WEB = "agents here have no web pages; formicary agents and formicary top show what runs"
_NO_PRESENCE = "it is for agents with an XMPP account, and the program runs without --server, where those are"


class AuthenticationFailure(Exception):  # noqa: N818 -- SPADE's name
    """The agent's account does not accept the password."""


class DisconnectedException(Exception):  # noqa: N818 -- SPADE's name
    """For programs that catch it: nobody connects here, so it is never raised."""


class Agent:
    """An agent of the container in which the program runs. No server is needed, nor a login.

    Where its address is an account at the server at which containers meet, it logs in as well.

    Args:
        jid: its address, such as `"alice@localhost"`.
        password: of its account, if it has one.
        port: not used.
        verify_security: not used.
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
        self.traces = TraceStore(_TRACED, self._traced)
        self.container = Container()
        self._knowledge: dict[str, Any] = {}
        self._body: Body | None = None
        self._alive = False
        self._waiting: list[asyncio.Future[None]] = []  # for it to be alive, or not any more
        self._own_dispatch: Callable[[Message], Any] | None = None
        self._web: Missing | None = None
        self._presence: PresenceManager | Missing = Missing("agent.presence", _NO_PRESENCE)
        self.container.register(self)

    # -- its life -------------------------------------------------------------------------------------------

    async def setup(self) -> None:
        """Prepare the agent when it starts; for subclasses. Behaviours start after it."""

    async def _hook_plugin_before_connection(self) -> None:
        """Prepare before the agent is in its container; for SPADE's plugins."""

    async def _hook_plugin_after_connection(self) -> None:
        """Prepare when the agent is in its container, before `setup`; for SPADE's plugins."""

    async def start(self, auto_register: bool = True) -> None:  # noqa: FBT001, FBT002 -- SPADE's
        """Start the agent in the program's container, which is opened by the first; again, it does nothing.

        Args:
            auto_register: not used.

        Raises:
            NameTakenError: an agent that is none of SPADE's has this name in the container.
            FormicaryError: the container cannot be opened.
            AuthenticationFailure: the agent has an account, which does not accept the password.
            Exception: what `setup` raises; the agent has not started then.
        """
        del auto_register
        if self._body is not None:
            return
        await self._hook_plugin_before_connection()
        host = await self.container.open()
        await asyncio.sleep(0)  # as SPADE waits for its server here: what has started goes on
        accounts = self.container.accounts
        body = Body(name_of(self.jid), self) if accounts is None else await accounts.body(self)
        if self._body is not None:
            return  # it was started a second time meanwhile
        self._body = body
        self._take_over(host.dispatcher.agents.get(f"{body.name}@{host.domain}"))
        try:
            await host.start(body)
            self.container.has_started(self.jid, body)
            self._presence = body.presence_of() or self._presence
            await self._hook_plugin_after_connection()
            await self.setup()
        except BaseException as error:
            self._body = None
            body.abandon()
            if isinstance(error, AuthenticationError):
                raise AuthenticationFailure(str(error)) from error
            raise
        if self._body is None:
            return  # `setup` has stopped it
        self._alive = True
        self._tell()
        for behaviour in tuple(self.behaviours):
            if not behaviour.is_running:
                self._begin(behaviour)

    def _take_over(self, other: object) -> None:
        """Get the messages from now on, as in SPADE, where another agent of the program has this address."""
        if isinstance(other, Body):
            logger.warning("a second agent %s has started: it gets what was for the first", self.jid)
            other.become_gone()

    def _begin(self, behaviour: CyclicBehaviour) -> None:
        assert self._body is not None
        behaviour.is_running = True
        self.container.running.add(behaviour)
        self._body.add_behaviour(behaviour.runner())

    async def stop(self) -> None:
        """End the agent: it gets no message more, and its behaviours end after their present `run`."""
        body = self._body
        if self._alive:
            for behaviour in self.behaviours:
                behaviour.kill()
            try:
                await self.container.let_others_run()  # as SPADE does, which waits for its server here
            finally:
                self.end()
        else:
            self.end()
        if body is not None:
            await body.log_out()

    def end(self) -> None:
        """End the agent; for its container."""
        for behaviour in self.behaviours:
            behaviour.kill()
        body, self._body = self._body, None
        self._alive = False
        self._tell()
        if body is not None:
            body.become_gone()

    def is_alive(self) -> bool:
        """Tell whether the agent has started and has not been stopped."""
        return self._alive

    async def come_alive(self) -> None:
        """Wait until the agent has started; for its behaviours."""
        while not self._alive:
            await self._change()

    async def finished(self) -> None:
        """Wait until the agent is not alive."""
        while self._alive:
            await self._change()

    async def _change(self) -> None:
        change = asyncio.get_running_loop().create_future()
        self._waiting.append(change)
        await change

    def _tell(self) -> None:
        waiting, self._waiting = self._waiting, []
        for change in waiting:
            if not change.done() and not change.get_loop().is_closed():
                change.set_result(None)

    # -- what it is -----------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The part of its address before the `@`."""
        return self.jid.node

    @property
    def avatar(self) -> str:
        """The address of a picture that is made of the agent's address, at Gravatar."""
        return self.build_avatar_url(self.jid.bare)

    @staticmethod
    def build_avatar_url(jid: str) -> str:
        """Return the address of a picture that is made of an address, at Gravatar."""
        digest = md5(str(jid).encode(), usedforsecurity=False).hexdigest()
        return f"http://www.gravatar.com/avatar/{digest}?d=monsterid"

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The event loop of the program's container; None where that is not open."""
        return self.container.loop

    @property
    def presence(self) -> PresenceManager | Missing:
        """Its presence; where it has no account, what is called of it says that it is not there."""
        return self._presence

    @property
    def web(self) -> Missing:
        """Its web pages: what is called of them says that they are not there."""
        if self._web is None:
            self._web = Missing("agent.web", _NO_WEB)
        return self._web

    def submit(self, coro: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run a coroutine as a task, and return that."""
        return asyncio.create_task(coro)

    def get(self, name: str) -> Any:
        """Return the agent's knowledge of `name`, None if it has none."""
        return self._knowledge.get(name)

    def set(self, name: str, value: Any) -> None:
        """Set the agent's knowledge of `name`."""
        self._knowledge[name] = value

    # -- behaviours -----------------------------------------------------------------------------------------

    def add_behaviour(self, behaviour: CyclicBehaviour, template: BaseTemplate | None = None) -> None:
        """Give the agent a behaviour, now or, if it has not started, when it starts.

        Args:
            behaviour: what to do.
            template: which messages it gets; None for all, whatever template it had.
        """
        behaviour.set_agent(self)
        behaviour.set_template(template)
        self.behaviours.append(behaviour)
        if self._alive:
            self._begin(behaviour)

    def remove_behaviour(self, behaviour: CyclicBehaviour) -> None:
        """Take a behaviour away: it gets nothing more, and ends after its present `run`.

        Raises:
            ValueError: the agent does not have it.
        """
        if behaviour not in self.behaviours:
            raise ValueError(f"agent {self.jid} does not have {behaviour}")
        behaviour.kill()
        self.behaviours.remove(behaviour)
        behaviour.runner().take_nothing()

    def has_behaviour(self, behaviour: CyclicBehaviour) -> bool:
        """Tell whether the agent has a behaviour."""
        return behaviour in self.behaviours

    def record_failure(self, part: str, error: Exception) -> None:
        """Note that a part of the agent has failed, for those who look at the container."""
        if self._body is not None:
            self._body.record_failure(part, error)

    # -- messages -------------------------------------------------------------------------------------------

    def message_of(self, message: PlatformMessage) -> Message:
        """Return what has come as SPADE's programs know it."""
        return Message.from_platform(message, self.jid, self.container.jid_of(message.sender))

    def _traced(self, event: Any) -> Any:
        """Return a message that the traces have kept."""
        if not isinstance(event, PlatformMessage):
            return event
        sender = self.container.jid_of(event.sender)
        if sender != self.jid or event.to is None:
            return self.message_of(event)
        message = Message.from_platform(event, self.container.jid_of(str(event.to)), sender)
        message.sent = True
        return message

    def inward(self, message: Message) -> PlatformMessage:
        """Return a message that a program hands to this agent past its container."""
        return message.to_platform(None, str(message.sender) if message.sender else None)

    @property
    def dispatch(self) -> Callable[[Message], Any]:
        """What hands a message to those behaviours that want it; a program may set one of its own."""
        return self._own_dispatch or self._dispatch

    @dispatch.setter
    def dispatch(self, dispatch: Callable[[Message], Any]) -> None:
        self._own_dispatch = dispatch
        if self._body is not None:
            self._body.rewire()

    def has_own_dispatch(self) -> bool:
        """Tell whether the program hands messages to behaviours by itself."""
        return self._own_dispatch is not None or type(self).dispatch is not Agent.dispatch

    def _dispatch(self, message: Message) -> None:
        wanting = [behaviour for behaviour in self.behaviours if behaviour.match(message)]
        for behaviour in wanting:
            behaviour.runner().mailbox.put(self.inward(message))
        if not wanting:
            self._log_unwanted(message)

    def unwanted(self, message: PlatformMessage) -> None:
        """Take a message that no behaviour in the container wants; for what the agent is there."""
        if is_failure(message):
            self._log_failure(message)
        elif not self._alive:
            self._dispatch(self.message_of(message))  # its behaviours have not begun
        elif self._body is not None:
            self.traces.append(self.message_of(message))
            self._body.add_dead_letter(message)

    def _log_unwanted(self, message: Message) -> None:
        self.traces.append(message)
        logger.warning("no behaviour of agent %s takes a message from %s", self.jid, message.sender)

    def _log_failure(self, message: PlatformMessage) -> None:
        receiver = (message.metadata or {}).get("receiver", "")
        to = self.container.forget(receiver)
        own = self.container.domain
        if own is None or not str(message.sender).endswith(f"@{own}"):  # else it was logged as a dead letter
            logger.warning("what %s sent to %s did not arrive: %s", self.jid, to, message.body)
