"""An agent's registrations, which move with it to another container."""

from __future__ import annotations

from typing import Annotated

import msgspec

from formicary.directory.model.description import ServiceDescription  # noqa: TC001 -- msgspec reads the types
from formicary.fipa.control_codec import Number  # noqa: TC001 -- as above


class Registrations(msgspec.Struct, frozen=True, array_like=True):
    """The registrations handed over with an agent that moves.

    Args:
        services: the agent's services.
        moves: how often it had moved when it arrived in the container that hands it over.
        doubtful: names of services that a central directory may have otherwise; None for any others.
    """

    services: tuple[ServiceDescription, ...] = ()
    moves: Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)] = 0
    doubtful: tuple[str | None, ...] = ()


class Successor(msgspec.Struct, frozen=True, array_like=True):
    """The container that has taken over an agent's services, reported to the one that handed them over.

    Args:
        domain: its full domain.
        incarnation: its incarnation.
        number: the number of its update with the services.
    """

    domain: str
    incarnation: Number
    number: Number
