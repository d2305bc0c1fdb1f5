"""What comes in over one link: batches of messages, each handed to its receiver."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import force_setattr

from formicary.container.dead_letters import is_failure
from formicary.core.logs import get_logger
from formicary.core.message import Message
from formicary.core.names import MANAGEMENT
from formicary.transport.link.frames import decode, from_entry
from formicary.transport.link.orders import CHOKE, CONTROL, TAKEN, UNCHOKE
from formicary.transport.link.wire_names import (
    AbsentError,
    AllNames,
    NamelessError,
    ReceiverNames,
    SenderNames,
    UnbelievedError,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.container.container import Container
    from formicary.container.overflow import Overflow, Source
    from formicary.transport.link.frames import Entry
    from formicary.transport.link.receipts import Receipts

logger = get_logger("formicary.transport")

_STRANGE = (AbsentError, UnbelievedError)
_NO_ORDER = NamelessError("an agent's name is empty")
_NOBODY = 0
"""An id that nothing has."""


class Arrivals:
    """Hands over what one other container sends.

    Args:
        container: who gets it.
        domain: the domain of the other container.
        overflow: where messages wait for full mailboxes.
        link: the link that they come over.
        on_pause: called with an agent's full name, and whether that agent is to be sent nothing.
        on_control: called with the channel and the payload of each control message of the other container.
        is_believed: whether a container, by its domain, may speak for agents of others.
        on_heard: called with the domain and an agent's full name when it first speaks for that.
        on_receipt: called with what the other end says of which messages were taken.
        on_failure: called with each message that may say that another one has failed.
        receipts: keeps what comes until it is taken.
        refuse: called with a message, its receiver, and why it fails: the other end is to hear of it.
        drop: called with what cannot be handed over, as a sentence.
    """

    def __init__(
        self,
        container: Container,
        domain: str,
        *,
        overflow: Overflow,
        link: Source,
        on_pause: Callable[[str, bool], None],
        on_control: Callable[[str, bytes], None],
        on_receipt: Callable[[bytes], None],
        on_failure: Callable[[Message], None],
        is_believed: Callable[[str], bool],
        on_heard: Callable[[str, str], None],
        receipts: Receipts,
        refuse: Callable[[Message, str, str], None],
        drop: Callable[[str], None],
    ) -> None:
        self._container = container
        self._dispatcher = container.dispatcher
        self._routes = container.dispatcher.routes
        self._domain = domain
        self._receivers = ReceiverNames(container.domain, container.dispatcher.visitors)
        self._senders = SenderNames(domain, is_believed, on_heard)
        self._overflow = overflow
        self._link = link
        self._on_pause = on_pause
        self._on_control = on_control
        self._on_receipt = on_receipt
        self._on_failure = on_failure
        self._receipts = receipts
        self._refuse = refuse
        self._drop = drop
        self.messages = 0
        """How many have come."""

    def hand_over(self, batch: bytes | memoryview) -> bool:
        """Hand over what a batch holds; the way that nearly all messages from elsewhere take.

        Returns:
            Whether agents may have got something: not where all of it was one order.

        Raises:
            ValueError: it is no batch.
        """
        entries = decode(batch)
        self.messages += len(entries)
        if len(entries) == 1 and not entries[0][0]:  # an order, as they come; by its error it takes longer
            self._take_order(entries[0], _NO_ORDER)
            return False
        takers = self._overflow.arrivals
        receivers, senders, routes = self._receivers, self._senders, self._routes
        receipts = self._receipts
        arrived = receipts.arrived
        note, expect = arrived.append, receipts.receivers.add
        for to, by, body, act, others in entries:
            expect(to)
            try:
                if others is None:  # as `from_entry` does, without its call
                    receiver = receivers[to]
                    message = Message(receiver, senders[by], body, act)
                else:
                    message, receiver = from_entry((to, by, body, act, others), receivers, senders)
                    if act == "failure":
                        self._on_failure(message)
            except ValueError as error:
                self._take_unusual((to, by, body, act, others), error)
                continue
            note(id(message))
            try:
                if receiver in takers:
                    takers[receiver].take(message, receiver, self._link)
                    continue
                deliver = routes.get(receiver)  # as `dispatcher.deliver` does, without its call
                if full := deliver(message) if deliver else self._dispatcher.deliver(message, receiver):
                    self._overflow.add(message, receiver, self._link, full)
            except Exception as error:  # noqa: BLE001 -- it is reported
                self._report(error)
        if len(arrived) >= receipts.due_at:
            receipts.note()
        return True

    def _report(self, error: Exception) -> None:
        if isinstance(error, ValueError):
            self._drop(str(error))
        else:
            logger.error(
                "a message from %s could not be handled; please report this", self._domain, exc_info=error
            )

    def _take_unusual(self, entry: Entry, error: ValueError) -> None:
        """Take what is no message: an order, or nothing that could be."""
        if isinstance(error, _STRANGE):
            self._take_strange(entry)
            return
        if entry[0]:
            self._receipts.arrived.append(_NOBODY)
        self._take_order(entry, error)

    def _take_order(self, entry: Entry, error: ValueError) -> None:
        """Do what an order says; if it is none, drop it for a reason."""
        try:
            is_order = self._obey(entry)
        except ValueError as other:
            is_order, error = False, other
        except Exception:
            logger.exception("a control message of %s could not be handled; please report this", self._domain)
            return
        if not is_order:
            self._drop(str(error))

    def start(self) -> None:
        """Begin a session: what the other end was believed counts no more, as it may be another one."""
        self._senders.clear()

    def has_heard(self, sender: str) -> bool:
        """Return whether something has come from an agent in this session; `sender` is its full name."""
        return self._senders.has_heard(sender)

    def forget_sender(self, sender: str) -> None:
        """Say it again when something comes for an agent; `sender` is its full name."""
        self._senders.forget(sender)

    def _take_strange(self, entry: Entry) -> None:
        """Take a message for an agent that is not here, or of one that the other end may not speak for."""
        receivers = AllNames(self._container.domain)
        try:
            try:
                message, receiver = from_entry(entry, receivers, self._senders)
            except UnbelievedError as unbelieved:
                message, receiver = from_entry(entry, receivers, AllNames(self._domain))
                self._take_unbelieved(message, receiver, str(unbelieved))
                return
        except ValueError as error:
            self._receipts.arrived.append(_NOBODY)
            self._drop(str(error))
            return
        self._receipts.arrived.append(id(message))
        self._on_failure(message)
        self._dispatcher.take_stray(message, receiver, self._link)

    def _take_unbelieved(self, message: Message, receiver: str, reason: str) -> None:
        """Refuse a message of one that the other end may not speak for, unless it says what has failed.

        That the other end may say itself: nobody would be told that it was refused.
        """
        if not is_failure(message):
            self._receipts.arrived.append(_NOBODY)
            self._refuse(message, receiver, reason)
            return
        force_setattr(message, "sender", f"{MANAGEMENT}@{self._domain}")
        self._receipts.arrived.append(id(message))
        self._on_failure(message)
        takers = self._overflow.arrivals
        if receiver in takers:
            takers[receiver].take(message, receiver, self._link)
        elif receiver in self._dispatcher.agents or receiver.endswith(f"@{self._container.domain}"):
            self._overflow.deliver(message, receiver, self._link)
        else:
            self._dispatcher.take_stray(message, receiver, self._link)

    def _obey(self, entry: Entry) -> bool:
        """Do what an order says; return False if it is none.

        Raises:
            ValueError: it cannot be done.
        """
        to, about, payload, order, _ = entry
        if to:
            return False
        self.messages -= 1
        if order == CONTROL and isinstance(payload, bytes):
            self._on_control(about, payload)
        elif order in {CHOKE, UNCHOKE}:
            self._on_pause(self._senders[about], order == CHOKE)
        elif order == TAKEN and isinstance(payload, bytes):
            self._on_receipt(payload)
        else:
            return False
        return True
