"""All actions of a container's management agent, by their names."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Union

import msgspec

from formicary.core.errors import ManagementRequestError
from formicary.core.quoting import shorten
from formicary.fipa.language import LANGUAGE, ONTOLOGY, REQUEST
from formicary.management.requests import creating, lives, looking_up, places
from formicary.management.requests.language import DIALECT, Action

if TYPE_CHECKING:
    from collections.abc import Iterator

    from formicary.core.message import Message

MODULES = (looking_up, lives, places, creating)
"""The modules that declare actions."""


def actions() -> dict[str, type[Action[Any]]]:
    """Return all actions by name."""
    return {kind.action(): kind for kind in _below(Action) if kind.__struct_config__.tag is not None}


def _below(kind: type[Action[Any]]) -> Iterator[type[Action[Any]]]:
    for each in kind.__subclasses__():
        yield each
        yield from _below(each)


def read_request(message: Message) -> Action[Any]:
    """Return the request in a message to the management agent.

    Raises:
        ManagementRequestError: it is invalid; its `reason` is one of FIPA00023.
    """
    if message.performative != "request":
        raise ManagementRequestError(
            f"the management agent understands request, not {message.performative!r}", "unsupported-act"
        )
    for field, known in (("language", LANGUAGE), ("ontology", ONTOLOGY), ("protocol", REQUEST)):
        if getattr(message, field) not in {None, known}:
            raise ManagementRequestError(
                f"the management agent knows the {field} {known!r}, not {shorten(getattr(message, field))}",
                "unsupported-value",
            )
    return decode_request(message.body)


def decode_request(body: str | bytes) -> Action[Any]:
    """Return the request with this content; ManagementRequestError if it is invalid."""
    return REQUESTS.read_request(_decoder(tuple(actions().values())), body)


@lru_cache(4)
def _decoder(kinds: tuple[type[Action[Any]], ...]) -> msgspec.json.Decoder[Action[Any]]:
    return msgspec.json.Decoder(Union[kinds])  # noqa: UP007 -- of as many as there are


REQUESTS = replace(DIALECT, actions=", ".join(actions()))
