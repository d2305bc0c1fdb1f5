"""Messages about membership, and instructions; see `docs/replication.md`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from formicary.fipa.control_codec import ControlDecoder, Number, Send

if TYPE_CHECKING:
    from collections.abc import Collection

Version = tuple[Number, Number, Number]
"""A version of the list: epoch, incarnation of its author, and the author's count."""

NONE: Version = (0, 0, 0)
"""Before any."""


def successor(version: Version) -> Version:
    """Return the version that the same container makes next."""
    epoch, incarnation, number = version
    return epoch, incarnation, number + 1


class _News(msgspec.Struct, frozen=True, array_like=True):
    incarnation: Number  # of the sender


class Beat(_News, frozen=True, array_like=True, tag=1):
    """I am here, and this is the version that I have."""

    version: Version


class Tell(_News, frozen=True, array_like=True, tag=2):
    """The platform's container: tell me what you know from before."""


class Known(_News, frozen=True, array_like=True, tag=3):
    """What a member knows: members' incarnations by domain."""

    version: Version
    members: dict[str, Number]


class List(_News, frozen=True, array_like=True, tag=4):
    """The platform's container: the whole list.

    Args:
        version: that of the list.
        basis: the latest version of earlier epochs that has gone into it.
        members: their incarnations by domain.
    """

    version: Version
    basis: Version
    members: dict[str, Number]


class Change(_News, frozen=True, array_like=True, tag=5):
    """The platform's container: the list has changed in one place.

    Args:
        version: that of the list with the change.
        domain: of the container.
        member: its incarnation; None if it is no member any more.
    """

    version: Version
    domain: str
    member: Number | None


class Leave(_News, frozen=True, array_like=True, tag=6):
    """I am going."""


News = Beat | Tell | Known | List | Change | Leave

decode = ControlDecoder[News](msgspec.msgpack.Decoder(News), "news of members").decode


def domains_of(news: News) -> Collection[str]:
    """Return the domains of the containers that news are about."""
    match news:
        case Known() | List():
            return news.members
        case Change():
            return (news.domain,)
        case _:
            return ()


@dataclass(slots=True, frozen=True)
class Joined:
    """Another container is a member now."""

    domain: str
    incarnation: int


@dataclass(slots=True, frozen=True)
class Lost:
    """Another container is not a member any more, as far as is known here."""

    domain: str
    incarnation: int


@dataclass(slots=True, frozen=True)
class Superseded:
    """A later container of the same domain is a member: this one will not be, as long as that one is."""

    incarnation: int


Instruction = Send | Joined | Lost | Superseded
