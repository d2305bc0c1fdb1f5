"""SPADE's helpers for messages with all parameters of FIPA00061."""

from __future__ import annotations

import json
import uuid
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, ClassVar, Self

from formicary.extending import get_logger
from formicary.spade.message import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

logger = get_logger("formicary.spade")

_LONGEST = 500  # characters of a body shown in full


class InvalidPerformativeError(ValueError):
    """The performative is not defined by FIPA00037.

    Args:
        performative: the given value.
        valid_performatives: the valid ones, as text.
    """

    def __init__(self, performative: str, valid_performatives: str) -> None:
        super().__init__(f"{performative!r} is not a performative; use one of {valid_performatives}")


class PerformativeNotSetError(ValueError):
    """A message cannot be built without a performative."""

    def __init__(self) -> None:
        super().__init__("the message has no performative; call set_performative() before build()")


class FIPAMessageBuilder:
    """Builds a message step by step; each method returns the builder.

    Args:
        sender: the sender's address.
        receiver: the receiver's.
    """

    # What each act does with its content, from the summaries of FIPA00037, section 3.
    PERFORMATIVES: ClassVar[Mapping[str, str]] = {
        "accept-proposal": "accepts what was proposed",
        "agree": "agrees to perform an action",
        "cancel": "no longer wants an action to be performed",
        "cfp": "calls for proposals to perform an action",
        "confirm": "confirms a proposition of which the receiver was uncertain",
        "disconfirm": "says that a proposition is false, which the receiver believed",
        "failure": "says that an action was attempted and failed",
        "inform": "says that a proposition is true",
        "inform-if": "says whether a proposition is true",
        "inform-ref": "names the object of a description",
        "not-understood": "did not understand what the receiver did",
        "propagate": "asks the receiver to accept a message as its own, and to pass it on",
        "propose": "proposes to perform an action under conditions",
        "proxy": "asks the receiver to choose agents and send them a message",
        "query-if": "asks whether a proposition is true",
        "query-ref": "asks for the object of a description",
        "refuse": "refuses to perform an action, and says why",
        "reject-proposal": "rejects what was proposed",
        "request": "requests an action",
        "request-when": "requests an action once a proposition is true",
        "request-whenever": "requests an action each time that a proposition becomes true",
        "subscribe": "asks to be told of a reference each time that it changes",
    }
    LANGUAGES: ClassVar[Mapping[str, str]] = {
        name: name for name in ("fipa-sl", "fipa-sl0", "fipa-sl1", "fipa-sl2", "json", "xml", "string")
    }
    PROTOCOLS: ClassVar[Mapping[str, str]] = {
        f"fipa-{name}": name
        for name in ("request", "query", "subscribe", "propose", "contract-net", "brokering", "recruiting")
    }

    def __init__(self, sender: str, receiver: str) -> None:
        self.message = Message(receiver, sender)
        self.metadata: dict[str, Any] = {
            "conversation-id": f"conv-{uuid.uuid4().hex[:8]}",
            "reply-with": f"msg-{uuid.uuid4().hex[:8]}",
            "encoding": "utf-8",
            "language": "json",
            "ontology": "fipa-agent-communication",
            "performative": None,
            "creation-timestamp": _now().isoformat(),
        }

    def set_performative(self, performative: str) -> Self:
        """Set the performative.

        Raises:
            InvalidPerformativeError: it is not in `PERFORMATIVES`.
        """
        if performative not in self.PERFORMATIVES:
            raise InvalidPerformativeError(performative, ", ".join(self.PERFORMATIVES))
        return self._set("performative", performative)

    def set_body(self, content: Any, as_json: bool = True) -> Self:  # noqa: FBT001, FBT002 -- SPADE's
        """Set the content: text as it is, anything else as JSON.

        Args:
            content: the content.
            as_json: whether to encode it as JSON rather than plain text.
        """
        if as_json and not isinstance(content, str):
            self.message.body = json.dumps(content, ensure_ascii=False)
        else:
            self.message.body = str(content)
        self._set("content-type", "application/json" if as_json else "text/plain")
        return self._set("language", "json" if as_json else "string")

    def set_language(self, language: str) -> Self:
        """Set the language of the content; log an unknown one."""
        return self._set_known("language", language, self.LANGUAGES)

    def set_protocol(self, protocol: str) -> Self:
        """Set the interaction protocol; log an unknown one."""
        return self._set_known("protocol", protocol, self.PROTOCOLS)

    def set_ontology(self, ontology: str) -> Self:
        """Set the ontology."""
        return self._set("ontology", ontology)

    def set_conversation_id(self, conversation_id: str) -> Self:
        """Set the message's conversation."""
        return self._set("conversation-id", conversation_id)

    def set_in_reply_to(self, reply_to: str) -> Self:
        """Set the `reply-with` of the message that this one answers."""
        return self._set("in-reply-to", reply_to)

    def set_reply_by(self, minutes: int = 5) -> Self:
        """Set the deadline for an answer, in minutes from now."""
        return self._set("reply-by", (_now() + timedelta(minutes=minutes)).isoformat())

    def set_custom_metadata(self, key: str, value: Any) -> Self:
        """Set a custom value, as text."""
        return self._set(str(key), str(value))

    def _set(self, key: str, value: str) -> Self:
        self.metadata[key] = value
        return self

    def _set_known(self, key: str, value: str, known: Mapping[str, str]) -> Self:
        if value not in known:
            logger.warning("%s is not a %s known to FIPA or SPADE", value, key)
        return self._set(key, value)

    def build(self) -> Message:
        """Return the message.

        Raises:
            PerformativeNotSetError: it has no performative.
        """
        if self.metadata.get("performative") is None:
            raise PerformativeNotSetError
        self.message.metadata = self.metadata
        return self.message

    @classmethod
    def create_inform_message(
        cls, sender: str, receiver: str, content: Any, ontology: str = "general"
    ) -> Message:
        """Return an `inform` of the subscribe protocol."""
        builder = cls(sender, receiver).set_performative("inform").set_body(content)
        return builder.set_ontology(ontology).set_protocol("fipa-subscribe").build()

    @classmethod
    def create_request_message(
        cls, sender: str, receiver: str, action: str, parameters: Mapping[str, Any] | None = None
    ) -> Message:
        """Return a `request` for an action, to be answered within ten minutes."""
        content = {"action": action, "parameters": parameters or {}, "timestamp": _now().isoformat()}
        builder = cls(sender, receiver).set_performative("request").set_body(content)
        return builder.set_ontology("action-request").set_protocol("fipa-request").set_reply_by(10).build()

    @classmethod
    def create_response_message(
        cls, original_msg: Message, content: Any, performative: str = "confirm"
    ) -> Message:
        """Return an answer to a message, in the same conversation."""
        asked = original_msg.metadata
        builder = cls(str(original_msg.to), str(original_msg.sender))
        builder.set_performative(performative).set_body(content)
        builder.set_ontology(asked.get("ontology", "response"))
        builder.set_conversation_id(asked.get("conversation-id", "unknown"))
        builder.set_in_reply_to(asked.get("reply-with", ""))
        return builder.set_protocol(asked.get("protocol", "fipa-request")).build()


