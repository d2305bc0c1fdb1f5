"""What replicas of the directory say to each other, and what one wants done; see `docs/replication.md`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from formicary.directory.model.description import ServiceDescription  # noqa: TC001 -- msgspec looks it up
from formicary.fipa.control_codec import ControlDecoder, Number, Send

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Key = tuple[str, str]
"""An entry among those of its owner: the full name of the agent, and the name of the service."""


class Departure(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """That an agent does not live in the sender any more: it has moved on, or ended after it had moved.

    Args:
        domain: the container that has its entries now; empty if none has.
        incarnation: that of the container.
        number: of that container's update with which it has them.
    """

    domain: str = ""
    incarnation: Number = 0
    number: Number = 0


class _Payload(msgspec.Struct, frozen=True, array_like=True):
    incarnation: Number  # of the sender


class Hello(_Payload, frozen=True, array_like=True, tag=1):
    """From now on you get what I broadcast, and you have not got all before: ask for what you lack.

    Args:
        to: the incarnation of the receiver that is meant.
        number: of the sender's latest update.
    """

    to: Number
    number: Number


class Head(_Payload, frozen=True, array_like=True, tag=2):
    """The number of the sender's latest update."""

    number: Number


class Updates(_Payload, frozen=True, array_like=True, tag=3, gc=False):
    """What the sender has changed: one update.

    Args:
        number: one more than that of the update before.
        put: entries that are new, or take the place of one with the same key.
        removed: keys of entries that are no more; none of them is in `put`.
        moves: agents that have come from other containers and how often they have moved. All that was
            registered for them when they came is in this update, and in those before it.
        left: agents that have moved on, or ended after they had moved.
    """

    number: Number
    put: list[ServiceDescription]
    removed: list[Key]
    moves: dict[str, Number] = {}
    left: dict[str, Departure] = {}


class Ask(_Payload, frozen=True, array_like=True, tag=4):
    """Send me what I lack of your entries.

    Args:
        to: the incarnation of the receiver that is meant.
        ask: the number of this question, higher than any before.
        number: of the latest update that the sender has got, with all before; None if it needs a snapshot.
    """

    to: Number
    ask: Number
    number: Number | None


class Part(_Payload, frozen=True, array_like=True, tag=5, gc=False):
    """A part of a snapshot of the sender's entries.

    Args:
        to: the incarnation of the receiver that is meant.
        ask: the question that it answers.
        index: counts the parts, from 0.
        number: of the sender's latest update before this part.
        is_last: whether there are no more parts.
        put: entries.
        moves: as of `Updates`, of all agents that live with the sender; behind all entries.
        left: with the last part, the latest agents that have moved on.
    """

    to: Number
    ask: Number
    index: Number
    number: Number
    is_last: bool
    put: list[ServiceDescription]
    moves: dict[str, Number] = {}
    left: dict[str, Departure] = {}


class More(_Payload, frozen=True, array_like=True, tag=6):
    """A part has come: send another one.

    Args:
        to: the incarnation of the receiver that is meant.
        ask: the question that the part answered.
    """

    to: Number
    ask: Number


Payload = Hello | Head | Updates | Ask | Part | More

decode = ControlDecoder[Payload](msgspec.msgpack.Decoder(Payload), "of a replica of the directory").decode


@dataclass(slots=True, frozen=True)
class Broadcast:
    """Send a payload to all members."""

    payload: bytes


@dataclass(slots=True, frozen=True)
class Added:
    """Another container's entries are new here, or have changed."""

    owner: str
    descriptions: Sequence[ServiceDescription]


@dataclass(slots=True, frozen=True)
class Removed:
    """A container's entries are no more."""

    owner: str
    keys: Sequence[Key]


@dataclass(slots=True, frozen=True)
class Arrived:
    """Agents that have moved live in a container: how often they had moved when they came there."""

    owner: str
    moves: Mapping[str, int]


@dataclass(slots=True, frozen=True)
class Ended:
    """Agents that may have moved do not live in a container any more."""

    owner: str
    agents: Sequence[str]


@dataclass(slots=True, frozen=True)
class Renewed:
    """A snapshot of a container's entries has begun to come, or has come, or will not come any more."""

    owner: str
    is_over: bool


Instruction = Broadcast | Send | Added | Removed | Arrived | Ended | Renewed
