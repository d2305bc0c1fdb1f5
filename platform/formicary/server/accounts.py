"""Ordinary XMPP accounts on a running managed server: create, remove and list them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from formicary.core import names
from formicary.core.errors import AccountError, ServerError, UsageError
from formicary.server.account import AccountAddress
from formicary.server.address import LOOPBACK
from formicary.server.admin import AdminShell
from formicary.server.configuration import lua_string
from formicary.server.federation import read_federation
from formicary.server.folder import StateFolder
from formicary.server.managed import running_state

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LONGEST = 1023  # bytes of a password
_LOCALHOST = "localhost"  # the domain that has accounts on any platform


@dataclass(frozen=True, slots=True)
class ServerAccounts:
    """The accounts on a managed server.

    Attributes:
        jids: their addresses.
        option: the option that names the server to commands, such as ` --folder server`; empty for the
            default.
        port: the server's TCP port for clients.
        certificate: the file of its certificate for clients.
    """

    jids: frozenset[str]
    option: str
    port: int
    certificate: Path

    def address(self, jid: str, password: str) -> AccountAddress:
        """Return the address to log in to one of the accounts."""
        return AccountAddress(jid, password, host=LOOPBACK, port=self.port, ca_file=self.certificate)


def read_accounts(folder: Path | None = None) -> ServerAccounts:
    """Return the accounts on a running managed server.

    Args:
        folder: its state folder; the one in the user's home if None.

    Raises:
        ServerError: the server is not running.
    """
    files = StateFolder.at(folder)
    port, certificate = running_state(files).client_port, files.certificate(domains(files)[0])
    return ServerAccounts(frozenset(known(files.path)), files.option, port, certificate)


def check(account: str, folder: Path | None = None) -> str:
    """Return the address of an account that `add` can create, as far as its name tells.

    Args:
        account: its address, such as `alice@lab.localhost`, or the part before the `@`: then in the first of
            `domains`.
        folder: the server's state folder; the one in the user's home if None.

    Raises:
        InvalidNameError: the name is invalid.
        AccountError: the account already exists, or the server has no accounts in this domain.
        ServerError: the server is not running.
    """
    files, address = _address(account, folder)
    if address in _of(files, address.partition("@")[2]):
        raise _exists(files, address)
    return address


def add(account: str, password: str, folder: Path | None = None) -> str:
    """Create an account, and return its address.

    Args:
        account: as of `check`.
        password: its password, sent to the server over a socket that only this user can access.
        folder: as of `check`.

    Raises:
        InvalidNameError: the name is invalid.
        UsageError: the password is invalid.
        AccountError: the account already exists, or the server has no accounts in this domain.
        ServerError: the server is not running.
    """
    check_password(password)
    files, address = _address(account, folder)
    with _shell(files) as admin:
        answer = admin.ask(f"user:create({lua_string(address)}, {lua_string(password)})")
    if answer.ok:
        return address
    if answer.text == "User exists":
        raise _exists(files, address)
    raise _refused(files, address, answer.text)


def remove(account: str, folder: Path | None = None) -> str:
    """Remove an account and return its address; its sessions are logged out.

    Args:
        account: as of `check`.
        folder: as of `check`.

    Raises:
        InvalidNameError: the name is invalid.
        AccountError: there is no such account.
        ServerError: the server is not running.
    """
    files, address = _address(account, folder)
    with _shell(files) as admin:
        answer = admin.ask(f"user:delete({lua_string(address)})")
    if answer.ok:
        return address
    if answer.text == "No such user":
        raise AccountError(
            f"no account {address}; list accounts with: formicary server account list{files.option}"
        )
    raise _refused(files, address, answer.text)


def known(folder: Path | None = None) -> list[str]:
    """Return the addresses of all accounts, sorted within each domain.

    Args:
        folder: as of `check`.

    Raises:
        ServerError: the server is not running.
    """
    files = StateFolder.at(folder)
    return [address for domain in domains(files) for address in _of(files, domain)]


def domains(files: StateFolder) -> tuple[str, str]:
    """Return the domains in which a running server has accounts.

    Raises:
        ServerError: it is not running.
    """
    state = running_state(files)
    federation = read_federation(files)
    return (state.platform if federation is None else federation.domain), _LOCALHOST


def check_password(password: str) -> None:
    """Check that a password is valid.

    Raises:
        UsageError: it is not.
    """
    if not password:
        raise UsageError("the password must not be empty")
    if not password.isprintable() or len(password.encode()) > _LONGEST:
        raise UsageError(f"a password must be at most {_LONGEST} bytes of printable characters")


def _address(account: str, folder: Path | None) -> tuple[StateFolder, str]:
    """Return a running server's folder, and an account's full address there."""
    local, at, domain = account.partition("@")
    names.check_local(local)
    if at:
        names.check_platform(domain)
    files = StateFolder.at(folder)
    own, _ = domains(files)
    return files, f"{local}@{domain or own}"


def _of(files: StateFolder, domain: str) -> list[str]:
    with _shell(files) as admin:
        answer = admin.ask(f"user:list({lua_string(domain)})")
    if not answer.ok:
        raise _refused(files, f"@{domain}", answer.text)
    return sorted(line for line in answer.text.splitlines() if line.endswith(f"@{domain}"))


@contextlib.contextmanager
def _shell(files: StateFolder) -> Iterator[AdminShell]:
    try:
        with AdminShell(files.socket) as admin:
            yield admin
    except OSError as error:
        raise ServerError(
            f"the server in {files.path} cannot be reached ({error.strerror}); see its log, {files.log}"
        ) from error


def _exists(files: StateFolder, address: str) -> AccountError:
    return AccountError(
        f"the account {address} already exists; choose another name, or remove it with: formicary "
        f"server account remove {address}{files.option}"
    )


def _refused(files: StateFolder, address: str, reason: str) -> AccountError:
    _, _, domain = address.partition("@")
    if reason.startswith("No such host"):
        own = " and ".join(domains(files))
        return AccountError(f"the server in {files.path} has no accounts on {domain}, only on {own}")
    return AccountError(f"the server in {files.path} refused the account {address}: {reason}")
