"""The language of FIPA00023's agents: JSON, and how requests and errors are written and read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import msgspec

from formicary.core.errors import FormicaryError
from formicary.core.quoting import sentence, shorten

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")
E = TypeVar("E", bound=FormicaryError)

ONTOLOGY = "fipa-agent-management"
CLONING = "formicary-mobility"
"""The ontology of requests for copies of agents, between containers."""
LANGUAGE = "json"
REQUEST = "fipa-request"
"""The protocol of all actions that are asked for once."""

PERFORMATIVES = {
    "unsupported-act": "not-understood",
    "unexpected-act": "not-understood",
    "unsupported-value": "not-understood",
    "unrecognised-value": "not-understood",
    "unauthorised": "refuse",
    "unsupported-function": "refuse",
    "missing-parameter": "refuse",
    "unexpected-parameter": "refuse",
    "unrecognised-parameter-value": "refuse",
    "too-many-services": "refuse",
    "already-registered": "failure",
    "not-registered": "failure",
    "not-moved": "failure",
    "internal-error": "failure",
}
"""Which performative says what goes wrong, by the reason; after an `agree` it is always `failure`."""


class ErrorContent(msgspec.Struct, frozen=True):
    """The content of an answer that tells of an error.

    Args:
        error: the reason, by FIPA00023's name for it.
        message: the sentence that says what is wrong.
    """

    error: str
    message: str


@dataclass(frozen=True)
class Dialect(Generic[E]):
    """The requests and errors of one kind of agent.

    Args:
        speaker: who it is, as part of a sentence.
        actions: what can be asked of it, as part of a sentence.
        error: what is raised here when it says that something failed.
        request_error: makes what is raised where a request is at fault, from a sentence and the reason.
        kinds: what else is raised, by the reason.
    """

    speaker: str
    actions: str
    error: type[E]
    request_error: Callable[[str, str], E]
    kinds: Mapping[str, type[E]]

    def read_request(self, decoder: msgspec.json.Decoder[T], body: str | bytes) -> T:
        """Return the request that a content is; raise a `request_error` if it is none."""
        try:
            return decoder.decode(body)
        except msgspec.ValidationError as error:
            reason = _reason(error)
            hint = f"; the actions are {self.actions}" if reason == "unsupported-function" else ""
            raise self.request_error(f"the request cannot be read: {error}{hint}", reason) from None
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise self.request_error(f"the content is not JSON: {error}", "unrecognised-value") from None

    def read_error(self, body: str | bytes) -> E:
        """Return the error in an answer other than `inform`, whoever has written it."""
        try:
            content = _errors.decode(body)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return self.error(f"{self.speaker} refused, saying {shorten(body)}")
        if kind := self.kinds.get(content.error):
            return kind(content.message)
        if PERFORMATIVES.get(content.error, "failure") == "failure":
            return self.error(content.message)
        return self.request_error(content.message, content.error)


def write_error(error: FormicaryError, reason: str) -> tuple[str, str]:
    """Return the performative and the content that tell of an error.

    Args:
        error: it may say the reason itself.
        reason: the reason where it does not.
    """
    reason = getattr(error, "reason", reason)
    return PERFORMATIVES[reason], _encode(ErrorContent(reason, sentence(str(error)))).decode()


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


_errors = msgspec.json.Decoder(ErrorContent)
_encode = msgspec.json.Encoder().encode
