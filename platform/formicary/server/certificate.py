"""Certificates created with OpenSSL, among them a managed server's for clients and containers.

Stock slixmpp, and so SPADE, does not log in without TLS, even on loopback. Containers use it on request.
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
        """Return the pair `NAME.crt` and `NAME.key` in a folder."""
        return cls(folder / f"{name}.crt", folder / f"{name}.key")

    @property
    def is_there(self) -> bool:
        """Whether both files exist."""
        return self.certificate.exists() and self.key.exists()


def ensure_certificate(folder: Path, domain: str) -> None:
    """Create a self-signed certificate for a domain and for `localhost`, unless there is one.

    Args:
        folder: the folder for `DOMAIN.crt` and `DOMAIN.key`, where Prosody finds them by name.
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
    """Create a certificate and its key, or neither of them.

    Args:
        pair: the destination; existing files are replaced.
        subject: the common name, only for people.
        extensions: in OpenSSL's syntax.
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
    """Run OpenSSL and return the result, whether it succeeds or not.

    Raises:
        ServerError: it is missing or does not finish.
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
    """Return OpenSSL's error line."""
    lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if "error" in line.lower()]
    return lines[0] if lines else f"exit code {done.returncode}"
