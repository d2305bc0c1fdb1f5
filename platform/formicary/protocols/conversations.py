"""Routes messages to the conversations of one agent."""

from __future__ import annotations

from contextlib import suppress
from itertools import count
from typing import TYPE_CHECKING, ClassVar
from typing import Protocol as Interface

from msgspec.structs import force_setattr

from formicary.core import randomness
from formicary.core.errors import AgentStateError, ContainerClosedError, FormicaryError
from formicary.core.message import Message, answer_to, copied
from formicary.protocols import standard
from formicary.protocols.exchange import exchange
from formicary.protocols.questions import ask

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence
    from typing import Any

    from formicary.core.agent import Agent
    from formicary.core.mailbox import Deliver, MessageSink
    from formicary.core.micro import MicroAgent
    from formicary.protocols.auctions import AuctionResult
    from formicary.protocols.contract_net import ContractNetSession
    from formicary.protocols.gathering import Answers
    from formicary.protocols.participation import Participation
    from formicary.protocols.partners import Partners
    from formicary.protocols.requesting import Conversation, SubscriptionSession
    from formicary.protocols.service import ConversationService

_QUIET = frozenset(
    {"not-understood", "failure", "refuse", "cancel"}
)  # these are not reported when they are out of order


class Expecting(Interface):
    """Waits for messages of a conversation."""

    def offer(self, message: Message) -> bool:
        """Take a message; return False if it does not belong here."""

    def under_way(self) -> str | None:
        """Return what it waits for, as the rest of a sentence; None if it is over."""

    def partner_ended(self, is_ended: Callable[[str], bool], reason: str) -> None:
        """Called when agents have ended; `is_ended` is called with full names."""

    def asker_ended(self, error: FormicaryError) -> None:
        """Called when the agent itself has ended."""