def _getter(key: str, default: str = "unknown") -> Callable[[FIPAMessageParser], str]:
    def get(parser: FIPAMessageParser) -> str:
        return parser.metadata.get(key, default)

    get.__doc__ = f"Return the message's `{key}`; {default or 'an empty text'} if there is none."
    return get


class FIPAMessageParser:
    """Reads a message of `FIPAMessageBuilder`.

    Args:
        message: the message.
    """

    def __init__(self, message: Message) -> None:
        self.message = message
        self.metadata = message.metadata

    get_performative = _getter("performative")
    get_conversation_id = _getter("conversation-id")
    get_ontology = _getter("ontology")
    get_language = _getter("language")
    get_protocol = _getter("protocol")
    get_reply_with = _getter("reply-with", "")

    def get_custom_metadata(self, key: str, default: Any = None) -> Any:
        """Return a custom value, or `default`."""
        return self.metadata.get(key, default)

    def parse_body(self) -> Any:
        """Return the content decoded from JSON, or as text if it is not JSON."""
        body = self.message.body
        if self.get_language() == "json" or (body or "").strip().startswith(("{", "[")):
            try:
                return json.loads(body or "")
            except json.JSONDecodeError:
                return body
        return body

    def is_valid_fipa_message(self) -> bool:
        """Return whether the message is valid."""
        return self.validate_fipa_message()[0]

    def validate_fipa_message(self) -> tuple[bool, str]:
        """Return whether the message is valid, and the error if not."""
        for field in "performative", "conversation-id":
            if field not in self.metadata:
                return False, f"Missing '{field}' field"
            performative = self.metadata["performative"]
            if performative not in FIPAMessageBuilder.PERFORMATIVES:
                return False, f"Performative '{performative}' is not valid"
        if self.get_language() == "json":
            try:
                json.loads(self.message.body or "")
            except json.JSONDecodeError:
                return False, "Message body is not valid JSON"
        return True, ""

    def print_debug_info(self) -> str:
        """Return the message as human-readable text, and log it."""
        body = self.message.body or ""
        values = {"From": self.message.sender, "To": self.message.to, **self.metadata}
        shown = body if len(body) < _LONGEST else f"{body[:_LONGEST]}..."
        text = "\n".join([*(f"{name}: {value}" for name, value in values.items()), shown])
        logger.info("%s", text)
        return text


def _now() -> datetime:
    return datetime.now()  # noqa: DTZ005 -- SPADE's times have no zone
