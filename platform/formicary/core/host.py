"""What agents and their behaviours ask of the container that they live in."""

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
    """What becomes of messages to full mailboxes."""

    def refuse(self, message: Message, full: Sequence[MessageSink]) -> NoReturn:
        """Raise `MailboxFullError`; the message is a dead letter."""

    async def wait_to_deliver(self, message: Message, full: Sequence[MessageSink]) -> None:
        """Wait until full mailboxes have taken the message."""


class Conversations(Protocol):
    """What takes the messages of agents that belong to their conversations."""

    def resumed(self, address: str) -> None:
        """Called when a suspended agent is resumed."""


class Dispatcher(Protocol):
    """What messages go through that do not go straight to their receivers."""

    routes: Routes

    @property
    def conversations(self) -> Conversations | None:
        """What takes messages of conversations; None where there are none."""

    @property
    def held(self) -> Mapping[str | None, object]:
        """What waits for agents that are at rest, by their full names."""

    @property
    def overflow(self) -> Overflow:
        """What becomes of messages to full mailboxes."""

    async def send(self, message: Message) -> None:
        """Send a message, waiting where there is no room."""

    def send_nowait(self, message: Message) -> None:
        """Send a message, without waiting for room."""

    def add_dead_letter(self, message: Message, reason: str, receiver: str | None = None) -> None:
        """Put a message that cannot be delivered among the dead letters, and tell its sender."""

    def wrap(self, agent: Any) -> Deliver:
        """Return the way in to an agent."""


class Lifecycle(Protocol):
    """What has to know of beginnings and ends."""

    def start_behaviour(self, behaviour: Behaviour) -> None:
        """Start a behaviour of an agent that has started."""

    def behaviour_ended(self, behaviour: Behaviour, error: BaseException | None) -> None:
        """Called when a behaviour has ended, and with what exception if with one."""

    def handle_failed(self, agent: MicroAgent, error: BaseException) -> None:
        """Called when the `handle` of a micro-agent has raised an exception."""

    def is_failure(self, error: BaseException) -> bool:
        """Return whether an error is a failure: not if it only says that the container closes."""

    def agent_failed(self, failure: FailureRecord, error: BaseException) -> None:
        """Called when an agent, or a part of it, has failed."""

    def failure_told(self, error: BaseException) -> None:
        """Called when somebody gets the exception that an agent has failed with."""

    def let_join_end(self) -> None:
        """Wake those that wait for the end, if no agent is left that can continue."""

    async def wait_for_end(self, strands: Sequence[Strand]) -> None:
        """Wait until an agent's strands have ended; what does not end in time is left behind."""

    def agent_gone(self, agent: BaseAgent) -> None:
        """Called when an agent is gone."""


class Host(Protocol):
    """Where agents live: a container."""

    seed: int

    @property
    def dispatcher(self) -> Dispatcher:
        """What messages go through."""

    async def compute(self, function: Callable[[*Ts], T], *arguments: *Ts, timeout: float | None = None) -> T:
        """Run a plain function beside the event loop."""

    @property
    def lifecycle(self) -> Lifecycle:
        """What has to know of beginnings and ends."""
