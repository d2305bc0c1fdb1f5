"""What the state machines of a hand-over ask their container to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from formicary.mobility.handover.destination import Arrival
    from formicary.mobility.handover.exchange import Report
    from formicary.mobility.handover.source import Departure


# -- at the source -------------------------------------------------------------------------------------------


class _OfSource(msgspec.Struct, frozen=True):
    departure: Departure


class Stay(_OfSource, frozen=True):
    """Resume the agent: it does not move."""

    reason: str


class Drained(_OfSource, frozen=True):
    """Call `drained` when the agent's ways are clear: all that was sent before it rested has arrived."""


class Leave(_OfSource, frozen=True):
    """Take the agent apart, call `left`, send its messages, and call `brought`."""


class Settled(_OfSource, frozen=True):
    """Report to whoever asked for the move that the agent runs."""

    report: Report | None


class Perished(_OfSource, frozen=True):
    """Forget the agent: it is lost with its destination, which never said that it runs."""


# -- at the destination --------------------------------------------------------------------------------------


class _OfDestination(msgspec.Struct, frozen=True):
    arrival: Arrival


class Build(_OfDestination, frozen=True):
    """Create the agent without starting it, and call `built` or `refuse`."""


class Expect(_OfDestination, frozen=True):
    """Keep the messages that follow the agent, which starts once it has them all."""


class Wake(_OfDestination, frozen=True):
    """Start the agent, and call `started`."""


class Discard(_OfDestination, frozen=True):
    """Forget the agent that was created."""


class Terminate(msgspec.Struct, frozen=True):
    """End an agent that lives here, or whose start (`arrival`) is not over."""

    address: str
    reason: str
    arrival: Arrival | None = None


class Known(msgspec.Struct, frozen=True):
    """Trust the names of a home's agents here: it has seen which they are, and has ended those of others."""

    home: str


# -- at the home ---------------------------------------------------------------------------------------------


class _OfHome(msgspec.Struct, frozen=True):
    address: str


class Moving(_OfHome, frozen=True):
    """Hold messages for an agent that leaves `source`, until it is placed, missing or freed."""

    source: str


class Placed(_OfHome, frozen=True):
    """Send messages for an agent to `place`, where it lives."""

    place: str


class Missing(_OfHome, frozen=True):
    """Fail messages for an agent until it is placed again: its container is lost."""


class Freed(_OfHome, frozen=True):
    """Free the name of an agent that has ended elsewhere."""


Instruction = (
    Stay | Drained | Leave | Settled | Perished | Build | Expect | Wake | Discard | Terminate
    | Known | Moving | Placed | Missing | Freed
)  # fmt: skip
