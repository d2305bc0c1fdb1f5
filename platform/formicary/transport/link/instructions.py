"""What a session wants done, and what it has counted."""

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
    """The other end is there, with these parameters."""

    parameters: SessionParameters


class DeliveryOutcome(Enum):
    """What is known of a message that failed, as a sentence says it."""

    UNDELIVERED = "the message was not delivered"
    UNKNOWN = "the message may have arrived and been received"
    DELIVERED = "the message had arrived there and may have been received"


@dataclass(slots=True, frozen=True)
class Failed:
    """What was given to the session has failed: it did not arrive, or is not known to be received."""

    items: list[Any]
    reason: str
    outcome: DeliveryOutcome = DeliveryOutcome.UNDELIVERED


@dataclass(slots=True, frozen=True)
class Ended:
    """The other end is not there any more, or has never been; another `connect` may find it."""

    reason: str


@dataclass(slots=True, frozen=True)
class Doubt:
    """Nothing comes back over the present path; another one may be better."""


Instruction = Transmit | Opened | Failed | Ended | Doubt


@dataclass(slots=True)
class Counters:
    """What an end of a link has counted, in frames."""

    sent: int = 0
    received: int = 0
    resent: int = 0
    duplicates: int = 0
    early: int = 0
    strange: int = 0
