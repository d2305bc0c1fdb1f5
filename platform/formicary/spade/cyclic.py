"""The base of SPADE's behaviours: their life cycle from `on_start` to `on_end`, sending and receiving."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from contextlib import suppress
from time import time
from typing import IO, TYPE_CHECKING, Any, Never, TypeVar

from formicary.errors import AgentStateError, UnsupportedError
from formicary.extending import as_raised, get_logger, pause
from formicary.spade.message import Message
from formicary.spade.missing import warn_once
from formicary.spade.runner import MessageQueue, Runner

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from pathlib import Path

    from formicary.spade.agent import Agent
    from formicary.spade.template import BaseTemplate

logger = get_logger("formicary.spade")

_NO_FILES = (
    "containers have no file upload server (XEP-0363): put the file where the receiver can read "
    "it, and send its address with send_file()"
)

BehaviourType = TypeVar("BehaviourType", bound="CyclicBehaviour")


class BehaviourNotFinishedException(Exception):  # noqa: N818 -- SPADE's name
    """A behaviour that has not ended has no exit code."""


class CyclicBehaviour(ABC):
    """Calls `run` repeatedly until it is killed; the base of all kinds.

    `kill` takes effect when the current `run` returns. An exception in `on_start`, `run` or `on_end` is
    logged, ends the behaviour, and becomes its `exit_code`.
    """

    agent: Agent | None
    _our_runner: Runner | None = None  # needed when a template is set before `__init__`

    def __init__(self) -> None:
        self.agent = None
        self._our_template: BaseTemplate | None = None
        self.is_running = False
        self._our_killed = False
        self._our_finished = False
        self._exit_code: Any = 0
        self._our_label: str | None = None
        self._our_joining: list[asyncio.Future[None]] | None = None  # waiters for its end

    # -- for users to write ---------------------------------------------------------------------------------

    async def on_start(self) -> None:  # noqa: B027 -- programs need not have it
        """Called once before anything else; for subclasses."""

    @abstractmethod
    async def run(self) -> None:
        """Run the behaviour; for subclasses."""

    async def on_end(self) -> None:  # noqa: B027 -- as above
        """Called once at the end, also after `kill` or an exception; for subclasses."""

    # -- for users to call ----------------------------------------------------------------------------------

    async def send(self, msg: Message) -> None:
        """Send a copy of a message from the agent; waits while the receiver's mailbox is full.

        A message that cannot be delivered is logged, without an error.

        Raises:
            MailboxFullError: a mailbox had no room until the timeout.
            AgentStateError: the behaviour has no started agent.
            asyncio.CancelledError: if cancelled while waiting for room; the message is not sent.
        """
        agent, runner = self.agent, self._our_runner
        if agent is None or runner is None:
            raise self._our_no_agent()
        if not msg._sender:  # noqa: SLF001 -- calls less for each message
            msg._sender = agent.jid  # noqa: SLF001 -- as above
        receiver = agent.container.addresses.get(msg._to)  # noqa: SLF001 -- as above
        if receiver is None:
            receiver = await agent.container.find(msg, runner.mailbox.address)
        entry: Any = msg
        if receiver is not None:  # otherwise it went to an agent of the program that has not started
            mailbox = runner.mailbox
            message = entry = msg.to_platform(receiver, mailbox.address)
            deliver = mailbox.routes.get(receiver)  # inlined `Behaviour.send`, without its coroutine
            if deliver is None:
                await runner.send_far(message)
            elif full := deliver(message):
                await runner.wait_to_deliver(message, full)
        msg.sent = True
        agent.traces.entries.append((time(), entry, self._our_label or self.our_label))

    def receive(self, timeout: float | None = None) -> Coroutine[Any, Any, Message | None]:
        """Return an awaitable for the next message.

        Args:
            timeout: how many seconds to wait; with None or 0, it does not wait.

        Returns:
            The message; None if there is none.

        Raises:
            asyncio.CancelledError: if cancelled; no message is lost.
        """
        runner = self._our_runner
        if runner is None:
            raise self._our_no_agent()
        receiving: Coroutine[Any, Any, Message | None] = runner.receive_as(
            self._our_label or self.our_label, timeout
        )
        return receiving

    def kill(self, exit_code: Any = None) -> None:
        """End the behaviour when its current `run` returns.

        Args:
            exit_code: the new `exit_code`; None leaves it unchanged, 0 if never set.
        """
        self._our_killed = True
        if exit_code is not None:
            self._exit_code = exit_code

    def is_killed(self) -> bool:
        """Return whether `kill` was called, or an exception was raised."""
        return self._our_killed

    @property
    def exit_code(self) -> Any:
        """The value passed to `kill`, or the exception that ended the behaviour; 0 by default.

        Raises:
            BehaviourNotFinishedException: it was neither killed nor has it ended.
        """
        if self._done() or self._our_killed:
            return self._exit_code
        raise BehaviourNotFinishedException(f"{self} has not ended yet; join() it first")

    @exit_code.setter
    def exit_code(self, value: Any) -> None:
        self._exit_code = value

    def is_done(self) -> bool:
        """Return whether the behaviour has ended."""
        return self._our_finished

    async def join(self, timeout: float | None = None) -> None:
        """Wait until the behaviour has ended; see `exit_code` for the result.

        Args:
            timeout: the limit in seconds; None for no limit.

        Raises:
            TimeoutError: it has not ended in time.
        """
        if self._our_finished:
            return
        ended = asyncio.get_running_loop().create_future()
        if self._our_joining is None:
            self._our_joining = []
        self._our_joining.append(ended)
        async with asyncio.timeout(timeout):
            await ended

    @property
    def template(self) -> BaseTemplate | None:
        """The template of messages that the behaviour gets; None for all."""
        return self._our_template

    @template.setter
    def template(self, template: BaseTemplate | None) -> None:
        self._our_template = template
        if self._our_runner is not None:
            self._our_runner.template_set()

    def set_template(self, template: BaseTemplate | None) -> None:
        """Set which messages the behaviour gets; None for all."""
        self.template = template

    def match(self, message: Message) -> bool:
        """Return whether the behaviour gets a message."""
        return self.template is None or self.template.match(message)

    def mailbox_size(self) -> int:
        """Return how many messages wait to be received."""
        return self.our_runner().mailbox_size()

    @property
    def queue(self) -> MessageQueue | None:
        """The waiting messages; None while the behaviour has no agent."""
        return None if self._our_runner is None else MessageQueue(self._our_runner)

    async def enqueue(self, message: Message) -> None:
        """Add a message to the mailbox."""
        await MessageQueue(self.our_runner()).put(message)

    def get(self, name: str) -> Any:
        """Return the agent's value for `name`; None if it has none."""
        return self._our_own_agent().get(name)

    def set(self, name: str, value: Any) -> None:
        """Set the agent's value for `name`."""
        self._our_own_agent().set(name, value)

    @property
    def presence(self) -> Any:
        """The agent's presence; None without an agent."""
        return None if self.agent is None else self.agent.presence

    @property
    def web(self) -> Any:
        """A stand-in for the agent's web pages; None without an agent."""
        return None if self.agent is None else self.agent.web

    @property
    def our_label(self) -> str:
        """The behaviour's name in the agent's trace."""
        if self._our_label is None:
            self._our_label = str(self)
        return self._our_label

    # -- files ----------------------------------------------------------------------------------------------

    async def upload_file(self, filename: str, input_file: IO[bytes] | None = None) -> str | None:
        """Return None, as SPADE does without a file server; the reason is logged once."""
        del filename, input_file
        warn_once(_NO_FILES)
        return None

    async def send_file(self, to: str, url: str) -> None:
        """Send the URL of a file; errors as of `send`.

        Args:
            to: the receiver.
            url: the file's URL, which is not checked.
        """
        await self.send(Message(to, metadata={"performative": "0363", "url": url}))

    async def upload_and_send_file(
        self, to: str, filename: str, input_file: IO[bytes] | None = None
    ) -> str | None:
        """Upload a file and send its URL, if it has one; errors as of `send`."""
        url = await self.upload_file(filename=filename, input_file=input_file)
        if url is not None:
            await self.send_file(to, url)
        return url

    async def download_file(self, url: str, dest_path: str | Path | None = None) -> Never:
        """Raise UnsupportedError: there is no file server.

        Raises:
            UnsupportedError: always.
        """
        del url, dest_path
        raise UnsupportedError(_NO_FILES)

    def __str__(self) -> str:
        return f"{'/'.join(base.__name__ for base in type(self).__bases__)}/{type(self).__name__}"

    # -- life cycle -----------------------------------------------------------------------------------------

    def set_agent(self, agent: Agent) -> None:
        """Attach the behaviour to an agent; called by the agent."""
        self.agent = agent
        self._our_finished = False
        self._our_runner = Runner(self, agent)

    def our_runner(self) -> Runner:
        """Return the behaviour's runner.

        Raises:
            AgentStateError: it has no agent.
        """
        if self._our_runner is None:
            raise self._our_no_agent()
        return self._our_runner

    def _our_own_agent(self) -> Agent:
        if self.agent is None:
            raise self._our_no_agent()
        return self.agent

    def _our_no_agent(self) -> AgentStateError:
        return AgentStateError(f"{self} has no agent: add it to one with add_behaviour()")

    @classmethod
    def our_has_own_match(cls) -> bool:
        """Return whether a subclass overrides `match`."""
        return cls.match is not CyclicBehaviour.match

    @classmethod
    def our_has_own_step(cls) -> bool:
        """Return whether a kind overrides the step around `run`."""
        return cls._run is not CyclicBehaviour._run

    def _done(self) -> bool:
        """Return whether the behaviour has ended by itself."""
        return False

    async def _run(self) -> None:
        """Run one step, between two checks for `kill`; for the kinds."""
        await self.run()

    async def our_live(self) -> None:
        """Run the behaviour from start to end; called by its runner."""
        agent = self._our_own_agent()
        if not agent.is_alive():
            await agent.our_come_alive()
        try:
            try:
                await self.on_start()
            except Exception as error:  # noqa: BLE001 -- whatever a program raises ends its behaviour
                self._our_failed("on_start", error)
            step = self._run if self.our_has_own_step() else self.run
            mailbox = self.our_runner().mailbox
            while not self._done() and not self._our_killed:
                mailbox.burst = 1  # `receive` sets it to 0 if it waits
                try:
                    await step()
                except Exception as error:  # noqa: BLE001 -- as above
                    self._our_failed("run", error)
                if mailbox.burst:  # as in SPADE, others get their turn after each run
                    await pause()
            try:
                await self.on_end()
            except Exception as error:  # noqa: BLE001 -- as above
                self._our_failed("on_end", error)
        finally:
            self.is_running = False
            agent.container.running.discard(self)
            with suppress(ValueError):  # already removed
                agent.remove_behaviour(self)
            self.our_finish()

    def our_finish(self) -> None:
        """Mark the behaviour as ended, and wake its waiters."""
        self._our_finished = True
        waiting, self._our_joining = self._our_joining or (), None
        for ended in waiting:
            if not ended.done():
                ended.set_result(None)

    def _our_failed(self, where: str, error: Exception) -> None:
        """End with an exception, and log it."""
        agent = self._our_own_agent()
        logger.error(
            "%s of %s of agent %s raised an exception", where, self, agent.jid, exc_info=as_raised(error)
        )
        agent.our_record_failure(type(self).__name__, error)
        self.kill(exit_code=error)