class Conversations:
    """The conversations of one agent, which get their messages before its behaviours do."""

    known = standard
    """The known protocols."""

    __slots__ = (
        "address",
        "agent",
        "dispatcher",
        "expected",
        "is_closed",
        "numbers",
        "participation",
        "prefix",
        "routes",
        "scheduler",
        "service",
    )

    def __init__(self, service: ConversationService, agent: Agent | MicroAgent) -> None:
        assert agent.address is not None
        self.service = service
        self.agent = agent
        self.address = agent.address
        self.expected: dict[str, Expecting] = {}
        """By the `in_reply_to` of the answers."""
        self.participation = self._participation() if agent.responders else None
        self.scheduler = service.scheduler
        self.is_closed = False
        self.dispatcher = service.container.dispatcher
        self.routes = self.dispatcher.routes
        self.prefix = f"{randomness.name(16)}-"  # known only to the agents asked
        self.numbers = count(1)

    def _participation(self) -> Participation:
        from formicary.protocols.participation import Participation  # it is loaded when first used

        return Participation(self)

    def new_name(self) -> str:
        """Return a new name for a question or a conversation of this agent."""
        return f"{self.prefix}{next(self.numbers)}"

    @property
    def platform(self) -> str:
        """The domain of the platform."""
        return self.dispatcher.platform

    # -- entrance -------------------------------------------------------------------------------------------

    def entrance(self, beyond: Deliver) -> Deliver:
        """Return the agent's entrance.

        Args:
            beyond: takes the messages that belong to no conversation.
        """
        expected, prefix, own = self.expected, self.prefix, self.address
        participation = self.participation
        vocabulary = {} if participation is None else participation.vocabulary
        inbox: Any = None if participation is None else participation.micro_inbox
        queue, scheduler = self.scheduler.micro, self.scheduler

        def accept(message: Message) -> Sequence[MessageSink] | None:
            name, conversation = message.in_reply_to, message.conversation_id
            if name is not None and (expecting := expected.get(name)) is not None:
                if expecting.offer(message):
                    return None
            elif conversation is not None and conversation in expected and message.sender != own:
                if expected[conversation].offer(message):
                    return None
            elif message.protocol in vocabulary and message.performative in vocabulary[message.protocol]:
                if len(queue) >= inbox.limit:  # inlined from `MicroInbox.accept`
                    return (inbox,)
                queue.append(inbox.handle)
                queue.append(message)
                if not scheduler.awake:
                    scheduler.wake()
                return None
            elif name is not None and name.startswith(prefix):
                self._take_late(message)
                return None
            return beyond(message)

        return accept

    def out_of_order(self, message: Message, why: str) -> bool:
        """Handle a message that is out of order in its conversation.

        Args:
            message: the message.
            why: the reason, as a sentence, for both sides.

        Returns:
            Whether it is handled; otherwise it goes on to the behaviours, as any message.
        """
        self.service.out_of_order += 1
        if not self.service.is_strict:
            return False
        self.dispatcher.add_dead_letter(message, why, self.address, tell_sender=False)
        if message.performative not in _QUIET and message.sender is not None:
            self.post(answer_to(message, self.address, why, "not-understood"), None)
        return True

    def _take_late(self, message: Message) -> None:
        """Handle an answer that nobody waits for any more."""
        if (message.in_reply_to or "").endswith("/cancel"):
            return
        reason = f"agent {self.agent.name} is no longer waiting for this answer"
        self.dispatcher.add_dead_letter(message, reason, self.address, tell_sender=False)

    # -- asking ---------------------------------------------------------------------------------------------

    ask: ClassVar[Callable[..., Coroutine[Any, Any, Message]]] = ask
    exchange: ClassVar[Callable[..., Coroutine[Any, Any, Message]]] = exchange

    # The others are loaded when first used. Their arguments are those of `Conversing`.

    def gather_answers(self, *arguments: Any) -> Answers:
        """Return the answers to several messages."""
        from formicary.protocols.gathering import Answers

        return Answers(self, *arguments)

    def subscription(self, *arguments: Any) -> SubscriptionSession:
        """Return a subscription."""
        from formicary.protocols.requesting import SubscriptionSession

        return SubscriptionSession(self, *arguments)

    def contract_net(self, *arguments: Any) -> ContractNetSession:
        """Return a contract net."""
        from formicary.protocols.contract_net import ContractNetSession

        return ContractNetSession(self, *arguments)

    def conversation(self, *arguments: Any) -> Conversation:
        """Return a conversation by any protocol."""
        from formicary.protocols.requesting import Conversation

        return Conversation(self, *arguments)

    def english_auction(self, *arguments: Any, **options: Any) -> Coroutine[Any, Any, AuctionResult | None]:
        """Hold an auction in which the price rises."""
        from formicary.protocols.auctions import english_auction

        return english_auction(self, *arguments, **options)

    def dutch_auction(self, *arguments: Any, **options: Any) -> Coroutine[Any, Any, AuctionResult | None]:
        """Hold an auction in which the price falls."""
        from formicary.protocols.auctions import dutch_auction

        return dutch_auction(self, *arguments, **options)

    def two_phase_commit(self, *arguments: Any) -> Coroutine[Any, Any, None]:
        """Request an action of all or none."""
        from formicary.protocols.two_phase import two_phase_commit

        return two_phase_commit(self, *arguments)

    async def full_name(self, name: str) -> str:
        """Return the full name of an agent by any of its names."""
        names = self.dispatcher.names
        if (
            names.finder is not None
            and "@" not in name
            and (search := names.finder.search(Message(to=name))) is not None
        ):
            await search
        return names.of(name)

    def known_name(self, name: str | Partners) -> str | None:
        """Return the full name of an agent to ask, if it is known without a search.

        Raises:
            AgentStateError: the asker has ended.
        """
        if self.is_closed:
            self.check_open()
        names = self.dispatcher.names
        return names.known.get(name) if name.__class__ is str and names.finder is None else None

    def check_open(self) -> None:
        """Check that the agent has not ended.

        Raises:
            AgentStateError: it has.
        """
        if self.is_closed:
            raise AgentStateError(f"agent {self.agent.name} has ended, so it cannot ask anyone")

    async def send(self, message: Message, reply_with: str) -> None:
        """Send a message from this agent, with a `reply_with`; errors as of `Behaviour.send`."""
        message = copied(message)
        force_setattr(message, "sender", self.address)
        force_setattr(message, "reply_with", reply_with)
        self.check_open()
        if (sending := self.hand_over(message)) is not None:
            await sending

    def hand_over(self, message: Message) -> Coroutine[Any, Any, None] | None:
        """Send a message from this agent that nobody else holds.

        Returns:
            A coroutine to await if it cannot be handed over at once; errors as of `Behaviour.send`.
        """
        deliver = self.routes.get(message.to)
        if deliver is None:
            return self.dispatcher.send(message)
        full = deliver(message)
        return self.dispatcher.overflow.wait_to_deliver(message, full) if full else None

    def pass_on(self, message: Message) -> None:
        """Deliver a message that belongs to no conversation to the agent's behaviours."""
        for sink in self.agent.deliver_message(message) or ():
            self.dispatcher.add_dead_letter(message, f"{sink} is full", self.address)

    def post(self, message: Message, reply_with: str | None) -> None:
        """Send a message from this agent without waiting; without room, it is a dead letter."""
        force_setattr(message, "sender", self.address)
        force_setattr(message, "reply_with", reply_with)
        self.hand_over_now(message)

    def hand_over_now(self, message: Message) -> None:
        """Send as `hand_over` does, without waiting; without room, the message is a dead letter."""
        deliver, full = None if self.dispatcher.is_closing else self.routes.get(message.to), None
        if deliver is not None and not (full := deliver(message)):
            return
        with suppress(FormicaryError):
            if full:
                self.dispatcher.overflow.refuse(message, full)
            self.dispatcher.send_nowait(message)

    # -- closing --------------------------------------------------------------------------------------------

    def under_way(self) -> str | None:
        """Return a conversation that is not over, as the rest of a sentence; None if all are."""
        for expecting in self.expected.values():
            if (what := expecting.under_way()) is not None:
                return what
        return None if self.participation is None else self.participation.under_way()

    def partner_ended(self, is_ended: Callable[[str], bool], reason: str) -> None:
        """Notify all that wait for agents that have ended."""
        for expecting in tuple(self.expected.values()):
            expecting.partner_ended(is_ended, reason)
        if self.participation is not None:
            self.participation.partner_ended(is_ended)

    def close(self, reason: str) -> None:
        """End all conversations.

        Args:
            reason: what happened to the agent, as the rest of a sentence.
        """
        self.is_closed = True
        if self.participation is not None:
            self.participation.close(f"agent {self.agent.name} {reason}")
        expected = tuple(self.expected.values())
        self.expected.clear()
        for expecting in expected:
            expecting.asker_ended(ContainerClosedError(f"agent {self.agent.name} has ended in the meantime"))
