"""Certificates of a federation's servers, issued with OpenSSL by its own authority, or given and checked.

A server's certificate names only the server and its containers, so no server can act for another's
containers.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from formicary.core.errors import UsageError
from formicary.core.files import write_private
from formicary.server.certificate import Pair, make, openssl, reason

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_RENEW_BEFORE = 30 * 24 * 3600  # seconds before expiry in which a certificate is renewed


def ensure_authority(authority: Pair, platform: str) -> None:
    """Create an authority for the names of one platform only, unless it exists.

    Raises:
        ServerError: OpenSSL is missing or fails.
        OSError: the folder cannot be written.
    """
    if authority.is_there:
        return
    extensions = [
        "basicConstraints=critical,CA:TRUE,pathlen:0",
        "keyUsage=critical,keyCertSign,cRLSign",
        f"nameConstraints=critical,permitted;DNS:{platform}",
    ]
    make(authority, f"formicary federation {platform}"[:64], extensions)


def ensure_certified(server: Pair, authority: Pair, domains: Sequence[str]) -> None:
    """Create a certificate for domains, unless this authority issued one that stays valid.

    Raises:
        ServerError: OpenSSL is missing or fails.
        OSError: the folder cannot be written.
    """
    if server.is_there and set(domains) == _names(server) and _why_not(server, authority.certificate) is None:
        return
    extensions = [
        "basicConstraints=critical,CA:FALSE",
        "extendedKeyUsage=serverAuth,clientAuth",
        f"subjectAltName={','.join(f'DNS:{domain}' for domain in domains)}",
    ]
    make(server, "formicary", extensions, signed_by=authority)


def adopt(given: Pair, server: Pair, authority: Path, domains: Sequence[str]) -> None:
    """Copy a given certificate, if it is suitable.

    Args:
        given: certificate and key from elsewhere.
        server: the destination.
        authority: certificates of the authorities that the servers trust.
        domains: the domains that the certificate must contain.

    Raises:
        UsageError: it is not suitable, with the reason.
        ServerError: OpenSSL is missing.
        OSError: a file cannot be read or written.
    """
    if not given.is_there:
        raise UsageError(f"{given.certificate} and {given.key.name} must both exist; provide both")
    names = _names(given)
    missing = [name for name in domains if name not in names and f"*.{name.partition('.')[2]}" not in names]
    if missing:
        raise UsageError(
            f"the certificate {given.certificate} is not for {', '.join(missing)}; issue one that "
            "includes them"
        )
    if trouble := _why_not(given, authority):
        raise UsageError(f"the certificate {given.certificate} cannot be used: {trouble}")
    write_private(server.key, given.key.read_text())
    write_private(server.certificate, given.certificate.read_text())


def _names(pair: Pair) -> set[str]:
    """Return a certificate's domains."""
    done = openssl("x509", "-in", str(pair.certificate), "-noout", "-ext", "subjectAltName")
    return set(re.findall(r"DNS:([^\s,]+)", done.stdout))


def _why_not(pair: Pair, authority: Path) -> str | None:
    """Return why servers would reject a certificate; None if they would accept it."""
    certificate = str(pair.certificate)
    chain = openssl("verify", "-CAfile", str(authority), "-untrusted", certificate, certificate)
    if chain.returncode:
        return f"it is not signed by {authority} ({reason(chain)})"
    if openssl("x509", "-in", certificate, "-noout", "-checkend", str(_RENEW_BEFORE)).returncode:
        return "it expires within 30 days"
    public = openssl("x509", "-in", certificate, "-noout", "-pubkey").stdout
    # An empty passphrase: otherwise OpenSSL would prompt for that of a protected key.
    if openssl("pkey", "-in", str(pair.key), "-pubout", "-passin", "pass:").stdout != public:
        return f"{pair.key} does not match it, or has a passphrase"
    return None
