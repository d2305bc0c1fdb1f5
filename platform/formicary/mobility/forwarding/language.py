"""The messages that containers send each other about the ways to agents that have moved.

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
    """All that the sender sent for an agent comes before this: answer when it has reached the agent."""

    address: Address
    number: Number


class Through(msgspec.Struct, array_like=True, frozen=True, tag="through"):
    """All that came before a marker has reached the agent."""

    address: Address
    number: Number
    domain: Domain
    """The container where the agent lives; empty if messages must go through its home."""


News = Moved | Marker | Through

_decoder = ControlDecoder(msgspec.msgpack.Decoder(list[News]), "messages about the ways to agents")
decode = _decoder.decode
"""Return another container's messages, in order; ValueError if they are invalid."""

__all__ = ["Marker", "Moved", "News", "Through", "decode", "encode"]
