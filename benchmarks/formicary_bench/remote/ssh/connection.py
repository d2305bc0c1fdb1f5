"""SSH to the hosts of an inventory: who they are is verified always, and every failure is a sentence.

The user's own SSH configuration is not read: what the inventory says is all that counts.

    async with Web(hosts) as web:
        print(await (await web.connect("b")).ssh.run("uname -a"))
"""

from __future__ import annotations

import asyncio
import os
import socket
from importlib.util import find_spec
from typing import TYPE_CHECKING, Self

from formicary_bench.remote import HostError
from formicary_bench.remote.ssh.keys import Keys, load_keys, refused_key

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import UnionType

    import asyncssh

    from formicary_bench.remote.inventory import Host

CONNECT_SECONDS = 10.0
"""For the connection, the keys' exchange and the login, together."""

_BEAT_SECONDS = 2.0
_BEATS = 4  # so many without an answer: the host is gone


class Connection:
    """A connection to a host; made by `connect`, or by a `Web`.

    Attributes:
        host: the host.
        ssh: the connection.
    """

    def __init__(self, host: Host, ssh: asyncssh.SSHClientConnection) -> None:
        self.host = host
        self.ssh = ssh

    def error(self, sentence: str) -> HostError:
        """Return an error about this host."""
        return HostError(f"host {self.host.name}: {sentence}")

    async def close(self) -> None:
        """Close it; the other side is not waited for."""
        self.ssh.abort()
        await self.ssh.wait_closed()


class Web:
    """Connections to hosts, each made when it is first asked for, and those by way of which they go.

    Raises:
        HostError: what does SSH is not installed.
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
        """Close all of them; the other sides are not waited for."""
        tasks = self._connections.values()
        for task in tasks:
            task.cancel()
        for done in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(done, Connection):
                await done.close()

    async def connect(self, name: str) -> Connection:
        """Return a connection to a host: the one that there is, or a new one.

        Raises:
            HostError: it, or a host by way of which it is reached, cannot be connected to.
        """
        task = self._connections.get(name)
        if task is None or _is_over(task):
            task = self._connections[name] = asyncio.create_task(self._connect(self._hosts[name]))
        return await asyncio.shield(task)

    async def _connect(self, host: Host) -> Connection:
        if not host.jump:
            return await connect(host)
        if host.jump not in self._hosts:
            raise HostError(
                f"host {host.name}: its jump host {host.jump} is not in the inventory; add it there"
            )
        try:
            jump = await self.connect(host.jump)
        except HostError as error:
            raise HostError(f"host {host.name}: it is reached by way of another: {error}") from error
        return await connect(host, jump)


def _is_over(task: asyncio.Task[Connection]) -> bool:
    if not task.done():
        return False
    return task.cancelled() or task.exception() is not None or task.result().ssh.is_closed()


async def connect(host: Host, jump: Connection | None = None) -> Connection:
    """Connect to a host and log in there.

    Args:
        host: to which.
        jump: by way of which other host; straight if None.

    Raises:
        HostError: it cannot be done; says why, and what to do.
    """
    import asyncssh

    keys = load_keys(host)
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


def _failure(error: Exception, host: Host, keys: Keys) -> str:
    """Return why a host cannot be connected to, and what to do."""
    import asyncssh

    if isinstance(error, asyncssh.HostKeyNotVerifiable | asyncssh.KeyExchangeFailed):
        return refused_key(error, host, keys)
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
    """Return that no key was taken."""
    user = f"the user {host.user}" if host.user else "you"
    keys = f"the key {host.key}" if host.key else "any key of your SSH agent and of ~/.ssh"
    return (
        f"it does not let {user} in with {keys}; add the public key there with `ssh-copy-id`, or correct "
        "`user` or `key` in the inventory"
    )


def _reason(error: Exception) -> str:
    number = error.errno if isinstance(error, OSError) else None
    # Of a system error, the text of asyncio says where it was, which we do.
    text = os.strerror(number) if number else getattr(error, "reason", "") or str(error)
    return " ".join(str(text or type(error).__name__).split()).rstrip(".")
