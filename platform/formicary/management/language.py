"""How agents talk with a container's management agent: JSON, in the ontology `fipa-agent-management`.

A request's content is an object with an `action` and its arguments; `docs/management.md` is the reference.
What cannot be read, or asks for what cannot be, is refused with FIPA00023's names for the reasons.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from formicary.directory.description import shorten
from formicary.errors import (
    FormicaryError,
    ManagementError,
    ManagementRequestError,
    NameTakenError,
    UnauthorisedError,
    UnknownAgentError,
)
from formicary.management.actions import Request
from formicary.management.descriptions import (  # noqa: TC001 -- msgspec reads the types
    AgentDescription,
    ContainerDescription,
    Missing,
)
from formicary.observe.metrics import Figures  # noqa: TC001 -- as above

if TYPE_CHECKING:
    from formicary.message import Message

ONTOLOGY = "fipa-agent-management"
LANGUAGE = "json"
PROTOCOL = "fipa-request"


class Result(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What an `inform` says.

    Args:
        done: the action that is done.
        agents: what a search has found.
        agent: the full name of the agent that was created, suspended, resumed or killed.
        containers: the containers that were asked for.
        figures: what they use and carry, where that was asked.
        missing: the containers of which nothing could be learnt.
    """

    done: str
    agents: tuple[AgentDescription, ...] = ()
    agent: str | None = None
    containers: tuple[ContainerDescription, ...] = ()
    missing: tuple[Missing, ...] = ()
    figures: tuple[Figures, ...] = ()


class _Error(msgspec.Struct, frozen=True):
    error: str
    message: str


PERFORMATIVES = {
    "unsupported-act": "not-understood",
    "unsupported-value": "not-understood",
    "unrecognised-value": "not-understood",
    "unauthorised": "refuse",
    "unsupported-function": "refuse",
    "missing-parameter": "refuse",
    "unexpected-parameter": "refuse",
    "unrecognised-parameter-value": "refuse",
    "already-registered": "failure",
    "not-registered": "failure",
    "internal-error": "failure",
}
"""Which performative says what goes wrong, by the reason; after an `agree` it is always `failure`."""


def read_request(message: Message) -> Request:
    """Return what a message asks of the management agent.

    Raises:
        ManagementRequestError: it cannot be read; its `reason` is FIPA00023's.
    """
    if message.performative != "request":
        raise ManagementRequestError(
            f"the management agent understands request, not {message.performative!r}", "unsupported-act"
        )
    for field, known in (("language", LANGUAGE), ("ontology", ONTOLOGY), ("protocol", PROTOCOL)):
        if getattr(message, field) not in {None, known}:
            raise ManagementRequestError(
                f"the management agent knows the {field} {known!r}, not {shorten(getattr(message, field))}",
                "unsupported-value",
            )
    return decode_request(message.body)


def decode_request(body: str | bytes) -> Request:
    """Return the request that a content is.

    Raises:
        ManagementRequestError: it is none; its `reason` is FIPA00023's.
    """
    try:
        return _requests.decode(body)
    except msgspec.ValidationError as error:
        reason = _reason(error)
        hint = f"; the actions are {_ACTIONS}" if reason == "unsupported-function" else ""
        raise ManagementRequestError(f"the request cannot be read: {error}{hint}", reason) from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ManagementRequestError(f"the content is not JSON: {error}", "unrecognised-value") from None


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
    reason = "already-registered" if isinstance(error, NameTakenError) else "internal-error"
    reason = getattr(error, "reason", reason)
    return PERFORMATIVES[reason], _encode(_Error(reason, str(error))).decode()


def decode_error(body: str | bytes) -> FormicaryError:
    """Return the error that a `not-understood`, `refuse` or `failure` tells of, whoever has written it."""
    try:
        content = _errors.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ManagementError(f"the management agent does not do it, and says {shorten(body)}")
    if kind := _KINDS.get(content.error):
        return kind(content.message)
    if PERFORMATIVES.get(content.error, "failure") == "failure":
        return ManagementError(content.message)
    return ManagementRequestError(content.message, content.error)


def make_request(action: str, **fields: Any) -> Request:
    """Return a request as it would be read if an agent had sent it; fields that are None are left out.

    Raises:
        ManagementRequestError: there can be no such request.
    """
    given = {name: value for name, value in fields.items() if value is not None}
    try:
        content = json.dumps({"action": action, **given}, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ManagementRequestError(f"the request cannot be said in JSON: {error}") from None
    return decode_request(content)


def _reason(error: msgspec.ValidationError) -> str:
    """Return FIPA00023's name for what is wrong with JSON that is no request.

    By msgspec's words, since it has no codes; where it has others, the general one.
    """
    text = str(error)
    if ("$" not in text and text.startswith("Expected")) or text.endswith("`action`"):
        return "unrecognised-value"
    if text.endswith("`$.action`"):
        return "unsupported-function"
    if text.startswith("Object missing"):
        return "missing-parameter"
    if text.startswith("Object contains unknown"):
        return "unexpected-parameter"
    return "unrecognised-parameter-value"


_KINDS: dict[str, type[FormicaryError]] = {
    "already-registered": NameTakenError,
    "not-registered": UnknownAgentError,
    "unauthorised": UnauthorisedError,
}
_ACTIONS = "search, list-containers, measure, suspend, resume, kill and create"
_requests: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)
_results = msgspec.json.Decoder(Result)
_errors = msgspec.json.Decoder(_Error)
_encode = msgspec.json.Encoder().encode
