"""The interface of the container to its agents and their behaviours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, Protocol, TypeVar, TypeVarTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from formicary.core.base_agent import BaseAgent
    from formicary.core.behaviour import Behaviour
    from formicary.core.failures import FailureRecord
    from formicary.core.mailbox import Deliver, MessageSink, Routes
    from formicary.core.message import Message
    from formicary.core.micro import MicroAgent
    from formicary.core.strand import Strand

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class Overflow(Protocol):
    """Handles messages to full mailboxes."""

    def refuse(self, message: Message, full: Sequence[MessageSink]) -> NoReturn:
        """Add the message to the dead letters, and raise `MailboxFullError`."""

    async def wait_to_deliver(self, message: Message, full: Sequence[MessageSink]) -> None:
        """Wait until full mailboxes have taken the message."""


class Conversations(Protocol):
    """Takes the messages that belong to agents' conversations."""

    def resumed(self, address: str) -> None:
        """Called when a suspended agent is resumed."""


class Dispatcher(Protocol):
    """Handles messages that do not go straight to their receivers."""

    routes: Routes

    @property
    def conversations(self) -> Conversations | None:
        """Takes messages of conversations; None if there are none."""

    @property
    def held(self) -> Mapping[str | None, object]:
        """The messages that wait for agents at rest, by full name."""

    @property
    def overflow(self) -> Overflow:
        """Handles messages to full mailboxes."""

    async def send(self, message: Message) -> None:
        """Send a message, waiting while there is no room."""

    def send_nowait(self, message: Message) -> None:
        """Send a message, without waiting for room."""

    def add_dead_letter(self, message: Message, reason: str, receiver: str | None = None) -> None:
        """Add a message that cannot be delivered to the dead letters, and notify its sender."""

    def wrap(self, agent: Any) -> Deliver:
        """Return the function that delivers to an agent."""


class Lifecycle(Protocol):
    """Is notified of starts and ends."""

    def start_behaviour(self, behaviour: Behaviour) -> None:
        """Start a behaviour of an agent that has started."""

    def behaviour_ended(self, behaviour: Behaviour, error: BaseException | None) -> None:
        """Called when a behaviour has ended; `error` is its exception, if any."""

    def handle_failed(self, agent: MicroAgent, error: BaseException) -> None:
        """Called when the `handle` of a micro-agent has raised an exception."""

    def is_failure(self, error: BaseException) -> bool:
        """Return whether an error is a failure, rather than a sign that the container is closing."""

    def agent_failed(self, failure: FailureRecord, error: BaseException) -> None:
        """Called when an agent, or a part of it, has failed."""

    def failure_told(self, error: BaseException) -> None:
        """Called when an agent's exception is reported to somebody."""

    def let_join_end(self) -> None:
        """Wake all that wait for the end, if no agent can continue."""

    async def wait_for_end(self, strands: Sequence[Strand]) -> None:
        """Wait until an agent's strands have ended; those that do not end in time are abandoned."""

    def agent_gone(self, agent: BaseAgent) -> None:
        """Called when an agent is gone."""


class Host(Protocol):
    """Where agents live: a container."""

    seed: int

    @property
    def dispatcher(self) -> Dispatcher:
        """The dispatcher."""

    async def compute(self, function: Callable[[*Ts], T], *arguments: *Ts, timeout: float | None = None) -> T:
        """Run a plain function beside the event loop."""

    @property
    def lifecycle(self) -> Lifecycle:
        """Is notified of starts and ends."""
