"""What an agent has registered, as it goes with the agent to another container."""

from __future__ import annotations

from typing import Annotated

import msgspec

from formicary.directory.model.description import ServiceDescription  # noqa: TC001 -- msgspec reads the types
from formicary.fipa.control_codec import Number  # noqa: TC001 -- as above


class Registrations(msgspec.Struct, frozen=True, array_like=True):
    """What a container hands over with an agent that moves.

    Args:
        services: what the agent offers.
        moves: how often it had moved when it came to the container that hands it over.
        doubtful: names of services of which a central directory may know something else; None for any others.
    """

    services: tuple[ServiceDescription, ...] = ()
    moves: Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)] = 0
    doubtful: tuple[str | None, ...] = ()


class Successor(msgspec.Struct, frozen=True, array_like=True):
    """What a container says that has taken an agent's services over, for the one that has handed them over.

    Args:
        domain: its full domain.
        incarnation: its incarnation.
        number: that of the update with which it tells others of the services.
    """

    domain: str
    incarnation: Number
    number: Number
