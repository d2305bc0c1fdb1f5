"""Messages between replicas, and a replica's instructions; see `docs/replication.md`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from formicary.directory.model.description import ServiceDescription  # noqa: TC001 -- msgspec looks it up
from formicary.fipa.control_codec import ControlDecoder, Number, Send

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Key = tuple[str, str]
"""The key of an entry: the full name of the agent, and the name of the service."""


class Departure(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The departure of an agent from the sender: it has moved on, or ended after it had moved.

    Args:
        domain: the container that has its entries now; empty if none has.
        incarnation: that container's incarnation.
        number: the number of that container's update with the entries.
    """

    domain: str = ""
    incarnation: Number = 0
    number: Number = 0


class _Payload(msgspec.Struct, frozen=True, array_like=True):
    incarnation: Number  # of the sender


class Hello(_Payload, frozen=True, array_like=True, tag=1):
    """From now on you get what I broadcast, and you have not got all before: ask for what you lack.

    Args:
        to: the receiver's expected incarnation.
        number: the number of the sender's latest update.
    """

    to: Number
    number: Number


class Head(_Payload, frozen=True, array_like=True, tag=2):
    """The number of the sender's latest update."""

    number: Number


class Updates(_Payload, frozen=True, array_like=True, tag=3, gc=False):
    """One update: changes of the sender.

    Args:
        number: one more than that of the update before.
        put: entries that are new, or replace one with the same key.
        removed: keys of removed entries; none of them is in `put`.
        moves: agents that have arrived from other containers, and how often they have moved. All of their
            registrations at arrival are in this update and those before it.
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
        to: the receiver's expected incarnation.
        ask: the number of this request, higher than any before.
        number: the number of the latest update that the sender has, with all before; None for a snapshot.
    """

    to: Number
    ask: Number
    number: Number | None


class Part(_Payload, frozen=True, array_like=True, tag=5, gc=False):
    """A part of a snapshot of the sender's entries.

    Args:
        to: the receiver's expected incarnation.
        ask: the request that it answers.
        index: the number of the part, from 0.
        number: the number of the sender's latest update before this part.
        is_last: whether there are no more parts.
        put: entries.
        moves: as of `Updates`, of all agents that live with the sender; after all entries.
        left: in the last part, the latest agents that have moved on.
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
    """A part has arrived: send another one.

    Args:
        to: the receiver's expected incarnation.
        ask: the request that the part answered.
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
    """Another container's entries were added or have changed."""

    owner: str
    descriptions: Sequence[ServiceDescription]


@dataclass(slots=True, frozen=True)
class Removed:
    """A container's entries were removed."""

    owner: str
    keys: Sequence[Key]


@dataclass(slots=True, frozen=True)
class Arrived:
    """Agents that have moved live in a container, with how often they had moved when they arrived there."""

    owner: str
    moves: Mapping[str, int]


@dataclass(slots=True, frozen=True)
class Ended:
    """Agents that may have moved no longer live in a container."""

    owner: str
    agents: Sequence[str]


@dataclass(slots=True, frozen=True)
class Renewed:
    """A snapshot of a container's entries has begun, is complete, or is abandoned."""

    owner: str
    is_over: bool


Instruction = Broadcast | Send | Added | Removed | Arrived | Ended | Renewed
