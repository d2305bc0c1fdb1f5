"""Creation of a federation's state folders, one per server, to copy to the hosts; its authority."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from formicary.core.errors import ServerError, UsageError
from formicary.core.files import write_private
from formicary.core.private import make_private_folder
from formicary.server import containers, managed
from formicary.server.certificate import Pair, make, openssl, reason
from formicary.server.configuration import AUTHORITY, advice
from formicary.server.federation import Federation, Member, check_members
from formicary.server.folder import StateFolder, prepare

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ADDITION = "addition.cfg.lua"
"""The file with what to add to a Prosody not run by `formicary server`."""
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


@dataclass(frozen=True, slots=True)
class Federated:
    """A server's folder that was created or updated.

    Attributes:
        member: the server.
        folder: its state folder.
    """

    member: Member
    folder: StateFolder


def federate(
    platform: str, members: Sequence[Member], output: Path, *, certificates: Path | None = None
) -> list[Federated]:
    """Create or update a state folder for each server; existing keys and secrets are kept.

    Args:
        platform: the parent domain of all names.
        members: the servers.
        output: the folder for the servers' folders, each under the server's name, and the authority.
        certificates: a folder with certificates from elsewhere, `ca.crt` and for each server `NAME.crt` and
            `NAME.key`; if None, an authority is created.

    Raises:
        InvalidNameError: the platform's domain is invalid.
        UsageError: the servers cannot form a federation, or a given certificate is unsuitable.
        ServerError: OpenSSL is missing or fails, or a folder cannot be written or is blocked.
    """
    check_members(members, platform)
    output = output.expanduser().absolute()
    given = certificates.expanduser().absolute() if certificates else None
    authority = Pair.at(given or output, "ca")
    try:
        make_private_folder(output)
        if given is None:
            ensure_authority(authority, platform)
        federations = [Federation(platform, member.name, tuple(members)) for member in members]
        return [_make(output, federation, authority, given) for federation in federations]
    except OSError as error:
        raise ServerError(f"{error.filename or output} cannot be used ({error.strerror or error})") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"a certificate in {given} is not in PEM format") from error


def _make(output: Path, federation: Federation, authority: Pair, given: Path | None) -> Federated:
    member, platform = federation.own, federation.platform
    folder = StateFolder(output / member.name)
    prepare(folder)
    secret = managed.reserve(folder, platform)
    folder.certificates.mkdir(mode=0o700, exist_ok=True)
    pair = Pair.at(folder.certificates, federation.domain)
    if given is None:
        ensure_certified(pair, authority, member.domains(platform))
    else:
        adopt(Pair.at(given, member.name), pair, authority.certificate, member.domains(platform))
    write_private(folder.path / AUTHORITY, authority.certificate.read_text())
    containers.remember_only(folder, platform, member.containers)
    addition = advice(platform, member.containers, secret, federation)
    write_private(folder.path / ADDITION, addition)
    write_private(folder.federation, msgspec.json.format(msgspec.json.encode(federation)).decode() + "\n")
    return Federated(member, folder)
