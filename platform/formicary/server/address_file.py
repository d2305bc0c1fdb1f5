"""Files that describe your own server, for `--server FILE`, services and images.

The file itself is not secret: it names the file with the secret, which can be a separate credential.
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
_LEAST_STANZA_LIMIT = 10_000  # bytes: RFC 6120 requires servers to accept this much

_Text = Annotated[str, Meta(min_length=1)]


class _AddressFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file's content; paths are relative to its folder."""

    host: _Text
    platform: _Text
    secret_file: _Text
    port: Annotated[int, Meta(ge=1, le=65535)] = 5347
    stanza_limit: Annotated[int, Meta(ge=_LEAST_STANZA_LIMIT)] = PROSODY_STANZA_LIMIT
    certificate: _Text | None = None


def read_address(path: Path, *, tls: bool = False) -> ServerAddress:
    """Return the server that a file describes.

    Args:
        path: a TOML file with `host`, `platform`, `secret_file` and, unless Prosody's defaults apply, `port`
            and `stanza_limit`; with `certificate` if the port uses TLS.
        tls: whether the port must use TLS.

    Raises:
        UsageError: a file cannot be read or is invalid, or TLS is required but not configured.
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
        _text(certificate)  # to report unreadable files now, not as a failed connection
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
