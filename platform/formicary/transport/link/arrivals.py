"""Hands the messages that come in over one link to their receivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import force_setattr

from formicary.core.logs import get_logger
from formicary.core.message import Message
from formicary.core.names import MANAGEMENT
from formicary.delivery.dead_letters import is_failure
from formicary.transport.link.frames import decode, from_entry
from formicary.transport.link.orders import CHOKE, CONTROL, TAKEN, UNCHOKE
from formicary.transport.link.receipts import read_receipt
from formicary.transport.link.wire_names import (
    AbsentError,
    NamelessError,
    Names,
    ReceiverNames,
    SenderNames,
    UnbelievedError,
)

if TYPE_CHECKING:
    from formicary.transport.link.frames import Entry
    from formicary.transport.link.link import Link
    from formicary.transport.link.receipts import Receipts

logger = get_logger("formicary.transport")

_STRANGE = (AbsentError, UnbelievedError)
_NO_ORDER = NamelessError("an agent's name is empty")
_NOBODY = 0
"""An id that no object has."""


class Arrivals:
    """Hands over what comes in over one link.

    Attributes:
        messages: how many have come in.
        senders: the agents that the other container speaks for.
    """

    def __init__(self, link: Link, receipts: Receipts) -> None:
        self._link = link
        self._container = container = link.owner.container
        self._dispatcher = container.dispatcher
        self._overflow = container.dispatcher.overflow
        self._routes = container.dispatcher.routes
        self._receivers = ReceiverNames(container.domain, container.dispatcher.visitors)
        self.senders = SenderNames(link.domain, link.owner.is_member, link.owner.refusals.heard)
        self._note_failure = link.failures.told.note
        self._receipts = receipts
        self.messages = 0

    def hand_over(self, batch: bytes | memoryview) -> bool:
        """Hand over the messages of a batch: the path of nearly all messages from elsewhere.

        Return False if it was an order, so that no agent has got anything. ValueError if it is no batch.
        """
        entries = decode(batch)
        self.messages += len(entries)
        if len(entries) == 1 and not entries[0][0]:  # an order; the way through its error is slower
            self._take_order(entries[0], _NO_ORDER)
            return False
        takers = self._overflow.arrivals
        receivers, senders, routes = self._receivers, self.senders, self._routes
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
                        self._note_failure(message)
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
            self._link.owner.drop(self._link.domain, str(error))
        else:
            logger.error(
                "a message from %s could not be handled; please report this",
                self._link.domain,
                exc_info=error,
            )

    def _take_unusual(self, entry: Entry, error: ValueError) -> None:
        """Handle an entry that is no message: an order, or invalid."""
        if isinstance(error, _STRANGE):
            self._take_strange(entry)
            return
        if entry[0]:
            self._receipts.arrived.append(_NOBODY)
        self._take_order(entry, error)

    def _take_order(self, entry: Entry, error: ValueError) -> None:
        """Obey an order; if it is invalid, drop it and log `error`."""
        try:
            is_order = self._obey(entry)
        except ValueError as other:
            is_order, error = False, other
        except Exception:
            logger.exception(
                "a control message of %s could not be handled; please report this", self._link.domain
            )
            return
        if not is_order:
            self._link.owner.drop(self._link.domain, str(error))

    def _take_strange(self, entry: Entry) -> None:
        """Handle a message for an agent that is not here, or of one that the other end cannot speak for."""
        receivers = Names(self._container.domain)
        try:
            try:
                message, receiver = from_entry(entry, receivers, self.senders)
            except UnbelievedError as unbelieved:
                message, receiver = from_entry(entry, receivers, Names(self._link.domain))
                self._take_unbelieved(message, receiver, str(unbelieved))
                return
        except ValueError as error:
            self._receipts.arrived.append(_NOBODY)
            self._link.owner.drop(self._link.domain, str(error))
            return
        self._receipts.arrived.append(id(message))
        self._note_failure(message)
        self._dispatcher.take_stray(message, receiver, self._link)

    def _take_unbelieved(self, message: Message, receiver: str, reason: str) -> None:
        """Refuse a message of an agent that the other end cannot speak for, unless it reports a failure.

        This counts as the other end's own word: nobody would be told that it was refused.
        """
        if not is_failure(message):
            self._receipts.arrived.append(_NOBODY)
            self._link.failures.refuse(message, receiver, reason)
            return
        force_setattr(message, "sender", f"{MANAGEMENT}@{self._link.domain}")
        self._receipts.arrived.append(id(message))
        self._note_failure(message)
        takers = self._overflow.arrivals
        if receiver in takers:
            takers[receiver].take(message, receiver, self._link)
        elif receiver in self._dispatcher.agents or receiver.endswith(f"@{self._container.domain}"):
            self._overflow.deliver(message, receiver, self._link)
        else:
            self._dispatcher.take_stray(message, receiver, self._link)

    def _obey(self, entry: Entry) -> bool:
        """Obey an order; return False if it is none, ValueError if it cannot be obeyed."""
        to, about, payload, order, _ = entry
        if to:
            return False
        self.messages -= 1
        if order == CONTROL and isinstance(payload, bytes):
            self._link.owner.on_control(self._link, about, payload)
        elif order in {CHOKE, UNCHOKE}:
            self._link.paused.order(self.senders[about], order == CHOKE)
        elif order == TAKEN and isinstance(payload, bytes):
            self._link.session.unconsumed.settle(read_receipt(payload))
            self._link.failures.told.start()
        else:
            return False
        return True
