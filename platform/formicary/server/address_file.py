"""A server of one's own, as a file says where it is: for `--server FILE`, services and images.

The file itself is no secret: it names the one that has the secret, which can so be a credential of its own.
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from formicary.core import names
from formicary.core.errors import InvalidNameError, UsageError
from formicary.core.private import check_secret
from formicary.server.address import PROSODY_STANZA_LIMIT, ServerAddress

if TYPE_CHECKING:
    from pathlib import Path

_LONGEST_SECRET = 4096  # bytes
_LEAST_STANZA_LIMIT = 10_000  # bytes: RFC 6120 has servers take as much

_Text = Annotated[str, Meta(min_length=1)]


class _AddressFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is in the file; paths count from the file's folder."""

    host: _Text
    platform: _Text
    secret_file: _Text
    port: Annotated[int, Meta(ge=1, le=65535)] = 5347
    stanza_limit: Annotated[int, Meta(ge=_LEAST_STANZA_LIMIT)] = PROSODY_STANZA_LIMIT
    certificate: _Text | None = None


def read_address(path: Path, *, tls: bool = False) -> ServerAddress:
    """Return the server that a file speaks of.

    Args:
        path: a TOML file with `host`, `platform`, `secret_file` and, where they differ from Prosody's own,
            `port` and `stanza_limit`; with `certificate` where the port speaks TLS.
        tls: whether it has to be a port that speaks TLS.

    Raises:
        UsageError: a file cannot be read or says nothing of use, or there is to be TLS and is none.
    """
    try:
        said = msgspec.convert(tomllib.loads(_text(path)), _AddressFile)
        names.check_platform(said.platform)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, InvalidNameError) as error:
        raise UsageError(
            f"{path} does not describe a server: {error}; it needs host, platform and secret_file"
        ) from error
    certificate = path.parent / said.certificate if said.certificate else None
    if certificate is not None:
        _text(certificate)  # what cannot be read is said now, and not as a failed connection
    elif tls:
        raise UsageError(
            f"{path} does not configure TLS: add `certificate` and a `port` that uses it, or omit --tls"
        )
    return ServerAddress(
        said.host,
        said.port,
        _secret(path.parent / said.secret_file),
        said.platform,
        said.stanza_limit,
        certificate=certificate,
    )


def _secret(path: Path) -> str:
    text = _text(path, is_secret=True).strip()
    if not text or len(text) > _LONGEST_SECRET:
        what = "no secret" if not text else "not a secret but something far longer"
        raise UsageError(f"{path} contains {what}: put the server's component secret in it")
    return text


def _text(path: Path, *, is_secret: bool = False) -> str:
    try:
        if is_secret:
            check_secret(path)
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise UsageError(f"{path} cannot be read ({reason}); choose another file, or create it") from error
