"""Envelopes in XML (FIPA00085): a message's receivers and encoding; and bodies with both (RFC 2046)."""

from __future__ import annotations

import re
import secrets
from html import escape
from typing import TYPE_CHECKING, Any, NoReturn
from xml.parsers import expat

import msgspec

from formicary.gateway.acl_message import AgentIdentifier, write_time

if TYPE_CHECKING:
    from datetime import datetime

STRING_FORM = "fipa.acl.rep.string.std"
"""FIPA's name for ACL in string form."""

_DEPTH = 20  # nested elements
_AGENTS = 1000  # agent identifiers in one envelope
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_PARTIES = {"to": "to", "from": "senders", "intended-receiver": "intended_receivers"}
_TEXTS = {
    "acl-representation": "representation",
    "payload-encoding": "character_set",
    "payload-length": "payload_length",
}
_PREAMBLE = b"This is not part of the MIME multipart encoded message."  # from FIPA00084
_BOUNDARY = re.compile(
    r"multipart/mixed\s*;(?:.*;)?\s*boundary\s*=\s*(?:\"([^\"]{1,70})\"|([^\s;\"]{1,70}))", re.IGNORECASE
)
_LONGEST = 1000  # characters of a content type


class MultipartError(ValueError):
    """The body does not have the two parts."""


def write_parts(envelope: bytes, payload: bytes, character_set: str) -> tuple[str, bytes]:
    """Return the content type of a body, and the body."""
    while (boundary := secrets.token_hex(16)).encode() in payload:
        pass
    line = f"--{boundary}".encode()
    lines = [
        _PREAMBLE,
        line,
        b"Content-Type: application/xml",
        b"",
        envelope,
        line,
        f"Content-Type: application/text; charset={character_set}".encode(),
        b"",
        payload,
        line + b"--",
        b"",
    ]
    # JADE only reads a quoted boundary.
    return f'multipart/mixed; boundary="{boundary}"', b"\r\n".join(lines)


def read_parts(content_type: str, body: bytes) -> tuple[bytes, bytes]:
    """Return the envelope and the payload of a body.

    Raises:
        MultipartError: the parts are not these two.
    """
    found = _BOUNDARY.match(content_type[:_LONGEST])
    if found is None:
        raise MultipartError("the body is not multipart/mixed with a boundary")
    boundary = (found[1] or found[2]).encode()
    parts = (b"\r\n" + body).split(b"\r\n--" + boundary)
    if len(parts) != 4 or not parts[3].startswith(b"--"):  # noqa: PLR2004 -- the preamble, two, and the end
        raise MultipartError("the body does not have two parts and an end")
    return _content(parts[1]), _content(parts[2])


def _content(part: bytes) -> bytes:
    """Return the content after a part's header."""
    _, end, content = part.partition(b"\r\n\r\n")
    if not end:
        raise MultipartError("a part of the body has no header")
    return content


class EnvelopeError(ValueError):
    """The envelope is malformed."""


class Envelope(msgspec.Struct, frozen=True):
    """The data about a message for its transport (FIPA00067).

    Args:
        to: the receivers, as the sender set them.
        sender: the sender.
        intended_receivers: the receivers of this delivery; all of `to` by default.
        representation: the encoding of the message.
        character_set: of the message; empty if absent.
        payload_length: bytes of the message; None if absent.
    """

    to: tuple[AgentIdentifier, ...]
    sender: AgentIdentifier | None = None
    intended_receivers: tuple[AgentIdentifier, ...] = ()
    representation: str = STRING_FORM
    character_set: str = ""
    payload_length: int | None = None


def write_envelope(envelope: Envelope, when: datetime) -> bytes:
    """Return an envelope in XML: ASCII on one line, since JADE drops line ends.

    Args:
        envelope: the envelope.
        when: the current time, with a time zone.

    Raises:
        ValueError: XML cannot represent a name in it.
    """
    parts = ['<?xml version="1.0"?><envelope><params index="1">']
    parts += [f"<to>{_identifier(each)}</to>" for each in envelope.to]
    if envelope.sender is not None:
        parts.append(f"<from>{_identifier(envelope.sender)}</from>")
    parts.append(_element("acl-representation", envelope.representation))
    if envelope.payload_length is not None:
        parts.append(_element("payload-length", str(envelope.payload_length)))
    if envelope.character_set:
        parts.append(_element("payload-encoding", envelope.character_set))
    parts.append(_element("date", write_time(when)))
    parts += [
        f"<intended-receiver>{_identifier(each)}</intended-receiver>" for each in envelope.intended_receivers
    ]
    parts.append("</params></envelope>")
    return "".join(parts).encode("ascii", "xmlcharrefreplace")


