"""Creation of a federation's state folders, one per server, to copy to the hosts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from formicary.core.errors import ServerError, UsageError
from formicary.core.files import write_private
from formicary.core.private import make_private_folder
from formicary.server import containers, managed
from formicary.server.authority import adopt, ensure_authority, ensure_certified
from formicary.server.certificate import Pair
from formicary.server.configuration import AUTHORITY, advice
from formicary.server.federation import Federation, Member, check_members
from formicary.server.folder import StateFolder, prepare

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ADDITION = "addition.cfg.lua"
"""The file with what to add to a Prosody not run by `formicary server`."""


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
