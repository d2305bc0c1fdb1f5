"""The certificate with which the managed server does TLS for ordinary XMPP clients.

Stock slixmpp, and with it SPADE, does not log in without TLS, even on loopback. Containers do not need it.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from formicary.errors import ServerError
from formicary.server.process import find_program

if TYPE_CHECKING:
    from pathlib import Path

_DAYS = 3650
_SECONDS = 10.0


def ensure_certificate(folder: Path, domain: str) -> None:
    """Make a self-signed certificate for a domain and for `localhost`, unless there is one.

    Args:
        folder: gets `DOMAIN.crt` and `DOMAIN.key`, where Prosody finds them by their names.
        domain: the domain that the server serves.

    Raises:
        ServerError: OpenSSL is missing or fails.
        OSError: the folder cannot be written.
    """
    certificate, key = folder / f"{domain}.crt", folder / f"{domain}.key"
    if certificate.exists() and key.exists():
        return
    folder.mkdir(mode=0o700, exist_ok=True)
    new_certificate, new_key = folder / ".new.crt", folder / ".new.key"
    command = [
        find_program("openssl"),
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
    ]
    command += ["-nodes", "-days", str(_DAYS), "-subj", "/CN=formicary", "-addext"]
    command += [
        f"subjectAltName=DNS:{domain},DNS:localhost",
        "-keyout",
        str(new_key),
        "-out",
        str(new_certificate),
    ]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_SECONDS)  # noqa: S603 -- our own arguments
    except subprocess.SubprocessError as error:
        raise ServerError(f"OpenSSL cannot make a certificate for {domain} ({error})") from error
    new_certificate.chmod(0o600)
    new_key.replace(key)
    new_certificate.replace(certificate)