def _identifier(identifier: AgentIdentifier) -> str:
    addresses = "".join(_element("url", url) for url in identifier.addresses)
    name = _element("name", identifier.name)
    return f"<agent-identifier>{name}<addresses>{addresses}</addresses></agent-identifier>"


def _element(tag: str, text: str) -> str:
    if (found := _NOT_XML.search(text)) is not None:
        raise ValueError(f"{text[:40]!r} contains {found[0]!r}, a character that XML cannot carry")
    text = escape(text, quote=False).replace("\r", "&#13;").replace("\n", "&#10;")
    return f"<{tag}>{text}</{tag}>"


def read_envelope(data: bytes) -> Envelope:
    """Parse an envelope from an XML document.

    Document types are refused, and with them entities, so a document cannot expand.

    Raises:
        EnvelopeError: it is malformed.
    """
    reader = _Reader()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = reader.refuse_doctype
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise EnvelopeError(f"the envelope is not XML: {error}") from None
    except (LookupError, ValueError) as error:  # an unknown encoding
        if isinstance(error, EnvelopeError):
            raise
        raise EnvelopeError(f"the envelope is not XML in a known encoding: {error}") from None
    return reader.envelope()


class _Reader:
    """Collects an envelope's values; a later `params` overrides those that it contains."""

    def __init__(self) -> None:
        self._path: list[str] = []
        self._said: dict[str, Any] = {}  # in all
        self._here: dict[str, Any] = {}  # in this `params`
        self._identifiers: list[dict[str, Any]] = []  # open ones
        self._count = 0
        self._text = ""

    def refuse_doctype(self, *_: Any) -> NoReturn:
        raise EnvelopeError("the envelope has a document type, which is refused")

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        del attributes
        tag = tag.lower()
        if not self._path and tag != "envelope":
            raise EnvelopeError(f"the document is not an envelope but {tag[:40]!r}")
        self._path.append(tag)
        if len(self._path) > _DEPTH:
            raise EnvelopeError(f"the envelope's elements are nested more than {_DEPTH} deep")
        if tag == "params":
            self._here = {}
        elif tag == "agent-identifier":
            self._count += 1
            if self._count > _AGENTS:
                raise EnvelopeError(f"the envelope has more than {_AGENTS} agents")
            self._identifiers.append({"addresses": [], "resolvers": []})
        self._text = ""

    def text(self, text: str) -> None:
        self._text += text

    def end(self, tag: str) -> None:
        tag = tag.lower()
        self._path.pop()
        text, self._text = self._text.strip(), ""
        parent = self._path[-1] if self._path else ""
        if tag == "agent-identifier":
            self._end_identifier(parent)
        elif tag == "params":
            self._said |= self._here
        elif self._identifiers:
            if tag == "name" and parent == "agent-identifier":
                self._identifiers[-1]["name"] = text
            elif tag == "url":
                self._identifiers[-1]["addresses"].append(text)
        elif parent == "params" and tag in _TEXTS:
            self._here[_TEXTS[tag]] = text

    def _end_identifier(self, parent: str) -> None:
        found = self._identifiers.pop()
        if not found.get("name"):
            raise EnvelopeError("an agent in the envelope has no name")
        identifier = AgentIdentifier(found["name"], tuple(found["addresses"]), tuple(found["resolvers"]))
        if self._identifiers:
            self._identifiers[-1]["resolvers"].append(identifier)
        elif parent in _PARTIES:
            self._here.setdefault(_PARTIES[parent], []).append(identifier)

    def envelope(self) -> Envelope:
        said = self._said
        length = said.get("payload_length")
        if length is not None and not re.fullmatch(r"-?\d{1,15}", length, re.ASCII):
            raise EnvelopeError(f"{length[:40]!r} is not a message length")
        if not said.get("to") and not said.get("intended_receivers"):
            raise EnvelopeError("the envelope has no receiver")
        return Envelope(
            to=tuple(said.get("to", ())),
            sender=next(iter(said.get("senders", ())), None),
            intended_receivers=tuple(said.get("intended_receivers", ())),
            representation=said.get("representation", STRING_FORM),
            character_set=said.get("character_set", ""),
            payload_length=int(length) if length is not None and not length.startswith("-") else None,
        )
