"""What plugs into a container: transports, accounts, addresses to meet at, services."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from formicary.container.container import Container
    from formicary.container.options import ConnectionOptions
    from formicary.core.base_agent import BaseAgent
    from formicary.core.behaviour import Behaviour
    from formicary.core.mailbox import Deliver, MessageSink
    from formicary.core.message import Message
    from formicary.delivery.dead_letters import DeadLetter
    from formicary.delivery.link_status import LinkStatus


class Outlet(Protocol):
    """Carries messages to elsewhere: a transport, or an agent's own account."""

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Accept a message for `receiver`, a full name of another domain.

        Returns:
            The sinks without room, if any.

        Raises:
            FormicaryError: the message cannot go there; it is among the dead letters.
        """

    def refuse(self, message: Message, receiver: str, failure: Message) -> None:
        """Send a failure to a sender in another domain; never waits."""


class ForeignAgents(Outlet, Protocol):
    """Carries messages to agents of other platforms, which have names of this container: a gateway."""

    def serves(self, address: str) -> bool:
        """Return whether a full name is that of an agent of another platform."""


class Transport(Outlet, Protocol):
    """Carries messages to other containers, and theirs to this one."""

    async def open(self, container: Container) -> None:
        """Connect for `container`.

        Raises:
            LinkError: with the cause and what to do about it.
        """

    def pass_on(self, domain: str, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Do as `post_to` with a message of another container, which is not consumed until it is there."""

    def post_to(self, domain: str, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Accept a message for an agent that is not in its home; as `post`.

        Args:
            domain: that container's full domain.
            message: the message.
            receiver: the agent's full name.
        """

    def withdraw(self, domain: str, receiver: str) -> Sequence[Message]:
        """Withdraw what waits to go out to an agent in another container, in order."""

    def carry_on(self, domain: str, message: Message, receiver: str) -> None:
        """Accept a message that an agent had not received when it went to another container.

        Nobody waits for room; if far too much waits already, it becomes a dead letter. Arguments as of
        `post_to`.
        """

    def status(self) -> tuple[LinkStatus, ...]:
        """Return what is known about each link to another container."""

    def connect(self, domain: str) -> None:
        """Look for another container; the container's `peers` are told when it is there."""

    def send_control(self, domain: str, channel: str, payload: bytes, *, behind: bool = False) -> bool:
        """Send a control message to the `peers` of another container, in order or not at all.

        Args:
            domain: the container's full domain.
            channel: what the message is about.
            payload: the message.
            behind: whether it must not overtake the messages that wait to go there now.

        Returns:
            Whether it was accepted: not if no link is open, or too much waits to go there already.
        """

    def takes_control(self, domain: str) -> bool:
        """Return whether many control messages for another container would be accepted now."""

    def may_be_under_way(self, domain: str, receiver: str) -> bool:
        """Return whether messages for an agent may be under way to another container."""

    def is_quiet(self, domain: str) -> bool:
        """Return whether all that was sent to another container has arrived, or failed."""

    async def arrive(self, domain: str) -> None:
        """Wait until all that was sent up to now to another container has arrived, or has failed."""

    def counts(self) -> Mapping[str, int]:
        """Return how many messages were accepted for each other container."""

    def before_sending(self, callback: Callable[[], None] | None) -> None:
        """Call back once, before anything goes out next; None for no longer."""

    async def close(self) -> None:
        """Disconnect, after what was accepted has gone out."""


class Sleepers(Protocol):
    """The agents of a container that sleep in its file."""

    @property
    def count(self) -> int:
        """How many there are."""

    def is_asleep(self, address: str) -> bool:
        """Return whether an agent with this full name is asleep, and not about to wake."""

    def wake(self, address: str) -> bool:
        """Wake an agent, holding its messages until it has woken; return whether it was asleep."""


class Finder(Protocol):
    """Finds agents of other containers by their short names."""

    def known(self, name: str) -> str | None:
        """Return the full name of an agent elsewhere, by its short name, if it has been found."""

    def search(self, message: Message) -> Awaitable[object] | None:
        """Search for the unknown receivers of a message; return an awaitable if there are any."""

    def hold(self, message: Message) -> bool:
        """Keep a message until its receivers are known, then send it; return False if they are known."""

    def was_missed(self, address: str) -> bool:
        """Return whether the last search for a name found nobody; `address` is of this home."""


class ConversationRoutes(Protocol):
    """Takes those messages of a container's agents that belong to their conversations."""

    def wrap(self, address: str | None, beyond: Deliver) -> Deliver:
        """Return the entrance to an agent; `beyond` takes what belongs to no conversation."""

    def agent_gone(self, address: str) -> None:
        """Called when an agent has ended here."""

    def resumed(self, address: str) -> None:
        """Called when a suspended agent resumes."""

    def under_way(self, address: str) -> str | None:
        """Return which conversation of an agent is not over, as the rest of a sentence; None if all are."""

    def withdraw(self, address: str) -> Sequence[Message]:
        """Remove and return the messages that would begin conversations of an agent."""

    def agent_left(self, address: str) -> None:
        """Called when an agent has moved to another container."""


class Observer(Protocol):
    """Observes agents' lives and dead letters, as an instrument does, and messages on their routes.

    Unlike an instrument, it does not switch the routes off.
    """

    def wrap(self, address: str | None, beyond: Deliver) -> Deliver:
        """Return the entrance to an agent; `beyond` takes all messages."""

    def agent_started(self, agent: BaseAgent) -> None:
        """Called when `agent` is active."""

    def agent_stopped(self, agent: BaseAgent) -> None:
        """Called when `agent` is gone."""

    def agent_moved(self, agent: BaseAgent, destination: str) -> None:
        """Called when `agent` has left for the container with the full domain `destination`."""

    def behaviour_ended(self, behaviour: Behaviour, error: BaseException | None) -> None:
        """Called when `behaviour` has ended, and with what exception if with one."""

    def message_dead(self, letter: DeadLetter) -> None:
        """Called when a message could not be delivered."""


class Peers(Protocol):
    """Is told which other containers are there, and gets their control messages."""

    def is_member(self, domain: str) -> bool:
        """Return whether a container is known to be a member of the platform, not a guest."""

    def opened(self, domain: str) -> None:
        """Called when a link to another container has begun: what it was told before may be lost."""

    def ended(self, domain: str) -> None:
        """Called when the link to another container has ended."""

    def on_control(self, domain: str, channel: str, payload: bytes) -> None:
        """Called with a control message of another container.

        Raises:
            ValueError: it is no message of this channel.
        """


@runtime_checkable
class Connectable(Protocol):
    """Connects containers by transports of its own, in place of an address."""

    def transport(self, options: ConnectionOptions) -> Transport:
        """Return a new transport for one container with these options."""
