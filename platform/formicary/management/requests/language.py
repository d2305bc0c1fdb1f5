"""How agents talk with a container's management agent: JSON, in the ontology `fipa-agent-management`.

A request's content is an object with an `action` and its arguments; `docs/management.md` is the reference.
What cannot be read, or asks for what cannot be, is refused with FIPA00023's names for the reasons.
"""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Never

import msgspec

from formicary.core.errors import (
    FormicaryError,
    ManagementError,
    ManagementRequestError,
    MoveError,
    NameTakenError,
    UnauthorisedError,
    UnknownAgentError,
)
from formicary.core.quoting import sentence, shorten
from formicary.fipa.language import LANGUAGE, ONTOLOGY, REQUEST, Dialect, write_error
from formicary.management.descriptions import (
    AgentDescription,
    AgentPlace,
    ContainerDescription,
    Missing,
    NotCreated,
)
from formicary.management.requests.actions import Request
from formicary.observe.collector import Seen  # noqa: TC001 -- msgspec reads the types
from formicary.observe.metrics import Figures  # noqa: TC001 -- as above

if TYPE_CHECKING:
    from collections.abc import Callable

    from formicary.core.message import Message


class Result(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What an `inform` says.

    Args:
        done: the action that is done.
        agents: what a search has found, or the one agent that was to be found.
        agent: the full name of the agent with which it is done; of a clone, the clone's.
        containers: the containers that were asked for.
        figures: what they use and carry, where that was asked.
        missing: the containers of which nothing could be learnt.
        places: where the agents live that were to be located, in the order in which they were named.
        tried: how many agents were created or could not be, of those that were asked for, from the first on.
        failed: those of them that could not be.
        seen: what was collected for who watches.
    """

    done: str
    agents: tuple[AgentDescription, ...] = ()
    agent: str | None = None
    containers: tuple[ContainerDescription, ...] = ()
    missing: tuple[Missing, ...] = ()
    places: tuple[AgentPlace, ...] = ()
    figures: tuple[Figures, ...] = ()
    tried: int = 0
    failed: tuple[NotCreated, ...] = ()
    seen: Seen | None = None


def read_request(message: Message) -> Request:
    """Return what a message asks of the management agent.

    Raises:
        ManagementRequestError: it cannot be read; its `reason` is FIPA00023's.
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


def encode(content: Request | Result) -> str:
    """Return a request or a result as the content of a message."""
    return _encode(content).decode()


def decode_result(body: str | bytes) -> Result:
    """Return what an `inform` says.

    Raises:
        ManagementError: it is no result.
    """
    try:
        return _results.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ManagementError(f"the management agent's answer cannot be read: {error}") from None


def encode_error(error: FormicaryError) -> tuple[str, str]:
    """Return the performative and the content that tell of an error."""
    return write_error(error, _reason_of(error))


def describe_not_created(name: str, error: FormicaryError) -> NotCreated:
    """Return what is said of an agent, by its full name, that could not be created."""
    return NotCreated(name, _reason_of(error), sentence(str(error)))


def _reason_of(error: FormicaryError) -> str:
    kind = "already-registered" if isinstance(error, NameTakenError) else "internal-error"
    return getattr(error, "reason", kind)


def make_request(action: str, **fields: Any) -> Request:
    """Return a request as it would be read if an agent had sent it; fields that are None are left out.

    Raises:
        ManagementRequestError: there can be no such request.
    """
    given = {name: value for name, value in fields.items() if value is not None}
    try:
        # What is handed in may be anything; msgspec writes also what JSON cannot say, such as bytes.
        content = _to_json({"action": action, **given}).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise ManagementRequestError(f"the request cannot be expressed in JSON: {error}") from None
    return decode_request(content)


DIALECT: Dialect[FormicaryError] = Dialect(
    speaker="the management agent",
    actions=(
        "search, find, locate, list-containers, measure, watch, suspend, resume, kill, deactivate, activate, "
        "move, clone, create and create-many"
    ),
    error=ManagementError,
    request_error=ManagementRequestError,
    kinds={
        "already-registered": NameTakenError,
        "not-moved": MoveError,
        "not-registered": UnknownAgentError,
        "unauthorised": UnauthorisedError,
    },
)
decode_request: Callable[[str | bytes], Request] = partial(
    DIALECT.read_request, msgspec.json.Decoder(Request)
)
decode_error = DIALECT.read_error
_results = msgspec.json.Decoder(Result)
_encode = msgspec.json.Encoder().encode


def _refuse(value: object) -> Never:
    raise TypeError(f"{shorten(value)} is neither text nor a number, nor a list or a dict of these")


_to_json = json.JSONEncoder(allow_nan=False, ensure_ascii=False, default=_refuse).encode
