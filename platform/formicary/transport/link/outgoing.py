"""What a link does with messages for agents at the other end: takes them, or makes dead letters of them."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, NoReturn

from formicary.container.dead_letters import is_failure
from formicary.core.errors import FormicaryError
from formicary.transport.link.custody import Custody
from formicary.transport.link.failing import Failing
from formicary.transport.link.instructions import DeliveryOutcome, Failed
from formicary.transport.link.paused import PausedReceivers
from formicary.transport.link.told import ToldFailures

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from formicary.core.mailbox import MessageSink
    from formicary.core.message import Message
    from formicary.transport.link.outbox import Letter, Outbox
    from formicary.transport.link.paths import LinkOwner
    from formicary.transport.link.session import Session

_UNSENT: Final = "the message could go"
_UNCONFIRMED: Final = "the other end confirmed the message, which may have arrived"


class Outgoing:
    """A link, as far as it has to do with whole messages and not with frames.

    Args:
        domain: the domain of the other container.
        owner: the router.
        session: the state machine.
        outbox: where messages wait for their batch.
    """

    def __init__(self, domain: str, owner: LinkOwner, session: Session, outbox: Outbox) -> None:
        self.domain = domain
        self.session = session
        self.outbox = outbox
        self.paused = PausedReceivers(owner.container.dispatcher)
        self.obstacle = ""
        """Why there is no direct connection, where messages have no other path; empty if not known."""
        self._owner = owner
        self._container = owner.container
        self._failed = 0
        self._failing = Failing(self.undeliverable)
        self._told = ToldFailures()
        self._custody: Custody | None = None  # made by the first message that is passed on
        self._is_told = False  # whether the other end says what was taken
        self._messages_sent = 0
        self._sent_before = 0  # the session

    # -- messages from here ---------------------------------------------------------------------------------

    def post(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Take a message for an agent at the other end; return the sinks that have no room now, if any."""
        if not self._container.dispatcher.leads_to(self.domain, receiver):  # it has moved while this waited
            return self._container.dispatcher.dispatch_to(message, receiver)
        if self.paused and (paused := self.paused.get(receiver)):
            return (paused,)
        if isinstance(message.to, tuple):
            return self.outbox.accept_for(message, receiver)
        self._container.dispatcher.add_route(receiver, self.outbox.accept)  # the next one goes straight there
        return self.outbox.accept(message)

    def carry_on(self, message: Message, receiver: str) -> None:
        """Take a message that an agent takes along to the other end, whether there is room or not."""
        self._keep(message)  # as one that is passed on: its sender may be another one of a name that is here
        try:
            full = self.outbox.accept_for(message, receiver)
        except FormicaryError as error:  # it is a dead letter already
            self._container.dispatcher.tell_sender(message, receiver, str(error))
            return
        if full is not None and not self.outbox.keep(message, receiver):
            self.undeliverable(message, receiver, "too many messages are waiting for it")

    def withdraw(self, receiver: str) -> Sequence[Message]:
        """Take back what waits to go out to an agent, in its order."""
        messages = self.outbox.withdraw_from(receiver)
        if self._custody is not None:
            for message in messages:
                self._custody.drop(message)
        return messages

    async def room(self, receiver: str) -> None:
        """Wait for room on the way to an agent at the other end."""
        await (self.paused.get(receiver) or self.outbox).room()

    def may_have_sent(self, receiver: str) -> bool:
        """Return whether messages for an agent may be under way, or may have been passed on there."""
        names, is_empty = self.outbox.receivers, self.outbox.is_empty
        return not is_empty or (self.session.is_open and (receiver in names or names.has_forgotten))

    @property
    def messages_taken(self) -> int:
        """How many messages were taken to be sent."""
        return self._messages_sent + self.outbox.count

    # -- what is passed on for others -----------------------------------------------------------------------

    def pass_on(self, message: Message, receiver: str) -> Sequence[MessageSink] | None:
        """Take a message of another container, as `post`; it is not taken until the other end says so."""
        if self.paused and (paused := self.paused.get(receiver)):
            return (paused,)
        custody = self._keep(message)
        full = self.outbox.accept_for(message, receiver)
        if full:
            custody.drop(message)
        return full

    def _keep(self, message: Message) -> Custody:
        custody = self._custody
        if custody is None:
            custody = self._custody = Custody(self.session.unconsumed, lambda: not self._failing.is_empty)
            custody.start(is_told=self._is_told or not self.session.is_open)
            self._container.dispatcher.unacked_holders.add(custody)
        custody.add(message)
        return custody

    def _start_custody(self, *, is_told: bool) -> None:
        """Begin a session; `is_told` is whether its other end says what was taken."""
        self._sent_before = self._messages_sent
        self._is_told = is_told
        self._told.start()
        if self._custody is not None:
            self._custody.start(is_told=is_told)

    # -- what cannot go -------------------------------------------------------------------------------------

    def reject(self, message: Message, receiver: str, error: FormicaryError) -> NoReturn:
        """Make a dead letter of a message that cannot go, and tell its sender by raising `error`."""
        if self._custody is not None:
            self._custody.drop(message)
        self._container.dispatcher.add_dead_letter(message, str(error), receiver, tell_sender=False)
        raise error

    def undeliverable(self, message: Message, receiver: str, reason: str) -> None:
        """Make a dead letter of a message that was taken and cannot go."""
        self._failed += 1
        if self._custody is not None:
            self._custody.drop(message)
        if is_failure(message) and self._owner.tell_by_another_way(self.domain, message, receiver):
            return
        self._container.dispatcher.add_dead_letter(message, reason, receiver)

    def _fail(self, letters: Iterable[Letter], reason: str, outcome: DeliveryOutcome) -> None:
        name = self.domain.partition(".")[0]
        why = f"container {name} cannot be reached: {reason}; {outcome.value}"
        if self.obstacle:
            why += f"; there is no direct connection to {name}: {self.obstacle}"
        self._failing.add(self._told.without(letters), why)

    def _refuse(self, message: Message, receiver: str, reason: str) -> None:
        """Fail a message that has come, and tell the other end so, whoever it says that its sender is."""
        dispatcher = self._container.dispatcher
        failure = dispatcher.failure_of(message, receiver, reason)
        dispatcher.add_dead_letter(message, reason, receiver, tell_sender=False)
        if failure is not None and message.sender is not None:
            self.outbox.keep(failure, message.sender)

    def abandon(self) -> None:
        """Forget the other end at once; what has not reached it becomes dead letters."""
        self._failing.finish()
        self.session.abandon("this container has stopped")
        self._bury(self.outbox.withdraw(), _UNSENT)
        instructions, self.session.instructions = self.session.instructions, []
        for instruction in instructions:
            if isinstance(instruction, Failed) and instruction.outcome is not DeliveryOutcome.DELIVERED:
                before = _UNSENT if instruction.outcome is DeliveryOutcome.UNDELIVERED else _UNCONFIRMED
                self._bury(chain.from_iterable(instruction.items), before)
        if self._custody is not None:
            self._container.dispatcher.unacked_holders.discard(self._custody)

    def _bury(self, letters: Iterable[Letter], before: str) -> None:
        """Make dead letters of what this container has stopped before."""
        reason = f"container {self._container.name} stopped before {before}"
        for message, receiver in letters:
            self._container.dispatcher.add_dead_letter(message, reason, receiver, tell_sender=False)
