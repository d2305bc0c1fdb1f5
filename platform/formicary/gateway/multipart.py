"""An envelope and its payload in one multipart body (FIPA00084, RFC 2046)."""

from __future__ import annotations

import re
import secrets

_PREAMBLE = b"This is not part of the MIME multipart encoded message."  # from FIPA00084
_BOUNDARY = re.compile(
    r"multipart/mixed\s*;(?:.*;)?\s*boundary\s*=\s*(?:\"([^\"]{1,70})\"|([^\s;\"]{1,70}))", re.IGNORECASE
)
_LONGEST = 1000  # characters of a content type


class MultipartError(ValueError):
    """The body does not have the two parts."""


def write_parts(envelope: bytes, payload: bytes, character_set: str) -> tuple[str, bytes]:
    """Return the content type of a body, and the body.

    Args:
        envelope: the envelope in XML.
        payload: the message.
        character_set: of the message.
    """
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

    Args:
        content_type: the body's, with the boundary.
        body: the body.

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
