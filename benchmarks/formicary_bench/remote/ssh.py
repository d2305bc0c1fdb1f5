"""SSH connections to the hosts of an inventory; the keys of hosts are always verified.

The user's SSH configuration is not read, only the inventory.

    async with Web(hosts) as web:
        print(await (await web.connect("b")).ssh.run("uname -a"))
"""

from __future__ import annotations

import asyncio
import os
import socket
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

import msgspec

from formicary_bench.remote import HostError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import UnionType

    import asyncssh

    from formicary_bench.remote.inventory import Host

T = TypeVar("T")

CONNECT_SECONDS = 10.0
"""The timeout for connection, key exchange and login together."""

_BEAT_SECONDS = 2.0
_BEATS = 4  # without an answer, until the connection is closed
_SSH_PORT = 22


class Connection:
    """An open connection to a host."""

    def __init__(self, host: Host, ssh: asyncssh.SSHClientConnection) -> None:
        self.host = host
        self.ssh = ssh

    def error(self, sentence: str) -> HostError:
        return HostError(f"host {self.host.name}: {sentence}")

    def understood(self, answer: object, kind: type[T]) -> T:
        """Return an answer of this host as a type.

        Raises:
            HostError: it is not of this type.
        """
        try:
            return msgspec.convert(answer, kind)
        except msgspec.ValidationError as error:
            said = f"its description of itself is invalid ({error}); try again"
            raise self.error(said) from None

    async def close(self) -> None:
        """Close it, without waiting for the other side."""
        self.ssh.abort()
        await self.ssh.wait_closed()


