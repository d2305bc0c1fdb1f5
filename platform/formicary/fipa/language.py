"""The language of FIPA00023's agents: encodes and decodes requests and errors as JSON."""

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
"""The protocol of all one-off actions."""

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
"""The performative of an error, by its reason; after an `agree` it is always `failure`."""


class ErrorContent(msgspec.Struct, frozen=True):
    """The content of an answer that reports an error.

    Args:
        error: FIPA00023's name for the reason.
        message: the error message, a sentence.
    """

    error: str
    message: str


@dataclass(frozen=True)
class Dialect(Generic[E]):
    """The requests and errors of one kind of agent.

    Args:
        speaker: names the agent, as part of a sentence.
        actions: its actions, as part of a sentence.
        error: raised when the agent reports a failure.
        request_error: creates the error for a faulty request, from a sentence and the reason.
        kinds: other errors to raise, by the reason.
    """

    speaker: str
    actions: str
    error: type[E]
    request_error: Callable[[str, str], E]
    kinds: Mapping[str, type[E]]

    def read_request(self, decoder: msgspec.json.Decoder[T], body: str | bytes) -> T:
        """Return the request in a content; raise a `request_error` if there is none."""
        try:
            return decoder.decode(body)
        except msgspec.ValidationError as error:
            reason = _reason(error)
            hint = f"; the actions are {self.actions}" if reason == "unsupported-function" else ""
            raise self.request_error(f"the request cannot be read: {error}{hint}", reason) from None
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise self.request_error(f"the content is not JSON: {error}", "unrecognised-value") from None

    def read_error(self, body: str | bytes) -> E:
        """Return the error in an answer other than `inform`, even if its content is not this language."""
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
    """Return the performative and the content that report an error.

    Args:
        error: the error, which may have a reason.
        reason: the reason if it has none.
    """
    reason = getattr(error, "reason", reason)
    return PERFORMATIVES[reason], _encode(ErrorContent(reason, sentence(str(error)))).decode()


def _reason(error: msgspec.ValidationError) -> str:
    """Return FIPA00023's name for the reason why JSON is no valid request.

    Derived from msgspec's wording, since it has no codes; the general name for unknown wording.
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
