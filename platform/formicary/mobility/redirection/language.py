"""What containers tell each other about the ways to agents that have moved.

`docs/link-protocol.md` specifies it.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from formicary.fipa.control_codec import ControlDecoder, Number, encode

Address = Annotated[str, msgspec.Meta(min_length=1, max_length=2048)]
Domain = Annotated[str, msgspec.Meta(max_length=255)]


class Moved(msgspec.Struct, array_like=True, frozen=True, tag="moved"):
    """An agent is not here: what was sent for it is passed on; a marker finds out where that gets."""

    address: Address
    domain: Domain
    """Where it is passed on to; empty where that is not known."""


class Marker(msgspec.Struct, array_like=True, frozen=True, tag="marker"):
    """All that the sender has sent for an agent is before this: answer when it has got to the agent."""

    address: Address
    number: Number
    path: Annotated[tuple[Domain, ...], msgspec.Meta(min_length=1, max_length=1024)]
    """The containers that it has passed, from the first on."""
    first: Number = 0
    """The number that the first of them has given it; 0: as `number`."""


class Through(msgspec.Struct, array_like=True, frozen=True, tag="through"):
    """What was before a marker has got to the container in which the agent lives."""

    address: Address
    number: Number
    domain: Domain
    """That container; empty where nobody knows where the agent lives."""


News = Moved | Marker | Through

_decoder = ControlDecoder(
    msgspec.msgpack.Decoder(list[News]), "what containers tell each other about agents that have moved"
)
decode = _decoder.decode
"""Returns what another container has told, in its order; ValueError if it is nothing of this kind."""

__all__ = ["Marker", "Moved", "News", "Through", "decode", "encode"]