class Web:
    """Connections to hosts, also over jump hosts, each opened when first used.

    Raises:
        HostError: asyncssh is not installed.
    """

    def __init__(self, hosts: Iterable[Host]) -> None:
        if find_spec("asyncssh") is None:
            raise HostError(
                'the library asyncssh is not installed; install it with: pip install "formicary[lab]"'
            )
        self._hosts = {host.name: host for host in hosts}
        self._connections: dict[str, asyncio.Task[Connection]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections, without waiting for the other sides."""
        tasks = self._connections.values()
        for task in tasks:
            task.cancel()
        for done in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(done, Connection):
                await done.close()

    async def connect(self, name: str) -> Connection:
        """Return the open connection to a host, or a new one.

        Raises:
            HostError: the connection to it, or to a jump host, fails.
        """
        task = self._connections.get(name)
        if task is None or _is_over(task):
            task = self._connections[name] = asyncio.create_task(self._connect(self._hosts[name]))
        return await asyncio.shield(task)

    async def _connect(self, host: Host) -> Connection:
        if not host.jump:
            return await _connect(host)
        if host.jump not in self._hosts:
            raise HostError(
                f"host {host.name}: its jump host {host.jump} is not in the inventory; add it there"
            )
        try:
            jump = await self.connect(host.jump)
        except HostError as error:
            raise HostError(f"host {host.name}: it is reached by way of another: {error}") from error
        return await _connect(host, jump)


def _is_over(task: asyncio.Task[Connection]) -> bool:
    if not task.done():
        return False
    return task.cancelled() or task.exception() is not None or task.result().ssh.is_closed()


async def _connect(host: Host, jump: Connection | None = None) -> Connection:
    """Connect to a host, directly or over a jump host, and log in.

    Raises:
        HostError: this fails; with the cause and what to do.
    """
    import asyncssh

    keys = _load_keys(host)
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            ssh = await asyncssh.connect(
                host.address,
                host.port,
                tunnel=jump.ssh if jump else None,
                config=None,
                known_hosts=keys.known,
                client_factory=keys.client,
                client_keys=keys.own,
                agent_path=None if host.key else (),
                username=host.user or (),
                preferred_auth="publickey",
                gss_kex=False,
                gss_auth=False,
                keepalive_interval=_BEAT_SECONDS,
                keepalive_count_max=_BEATS,
            )
    except (asyncssh.Error, OSError, ValueError) as error:
        raise HostError(f"host {host.name}: {_failure(error, host, keys)}") from error
    return Connection(host, ssh)


def _failure(error: Exception, host: Host, keys: _Keys) -> str:
    """Return why the connection fails, and what to do."""
    import asyncssh

    if isinstance(error, asyncssh.HostKeyNotVerifiable | asyncssh.KeyExchangeFailed):
        return _refused_key(error, host, keys)
    where = f"{host.address}, port {host.port},"
    reason = _reason(error)
    sentences: dict[type[Exception] | UnionType, str] = {
        asyncssh.PermissionDenied: _denied(host),
        socket.gaierror: f"its name {host.address} is not known here; correct `address` in the inventory",
        ConnectionRefusedError: f"nobody listens at {where} or a firewall refuses; start the SSH server "
        "there, or correct `port` in the inventory",
        TimeoutError: f"{where} does not answer within {CONNECT_SECONDS:g} s; is it switched on, and does "
        "the network, or a firewall, let us through?",
        asyncssh.ChannelOpenError: f"its jump host {host.jump} cannot reach {where} ({reason}); correct "
        "`address` or `port` in the inventory",
        asyncssh.DisconnectError | ConnectionError: f"what listens at {where} ended the connection "
        f"({reason}); is it an SSH server?",
    }
    otherwise = f"{where} cannot be reached ({reason}); is it switched on, and is the network in order?"
    return next((said for kind, said in sentences.items() if isinstance(error, kind)), otherwise)


def _denied(host: Host) -> str:
    user = f"the user {host.user}" if host.user else "you"
    keys = f"the key {host.key}" if host.key else "any key of your SSH agent and of ~/.ssh"
    return (
        f"it does not let {user} in with {keys}; add the public key there with `ssh-copy-id`, or correct "
        "`user` or `key` in the inventory"
    )


def _reason(error: Exception) -> str:
    number = error.errno if isinstance(error, OSError) else None
    # asyncio's text of a system error repeats the address.
    text = os.strerror(number) if number else getattr(error, "reason", "") or str(error)
    return " ".join(str(text or type(error).__name__).split()).rstrip(".")


@dataclass
class _Keys:
    """The keys for a connection to a host.

    Attributes:
        file: the file of known host keys.
        known: its content.
        own: our key, if the inventory names one.
        shown: the host's key, if it is not a known one.
        is_known: whether another key of the host is known.
    """

    file: Path
    known: asyncssh.SSHKnownHosts
    own: list[asyncssh.SSHKey] | tuple[()]
    shown: asyncssh.SSHKey | None = None
    is_known: bool = False

    @property
    def client(self) -> Callable[[], asyncssh.SSHClient]:
        """A client that refuses unknown host keys, and keeps them for the error."""
        import asyncssh

        keys = self

        class Client(asyncssh.SSHClient):
            def validate_host_public_key(self, host: str, addr: str, port: int, key: asyncssh.SSHKey) -> bool:
                keys.shown = key
                keys.is_known = bool(keys.known.match(host, addr, None if port == _SSH_PORT else port)[0])
                return False

        return Client


def _load_keys(host: Host) -> _Keys:
    """Read the keys for a host; raise a HostError if a file cannot be read."""
    file = host.known_hosts or Path.home() / ".ssh" / "known_hosts"
    return _Keys(file, _known(host, file), [_own(host, host.key)] if host.key else ())


def _known(host: Host, file: Path) -> asyncssh.SSHKnownHosts:
    import asyncssh

    if not host.known_hosts and not file.exists():
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


def _refused_key(error: Exception, host: Host, keys: _Keys) -> str:
    """Return why a host's key was refused, and what to do."""
    port = f"-p {host.port} " if host.port != _SSH_PORT else ""
    name = f"[{host.address}]:{host.port}" if port else host.address
    if keys.shown is None:  # revoked, or of another kind than the known ones
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
