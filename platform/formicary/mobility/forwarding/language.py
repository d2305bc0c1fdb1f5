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
    """An agent is not here; its messages were forwarded. A marker finds out where it is."""

    address: Address


class Marker(msgspec.Struct, array_like=True, frozen=True, tag="marker"):
    """All that the sender has sent for an agent is before this: answer when it has reached the agent."""

    address: Address
    number: Number


class Through(msgspec.Struct, array_like=True, frozen=True, tag="through"):
    """What was before a marker has reached the agent."""

    address: Address
    number: Number
    domain: Domain
    """The container where the agent lives; empty where messages have to go by its home."""


News = Moved | Marker | Through

_decoder = ControlDecoder(
    msgspec.msgpack.Decoder(list[News]), "what containers tell each other about agents that have moved"
)
decode = _decoder.decode
"""Return what another container has told, in its order; ValueError if it is nothing of this kind."""

__all__ = ["Marker", "Moved", "News", "Through", "decode", "encode"]
