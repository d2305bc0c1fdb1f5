"""The keys of SSH: those that hosts are known by, and those that we show them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from formicary_bench.remote import HostError

if TYPE_CHECKING:
    from collections.abc import Callable

    import asyncssh

    from formicary_bench.remote.inventory import Host

_SSH_PORT = 22


@dataclass
class Keys:
    """What is needed to connect to one host.

    Attributes:
        file: of the keys that hosts are known by.
        known: what it holds.
        own: the key to show, if the inventory says which.
        shown: the host's key, if it is not the one that it is known by.
    """

    file: Path
    known: asyncssh.SSHKnownHosts
    own: list[asyncssh.SSHKey] | tuple[()]
    shown: asyncssh.SSHKey | None = None
    is_known: bool = False

    @property
    def client(self) -> Callable[[], asyncssh.SSHClient]:
        """What asyncssh asks about a host key that is not among the known ones: it is kept, and refused."""
        import asyncssh

        keys = self

        class Client(asyncssh.SSHClient):
            def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
                keys.shown = key
                keys.is_known = bool(keys.known.match(host, addr, None if port == _SSH_PORT else port)[0])
                return False

        return Client


def load_keys(host: Host) -> Keys:
    """Read the files of keys that matter for a host.

    Raises:
        HostError: one cannot be read.
    """
    file = host.known_hosts or Path.home() / ".ssh" / "known_hosts"
    return Keys(file, _known(host, file), [_own(host, host.key)] if host.key else ())


def _known(host: Host, file: Path) -> asyncssh.SSHKnownHosts:
    import asyncssh

    if not host.known_hosts and not file.exists():  # nobody is known yet
        return asyncssh.import_known_hosts("")
    try:
        return asyncssh.read_known_hosts(str(file))
    except OSError as error:
        cause = f"the file of known host keys, {file}, cannot be read ({error.strerror})"
        raise HostError(f"host {host.name}: {cause}; correct `known_hosts` in the inventory") from error
    except ValueError as error:
        cause = f"the file of known host keys, {file}, is damaged ({error})"
        raise HostError(f"host {host.name}: {cause}; look at it with `ssh-keygen -l -f {file}`") from error


def _own(host: Host, file: Path) -> asyncssh.SSHKey:
    import asyncssh

    try:
        return asyncssh.read_private_key(str(file))
    except OSError as error:
        cause = f"its key file {file} cannot be read ({error.strerror})"
        raise HostError(f"host {host.name}: {cause}; correct `key` in the inventory") from error
    except asyncssh.KeyEncryptionError as error:
        raise _locked(host, file) from error
    except asyncssh.KeyImportError as error:
        if "passphrase" in str(error).lower():
            raise _locked(host, file) from error
        cause = f"{file} is no private key ({error})"
        raise HostError(f"host {host.name}: {cause}; correct `key` in the inventory") from error


def _locked(host: Host, file: Path) -> HostError:
    cause = f"its key file {file} has a passphrase"
    return HostError(
        f"host {host.name}: {cause}; add it to your SSH agent with `ssh-add {file}`, and remove this host's "
        "`key` from the inventory"
    )


def refused_key(error: Exception, host: Host, keys: Keys) -> str:
    """Return why a host's key was refused, and what to do: the rest of a sentence that names the host."""
    port = f"-p {host.port} " if host.port != _SSH_PORT else ""
    name = f"[{host.address}]:{host.port}" if port else host.address
    if keys.shown is None:  # revoked, or of a kind that it is not known by
        return f"its host key is not accepted ({error}); compare the lines of {name} in {keys.file}"
    shown = f"{keys.shown.get_algorithm()} {keys.shown.get_fingerprint()}"
    add = f"`ssh-keyscan {port}{host.address} >> {keys.file}`"
    if keys.is_known:
        return (
            f"its host key has changed: it shows {shown}, and {keys.file} has another; either it was set up "
            f"anew or somebody else answers: ask who runs it, and only then remove the old key with "
            f"`ssh-keygen -R '{name}' -f {keys.file}` and add the new one with {add}"
        )
    return (
        f"its host key is not known: it shows {shown}, and {keys.file} has none for {name}; compare this "
        f"with what `ssh-keygen -l -f /etc/ssh/ssh_host_ed25519_key.pub` prints there, and add it with {add}"
    )
