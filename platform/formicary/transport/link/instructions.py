"""The instructions of a session to its link, and its counts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from formicary.transport.link.header import SessionParameters


@dataclass(slots=True, frozen=True)
class Transmit:
    """Send a frame over the present path."""

    frame: bytes


@dataclass(slots=True, frozen=True)
class Opened:
    """A session has begun with an end of these parameters."""

    parameters: SessionParameters


class DeliveryOutcome(Enum):
    """What is known of a message that failed, as the end of a sentence."""

    UNDELIVERED = "the message was not delivered"
    UNKNOWN = "the message may have arrived and been received"
    DELIVERED = "the message had arrived there and may have been received"


@dataclass(slots=True, frozen=True)
class Failed:
    """Items given to the session have failed."""

    items: list[Any]
    reason: str
    outcome: DeliveryOutcome = DeliveryOutcome.UNDELIVERED


@dataclass(slots=True, frozen=True)
class Ended:
    """The session, or the search for the other end, is over; `connect` searches again."""

    reason: str


@dataclass(slots=True, frozen=True)
class Doubt:
    """The present path does not answer; another one may be better."""


Instruction = Transmit | Opened | Failed | Ended | Doubt


@dataclass(slots=True)
class Counters:
    """The counts of an end of a link, in frames."""

    sent: int = 0
    received: int = 0
    resent: int = 0
    duplicates: int = 0
    early: int = 0
    strange: int = 0
