"""Reads ACL messages in string form (FIPA00070), in one pass for any input."""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from formicary.gateway.acl_message import (
    BASE64,
    EXPRESSIONS,
    PERFORMATIVES,
    AclMessage,
    AgentIdentifier,
    read_time,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import NoReturn

_CHARACTER_SETS = {"us-ascii": "ascii", "ascii": "ascii", "utf-8": "utf-8", "iso-8859-1": "latin-1"}
_DEPTH = 20  # nested parentheses
_IDENTIFIERS = 1000  # in one message

_skip_blanks = re.compile(rb"[\x00-\x20]*").match
_match_atom = re.compile(rb"[^\x00-\x20()]+").match
_match_length = re.compile(rb'#(\d{1,9})"').match
_is_user_defined = re.compile(r":[Xx]-(.+)", re.DOTALL).fullmatch


class AclSyntaxError(ValueError):
    """The message is not in string form."""


def read_acl(data: bytes, character_set: str, now: datetime) -> AclMessage:
    """Parse a message in string form.

    Args:
        data: the text.
        character_set: its character set; if empty, US-ASCII, the default of FIPA00067.
        now: the current time, the base of durations.

    Raises:
        AclSyntaxError: it is malformed, or its character set is unknown.
    """
    codec = _CHARACTER_SETS.get((character_set or "us-ascii").lower())
    if codec is None:
        raise AclSyntaxError(f"the character set {character_set[:40]!r} is not supported; use UTF-8")
    return _Reader(data, codec, now).message()


class _Reader:
    def __init__(self, data: bytes, codec: str, now: datetime) -> None:
        self._data = data
        self._codec = codec
        self._now = now
        self._at = 0
        self._depth = 0
        self._identifiers = 0

    # -- parts of a message ---------------------------------------------------------------------------------

    def message(self) -> AclMessage:
        self._open()
        performative = self._atom().lower()
        if performative not in PERFORMATIVES:
            self._fail(f"{performative[:40]!r} is not a performative of FIPA00037")
        fields: dict[str, Any] = {}
        parameters: dict[str, str] = {}
        while not self._closes():
            name = self._atom()
            if (match := _is_user_defined(name)) is not None:
                self._put(parameters, match[1], self._expression())
            else:
                field, read = self._field(name.lower())
                self._put(fields, field, read())
        if self._byte():
            self._fail("there is extra text after the message")
        for name, value in parameters.items():
            if name.lower() == BASE64.lower() and value.lower() == "base64":
                del parameters[name]
                fields["content"] = self._base64(fields.get("content") or "")
                break
        return AclMessage(performative, parameters=parameters, **fields)

    def _field(self, name: str) -> tuple[str, Callable[[], object]]:
        """Return a parameter's field, and its reader."""
        if (field := EXPRESSIONS.get(name)) is not None:
            return field, self._expression
        readers: dict[str, tuple[str, Callable[[], object]]] = {
            ":sender": ("sender", self._identifier),
            ":receiver": ("receivers", lambda: self._collection("set", self._identifier)),
            ":reply-to": ("reply_to", lambda: self._collection("set", self._identifier)),
            ":content": ("content", self._content),
            ":reply-by": ("reply_by", self._time),
        }
        return readers.get(name) or self._fail(f"{name[:40]!r} is not a parameter of an ACL message")

    def _put(self, fields: dict[str, Any], name: str, value: object) -> None:
        if name in fields:
            self._fail(f"{name[:40]!r} is given twice")
        fields[name] = value

    def _identifier(self) -> AgentIdentifier:
        self._identifiers += 1
        if self._identifiers > _IDENTIFIERS:
            self._fail(f"there are more than {_IDENTIFIERS} agent identifiers")
        self._open()
        self._keyword("agent-identifier")
        fields: dict[str, Any] = {}
        parameters: dict[str, str] = {}
        while not self._closes():
            slot = self._atom()
            match slot.lower():
                case ":name":
                    self._put(fields, "name", self._expression())
                case ":addresses":
                    self._put(fields, "addresses", self._collection("sequence", self._atom))
                case ":resolvers":
                    self._put(fields, "resolvers", self._collection("sequence", self._identifier))
                case _ if (match := _is_user_defined(slot)) is not None:
                    self._put(parameters, match[1], self._expression())
                case _:
                    self._fail(f"{slot[:40]!r} is not a parameter of an agent identifier")
        if not fields.get("name"):
            self._fail("an agent identifier has no name")
        return AgentIdentifier(parameters=parameters, **fields)

    def _collection(self, keyword: str, read: Callable[[], Any]) -> tuple[Any, ...]:
        self._open()
        self._keyword(keyword)
        items = []
        while not self._closes():
            items.append(read())
        return tuple(items)

    def _content(self) -> str | bytes:
        if self._byte() == b"#":
            data = self._counted()
            try:
                return data.decode(self._codec)
            except UnicodeDecodeError:
                return data
        return self._expression()

    def _time(self) -> datetime:
        try:
            return read_time(self._atom(), self._now)
        except AclSyntaxError:
            raise
        except ValueError as error:
            self._fail(str(error))

    def _base64(self, content: str | bytes) -> bytes:
        try:
            return base64.b64decode(content, validate=True)
        except ValueError:  # also for text outside ASCII
            self._fail("the content is not in Base64")

    # -- expressions ----------------------------------------------------------------------------------------

    def _expression(self) -> str:
        """Return a word, number, time or string, or a parenthesized expression verbatim."""
        match self._byte():
            case b'"':
                return self._string()
            case b"#":
                return self._text(self._counted())
            case b"(":
                return self._nested()
            case _:
                return self._atom()

    def _nested(self) -> str:
        start, outer = self._at, self._depth
        self._open()
        while self._depth > outer:
            match self._byte():
                case b"(":
                    self._open()
                case b")":
                    self._closes()
                case b'"':
                    self._string()
                case b"#":
                    self._counted()
                case _:
                    self._atom()
        return self._text(self._data[start : self._at])

    def _string(self) -> str:
        start = self._at + 1
        end = self._data.find(b'"', start)
        while end > start and self._data[end - 1] == ord("\\"):
            end = self._data.find(b'"', end + 1)
        if end < 0:
            self._fail("a string is not terminated")
        self._at = end + 1
        return self._text(self._data[start:end]).replace('\\"', '"')

    def _counted(self) -> bytes:
        if (match := _match_length(self._data, self._at)) is None:
            self._fail("a string begins with # but has no length")
        start, length = match.end(), int(match[1])
        if length > len(self._data) - start:
            self._fail(f"a string is shorter than its {length} bytes")
        self._at = start + length
        return self._data[start : self._at]

    # -- tokens ---------------------------------------------------------------------------------------------

    def _byte(self) -> bytes:
        """Return the next non-blank byte without consuming it; empty at the end."""
        self._at = _skip_blanks(self._data, self._at).end()  # type: ignore[union-attr]  # it matches always
        return self._data[self._at : self._at + 1]

    def _open(self) -> None:
        if self._byte() != b"(":
            self._fail("a ( is missing")
        self._at += 1
        self._depth += 1
        if self._depth > _DEPTH:
            self._fail(f"parentheses are nested more than {_DEPTH} deep")

    def _closes(self) -> bool:
        if self._byte() != b")":
            return False
        self._at += 1
        self._depth -= 1
        return True

    def _keyword(self, keyword: str) -> None:
        if (found := self._atom()).lower() != keyword:
            self._fail(f"expected {keyword!r}, found {found[:40]!r}")

    def _atom(self) -> str:
        self._byte()
        if (match := _match_atom(self._data, self._at)) is None:
            self._fail("the message is incomplete" if self._at == len(self._data) else "a word is missing")
        self._at = match.end()
        return self._text(match[0])

    def _text(self, data: bytes) -> str:
        try:
            return data.decode(self._codec)
        except UnicodeDecodeError as error:
            self._fail(f"it does not match its character set: {error.reason}")

    def _fail(self, why: str) -> NoReturn:
        raise AclSyntaxError(f"{why}, near byte {self._at}")
