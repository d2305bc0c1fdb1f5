"""Certificates, made with OpenSSL: how, and the one that a managed server shows to clients and containers.

Stock slixmpp, and with it SPADE, does not log in without TLS, even on loopback. Containers use it if told to.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from formicary.core.errors import ServerError
from formicary.core.files import replacing
from formicary.server.process import find_program

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
_DAYS = "3650"
_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate and its key.

    Attributes:
        certificate: path of the certificate.
        key: path of its private key.
    """

    certificate: Path
    key: Path

    @classmethod
    def at(cls, folder: Path, name: str) -> Pair:
        """Return the pair of a name in a folder: `NAME.crt` and `NAME.key`."""
        return cls(folder / f"{name}.crt", folder / f"{name}.key")

    @property
    def is_there(self) -> bool:
        """Whether both files are there."""
        return self.certificate.exists() and self.key.exists()


def ensure_certificate(folder: Path, domain: str) -> None:
    """Make a self-signed certificate for a domain and for `localhost`, unless there is one.

    Args:
        folder: gets `DOMAIN.crt` and `DOMAIN.key`, where Prosody finds them by their names.
        domain: the domain that the server serves.

    Raises:
        ServerError: OpenSSL is missing or fails.
        OSError: the folder cannot be written.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    pair = Pair.at(folder, domain)
    if not pair.is_there:
        make(pair, "formicary", [f"subjectAltName=DNS:{domain},DNS:localhost"])


def make(pair: Pair, subject: str, extensions: Sequence[str], *, signed_by: Pair | None = None) -> None:
    """Make a certificate and its key: both, or neither of them.

    Args:
        pair: where they go; what is there is replaced.
        subject: the common name, which only people read.
        extensions: as OpenSSL writes them.
        signed_by: an authority; the certificate is self-signed if None.

    Raises:
        ServerError: OpenSSL is missing or fails.
        OSError: the folder cannot be written.
    """
    authority = ["-CA", str(signed_by.certificate), "-CAkey", str(signed_by.key)] if signed_by else []
    with replacing(pair.certificate, private=True) as certificate, replacing(pair.key, private=True) as key:
        done = openssl(
            *["req", "-x509", *_CURVE, "-days", _DAYS, "-subj", f"/CN={subject}", *authority],
            *[part for extension in extensions for part in ("-addext", extension)],
            *["-keyout", str(key), "-out", str(certificate)],
        )
        if done.returncode:
            raise ServerError(f"OpenSSL cannot create {pair.certificate} ({reason(done)})")


def openssl(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run OpenSSL and return what it says, whether it succeeds or not.

    Raises:
        ServerError: it is missing or does not end.
    """
    try:
        return subprocess.run(  # noqa: S603 -- our own arguments
            [find_program("openssl"), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise ServerError(f"OpenSSL does not finish ({error})") from error


def reason(done: subprocess.CompletedProcess[str]) -> str:
    """Return the line in which OpenSSL says what is wrong."""
    lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if "error" in line.lower()]
    return lines[0] if lines else f"exit code {done.returncode}"
