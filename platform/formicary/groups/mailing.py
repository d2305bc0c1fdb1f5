"""Sends to a group: one message to each container with members, which delivers it to all of them."""

from __future__ import annotations

import asyncio
from copy import copy
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import force_setattr

from formicary.core.errors import FormicaryError
from formicary.core.message import Message, stamp
from formicary.core.names import complete_for
from formicary.groups.naming import ONTOLOGY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from formicary.container.container import Container
    from formicary.core.mailbox import MessageSink
    from formicary.delivery.dispatcher import Dispatcher
    from formicary.groups.roster import Players

DISTRIBUTOR: Final = ONTOLOGY
"""The name of a container's own agent that receives messages to groups."""

PERFORMATIVE: Final = "proxy"
"""FIPA00037: asks the receiver to send the embedded message to the agents described."""

LANGUAGE: Final = "msgpack"

Content = tuple[str, str, str | None, Message, tuple[str, ...]]
"""The content for a distributor: community, group, role (None: all members), message, and who has it already.

Agents outside their home containers get it by name. They are in the last part if the distributor of their
home may not know that they have moved.
"""

_Waiting = tuple[Message, "Sequence[MessageSink]"]

_encode = msgspec.msgpack.Encoder().encode
_contents: msgspec.msgpack.Decoder[Content] = msgspec.msgpack.Decoder(Content)


async def send(
    container: Container,
    message: Message,
    sender: str,
    players: Players,
    address: tuple[str, str, str | None],
) -> int:
    """Send a message to all players except the sender; return their number.

    Args:
        container: the sender's container.
        message: the message; each player gets it with its own name as `to`.
        sender: the full name of the sender.
        players: the players of the role.
        address: the names of the community, the group and the role; None for all members.

    Raises:
        FormicaryError: it could not be sent to some, with the first error; the others have it.
    """
    message = stamp(message, sender)
    if message.reply_to is not None:
        message = message.replace(reply_to=complete_for(message.reply_to, sender))
    full: list[_Waiting] = []
    first_error: FormicaryError | None = None
    count = players.count - (sender in players)
    dispatcher = container.dispatcher
    others = [domain for domain in players.by_domain if domain != container.domain]
    if others or players.visitors:
        message.check()  # before anybody has it
        singles = _addressed(message, address, _by_home(players), others)
        first_error = _post(dispatcher, singles, full)
    for member in tuple(players.by_domain.get(container.domain, ())):
        if member != sender:
            single = address_to(message, member)
            if dispatcher.instruments:
                dispatcher.notify("message_sent", single)
            if sinks := dispatcher.deliver(single, member):
                full.append((single, sinks))
    if full:
        await _wait_for_room(dispatcher, full)
    if first_error is not None:
        raise first_error
    return count


def _by_home(players: Players) -> dict[str, tuple[str, ...]]:
    """Return the players outside their home containers, by the domains of these."""
    homes: dict[str, list[str]] = {}
    for agent in players.visitors:
        homes.setdefault(agent.partition("@")[2], []).append(agent)
    return {domain: tuple(agents) for domain, agents in homes.items()}


def _wrap(message: Message, address: tuple[str, str, str | None], others: tuple[str, ...] = ()) -> Message:
    """Return the message to a distributor; a failure to deliver it counts as an answer to the original.

    Args:
        message: the message.
        address: as of `send`.
        others: agents of the distributor's container that must not get it.
    """
    bare = copy(message)
    force_setattr(bare, "sender", None)  # it is in the frame, so nobody can claim another
    force_setattr(bare, "to", None)
    return Message(
        sender=message.sender,
        body=_encode((*address, bare, others)),
        performative=PERFORMATIVE,
        thread=message.thread,
        language=LANGUAGE,
        ontology=ONTOLOGY,
        protocol=message.protocol,
        conversation_id=message.conversation_id,
        reply_with=message.reply_with,
    )


def _addressed(
    message: Message,
    address: tuple[str, str, str | None],
    visitors: Mapping[str, tuple[str, ...]],
    domains: Iterable[str],
) -> Iterator[Message]:
    """Yield the messages to distributors, and those by name to agents away from home."""
    wrapped = _wrap(message, address)
    for domain in domains:
        away = visitors.get(domain)
        outer = wrapped if away is None else _wrap(message, address, away)
        yield address_to(outer, f"{DISTRIBUTOR}@{domain}")
    for agents in visitors.values():
        yield from (address_to(message, agent) for agent in agents if agent != message.sender)


def _post(dispatcher: Dispatcher, singles: Iterable[Message], full: list[_Waiting]) -> FormicaryError | None:
    """Send messages to other containers; return the first error."""
    first_error = None
    for single in singles:
        dispatcher.notify("message_sent", single)
        try:
            if sinks := dispatcher.dispatch_to(single, str(single.to)):
                full.append((single, sinks))
        except FormicaryError as error:  # the others still get it
            first_error = first_error or error
    return first_error


def address_to(message: Message, member: str) -> Message:
    """Return a copy of a message for one member."""
    # Takes half the time of copy().
    single: Message = message.__copy__()  # type: ignore[attr-defined]  # missing in msgspec's stubs
    force_setattr(single, "to", member)
    return single


def unwrap(message: Message) -> Content:
    """Return the content of a message to a distributor; ValueError if it is invalid."""
    if message.performative != PERFORMATIVE or not isinstance(message.body, bytes):
        raise ValueError(f"it is not a {PERFORMATIVE} in {LANGUAGE}")
    try:
        content = _contents.decode(message.body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    inner = content[3]
    inner.check()
    if inner.sender is not None or inner.to is not None:
        raise ValueError(f"it claims a sender or a receiver: from {inner.sender} to {inner.to}")
    return content


async def _wait_for_room(dispatcher: Dispatcher, full: Sequence[_Waiting]) -> None:
    """Wait until all have their message; errors as of `Behaviour.send`."""
    waits = [dispatcher.overflow.wait_to_deliver(message, sinks) for message, sinks in full]
    for outcome in await asyncio.gather(*waits, return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome
