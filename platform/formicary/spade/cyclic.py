"""The base of SPADE's behaviours: their life, from `on_start` to `on_end`, and what they send and receive."""

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
    """The behaviour has not ended, so it has no exit code."""


class CyclicBehaviour(ABC):
    """Runs `run` again and again until it is killed; the base of all kinds.

    What `kill` says counts when the present `run` returns. An exception in `on_start`, `run` or `on_end` is
    logged, ends the behaviour, and is its `exit_code`.
    """

    agent: Agent | None
    _our_runner: Runner | None = None  # also where a template is set before this class is initialised

    def __init__(self) -> None:
        self.agent = None
        self._our_template: BaseTemplate | None = None
        self.is_running = False
        self._our_killed = False
        self._our_finished = False
        self._exit_code: Any = 0
        self._our_label: str | None = None
        self._our_joining: list[asyncio.Future[None]] | None = None  # who waits for its end

    # -- what a user writes ---------------------------------------------------------------------------------

    async def on_start(self) -> None:  # noqa: B027 -- programs need not have it
        """Run once before anything else; for subclasses."""

    @abstractmethod
    async def run(self) -> None:
        """Run the behaviour; for subclasses."""

    async def on_end(self) -> None:  # noqa: B027 -- as above
        """Run once at the end, also after `kill` and after an exception; for subclasses."""

    # -- what a user calls ----------------------------------------------------------------------------------

    async def send(self, msg: Message) -> None:
        """Send a message from the agent; who receives it gets a copy. A full mailbox makes this wait.

        What does not arrive is logged, and nobody is told.

        Raises:
            MailboxFullError: a mailbox had no room for a long time.
            AgentStateError: the behaviour has no agent that has started.
            asyncio.CancelledError: when cancelled while it waited for room: it was not sent then.
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
        if receiver is not None:  # else an agent of the program that has not started has it
            mailbox = runner.mailbox
            message = entry = msg.to_platform(receiver, mailbox.address)
            deliver = mailbox.routes.get(receiver)  # as `Behaviour.send` does, without its coroutine
            if deliver is None:
                await runner.send_far(message)
            elif full := deliver(message):
                await runner.wait_to_deliver(message, full)
        msg.sent = True
        agent.traces.entries.append((time(), entry, self._our_label or self.our_label))

    def receive(self, timeout: float | None = None) -> Coroutine[Any, Any, Message | None]:
        """Return the next message, when awaited.

        Args:
            timeout: how many seconds to wait for one; with None or 0 it only looks.

        Returns:
            The message; None if there is none.

        Raises:
            asyncio.CancelledError: when cancelled; no message is lost by it.
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
            exit_code: what `exit_code` is then; None leaves that as it is, 0 if nobody has set it.
        """
        self._our_killed = True
        if exit_code is not None:
            self._exit_code = exit_code

    def is_killed(self) -> bool:
        """Return whether `kill` was called, or an exception was raised."""
        return self._our_killed

    @property
    def exit_code(self) -> Any:
        """What `kill` was given, or the exception that has ended the behaviour; 0 without any.

        Raises:
            BehaviourNotFinishedException: it was not killed and has not come to its end.
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
        """Wait until the behaviour has ended; what it has ended with is its `exit_code`.

        Args:
            timeout: how many seconds at most; None for any time.

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
        """Which messages the behaviour gets; None for all."""
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
        """The messages that wait; None while the behaviour has no agent."""
        return None if self._our_runner is None else MessageQueue(self._our_runner)

    async def enqueue(self, message: Message) -> None:
        """Put a message among those that wait to be received."""
        await MessageQueue(self.our_runner()).put(message)

    def get(self, name: str) -> Any:
        """Return the agent's knowledge of `name`, None if it has none."""
        return self._our_own_agent().get(name)

    def set(self, name: str, value: Any) -> None:
        """Set the agent's knowledge of `name`."""
        self._our_own_agent().set(name, value)

    @property
    def presence(self) -> Any:
        """The agent's presence; None without an agent."""
        return None if self.agent is None else self.agent.presence

    @property
    def web(self) -> Any:
        """The agent's pages, which there are not; None without an agent."""
        return None if self.agent is None else self.agent.web

    @property
    def our_label(self) -> str:
        """What the agent's traces call the behaviour."""
        if self._our_label is None:
            self._our_label = str(self)
        return self._our_label

    # -- files ----------------------------------------------------------------------------------------------

    async def upload_file(self, filename: str, input_file: IO[bytes] | None = None) -> str | None:
        """Return None, as SPADE does where no server keeps files; why is logged once."""
        del filename, input_file
        warn_once(_NO_FILES)
        return None

    async def send_file(self, to: str, url: str) -> None:
        """Send the address of a file; errors as of `send`.

        Args:
            to: the receiver.
            url: the file's address, which is not looked at.
        """
        await self.send(Message(to, metadata={"performative": "0363", "url": url}))

    async def upload_and_send_file(
        self, to: str, filename: str, input_file: IO[bytes] | None = None
    ) -> str | None:
        """Upload a file and send its address, if it has one; errors as of `send`."""
        url = await self.upload_file(filename=filename, input_file=input_file)
        if url is not None:
            await self.send_file(to, url)
        return url

    async def download_file(self, url: str, dest_path: str | Path | None = None) -> Never:
        """Refuse: no server keeps files.

        Raises:
            UnsupportedError: always.
        """
        del url, dest_path
        raise UnsupportedError(_NO_FILES)

    def __str__(self) -> str:
        return f"{'/'.join(base.__name__ for base in type(self).__bases__)}/{type(self).__name__}"

    # -- its life -------------------------------------------------------------------------------------------

    def set_agent(self, agent: Agent) -> None:
        """Attach the behaviour to an agent; called by the agent."""
        self.agent = agent
        self._our_finished = False
        self._our_runner = Runner(self, agent)

    def our_runner(self) -> Runner:
        """Return what runs the behaviour.

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
        """Return whether a subclass decides by itself which messages it gets."""
        return cls.match is not CyclicBehaviour.match

    @classmethod
    def our_has_own_step(cls) -> bool:
        """Return whether a kind does more than `run` in each step."""
        return cls._run is not CyclicBehaviour._run

    def _done(self) -> bool:
        """Return whether the behaviour has come to its end by itself."""
        return False

    async def _run(self) -> None:
        """Run one step, between two checks whether it is killed; for the kinds."""
        await self.run()

    async def our_live(self) -> None:
        """Run the behaviour from beginning to end; called by its runner."""
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
                mailbox.burst = 1  # which `receive` makes 0 where it waits
                try:
                    await step()
                except Exception as error:  # noqa: BLE001 -- as above
                    self._our_failed("run", error)
                if mailbox.burst:  # as in SPADE, the others have their turn after each run
                    await pause()
            try:
                await self.on_end()
            except Exception as error:  # noqa: BLE001 -- as above
                self._our_failed("on_end", error)
        finally:
            self.is_running = False
            agent.container.running.discard(self)
            with suppress(ValueError):  # somebody has taken it out
                agent.remove_behaviour(self)
            self.our_finish()

    def our_finish(self) -> None:
        """Mark the behaviour as ended, and wake those who wait for its end."""
        self._our_finished = True
        waiting, self._our_joining = self._our_joining or (), None
        for ended in waiting:
            if not ended.done():
                ended.set_result(None)

    def _our_failed(self, where: str, error: Exception) -> None:
        """End with an exception, which is seen."""
        agent = self._our_own_agent()
        logger.error(
            "%s of %s of agent %s raised an exception", where, self, agent.jid, exc_info=as_raised(error)
        )
        agent.our_record_failure(type(self).__name__, error)
        self.kill(exit_code=error)
