"""Writes ACL messages in string form (FIPA00070)."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

from formicary.gateway.acl_message import EXPRESSIONS, PERFORMATIVES, write_time

if TYPE_CHECKING:
    from formicary.gateway.acl_message import AclMessage, AgentIdentifier

BASE64 = "JADE-Encoding"
"""The user-defined parameter with which JADE marks the content as bytes in Base64."""

# Every reader takes these for words; JADE reads some others as numbers, or drops them.
_is_word = re.compile(r"[A-Za-z_][A-Za-z0-9_.:/+*@%-]*", re.ASCII).fullmatch
_is_parameter = re.compile(r"[^\x00-\x20()]+").fullmatch
_is_url = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[!#-'*-~]+", re.ASCII).fullmatch


def write_acl(message: AclMessage) -> tuple[bytes, str]:
    """Return a message in string form, and the name of its character set.

    Raises:
        ValueError: string form cannot carry it.
    """
    if message.performative not in PERFORMATIVES:
        raise ValueError(f"{message.performative!r} is not a performative of FIPA00037")
    parts = [f"({message.performative}"]
    if message.sender is not None:
        parts.append(f":sender {write_identifier(message.sender)}")
    for name, identifiers in ((":receiver", message.receivers), (":reply-to", message.reply_to)):
        if identifiers:
            parts.append(f"{name} (set {' '.join(map(write_identifier, identifiers))})")
    content, parameters = message.content, message.parameters
    if isinstance(content, bytes):
        parameters = parameters | {BASE64: "Base64"}
        content = base64.b64encode(content).decode()
    if content is not None:
        parts.append(f":content {_string(content)}")
    for name, field in EXPRESSIONS.items():
        if (value := getattr(message, field)) is not None:
            parts.append(f"{name} {_expression(value)}")
    if message.reply_by is not None:
        parts.append(f":reply-by {write_time(message.reply_by)}")
    parts += _user_defined(parameters)
    text = "\n ".join(parts) + ")"
    return text.encode(), "US-ASCII" if text.isascii() else "UTF-8"


def write_identifier(identifier: AgentIdentifier) -> str:
    """Return an agent identifier in string form.

    Raises:
        ValueError: an address is invalid.
    """
    parts = [f"(agent-identifier :name {_expression(identifier.name)}"]
    for url in identifier.addresses:
        if not _is_url(url):
            raise ValueError(f"{url[:60]!r} is not an address")
    if identifier.addresses:
        parts.append(f":addresses (sequence {' '.join(identifier.addresses)})")
    if identifier.resolvers:
        parts.append(f":resolvers (sequence {' '.join(map(write_identifier, identifier.resolvers))})")
    return " ".join([*parts, *_user_defined(identifier.parameters)]) + ")"


def _user_defined(parameters: dict[str, str]) -> list[str]:
    for name in parameters:
        if not _is_parameter(name):
            raise ValueError(f"{name[:60]!r} cannot be the name of a parameter: it has spaces, ( or ) in it")
    return [f":X-{name} {_expression(value)}" for name, value in parameters.items()]


def _expression(text: str) -> str:
    return text if _is_word(text) else _string(text)


def _string(text: str) -> str:
    if text.endswith("\\"):  # which would escape the closing quote
        return f'#{len(text.encode())}"{text}'
    return '"' + text.replace('"', '\\"') + '"'
