"""The XMPP servers of a run over hosts: one on each, federated, or one for all.

Their keys and secrets are made here for each run, and sent through host agents; files here are temporary.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.core.scratch import scratch_folder
from formicary.errors import UsageError
from formicary.server.address import LOOPBACK
from formicary_bench.remote import HostError
from formicary_bench.remote.host_agent.protocol import StartServer, StopServer
from formicary_bench.remote.inventory import SERVER
from formicary_bench.vocabulary.places import XMPP, names_on
from formicary_bench.worker.messages import Server

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from formicary_bench.remote.host_agent.protocol import About
    from formicary_bench.remote.inventory import Host
    from formicary_bench.remote.session import Session
    from formicary_bench.vocabulary.configuration import Configuration

MODES = EACH, ONE = "each", "one"
"""A server on each host with containers, or one for all of them."""

PLATFORM = "lab.localhost"
_CERTIFICATE = "server.crt"
_PORTS = range(20_000, 30_000)  # between servers: below the ephemeral ports
_ATTEMPTS = 3  # a port may be taken


class HostServers:
    """The servers, which end with their host agents.

    Args:
        session: the hosts.
        containers: the hosts with containers, in the containers' order.
        server: the host of the server for all; None for a server on each host.
        listen: the hosts' IP addresses by name.
    """

    def __init__(
        self, session: Session, containers: Sequence[Host], server: Host | None, listen: Mapping[str, str]
    ) -> None:
        self._session = session
        self._containers = containers
        self._server = server
        self._listen = listen
        self._orders: dict[str, StartServer] = {}
        self._abouts: dict[str, About] = {}
        self._secrets: dict[str, str] = {}

    def start(self) -> None:
        """Start the servers.

        Raises:
            HostError: a server cannot be started.
            ServerError: their keys cannot be made.
        """
        for left in reversed(range(_ATTEMPTS)):
            self._orders = self._federated() if self._server is None else self._all_on_one()
            try:
                self.keep_up(self._orders)
            except HostError as error:
                # The error does not name the port: try others for all.
                if not left or "could not open its ports" not in str(error):
                    raise
                self._session.ask_all({name: StopServer() for name in self._orders})
            else:
                return

    def keep_up(self, hosts: Iterable[str]) -> None:
        """Restart servers that have ended; raise a HostError if one cannot be started."""
        self._abouts |= self._session.ask_all({name: self._orders[name] for name in hosts})

    @property
    def versions(self) -> dict[str, str]:
        """Prosody's versions, by the servers' hosts."""
        return {name: about.version for name, about in self._abouts.items() if about.version}

    def server_for(self, configuration: Configuration, host: Host) -> Server:
        """Return the server of a host's workers, there or on another host."""
        name = host.name if self._server is None else self._server.name
        about, is_near = self._abouts[name], name == host.name
        has_tls = configuration.tls and configuration.route == XMPP
        has_tls = has_tls or not is_near
        own = self._abouts[host.name].folder
        certificate = f"{own}/certificates/{PLATFORM}.crt" if is_near else f"{own}/{_CERTIFICATE}"
        return Server(
            host=LOOPBACK if is_near else self._listen[name],
            port=about.tls_port if has_tls else about.port,
            client_port=about.client_port,
            secret=self._secrets[name],
            password="",
            platform=PLATFORM,
            stanza_limit=about.stanza_limit,
            certificate=certificate if has_tls else "",
            pid=about.pid if is_near else 0,
        )

    def _federated(self) -> dict[str, StartServer]:
        from formicary.server.federate import federate
        from formicary.server.federation import Member

        ports = random.SystemRandom().sample(_PORTS, len(self._containers))
        members = [
            Member(f"s{number + 1}", names_on(number), self._listen[host.name], ports[number])
            for number, host in enumerate(self._containers)
        ]
        orders = {}
        with scratch_folder() as folder:
            for host, made in zip(self._containers, federate(PLATFORM, members, Path(folder)), strict=True):
                orders[host.name] = StartServer(self._take(host.name, made.folder.path))
        return orders

    def _all_on_one(self) -> dict[str, StartServer]:
        from formicary.server import containers, managed
        from formicary.server.certificate import ensure_certificate
        from formicary.server.folder import StateFolder, prepare

        assert self._server is not None
        names = [name for number in range(len(self._containers)) for name in names_on(number)]
        with scratch_folder() as path:
            folder = StateFolder(Path(path) / "one")
            prepare(folder)
            managed.reserve(folder, PLATFORM)
            containers.remember_only(folder, PLATFORM, names)
            ensure_certificate(folder.certificates, PLATFORM)
            shown = {_CERTIFICATE: folder.certificate(PLATFORM).read_bytes()}
            files = self._take(self._server.name, folder.path)
        orders = {host.name: StartServer(shown, {"run": False}) for host in self._containers}
        return orders | {self._server.name: StartServer(files, {"listen": self._listen[self._server.name]})}

    def _take(self, host: str, folder: Path) -> dict[str, bytes]:
        """Read a server's files, and keep its secret."""
        from formicary.server.federate import ADDITION
        from formicary.server.folder import StateFolder
        from formicary.server.state import read_state

        state = read_state(StateFolder(folder))
        assert state is not None
        self._secrets[host] = state.secret
        files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != ADDITION)
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def server_host(containers: Sequence[Host], hosts: Sequence[Host], mode: str) -> Host | None:
    """Return the host of the server for all; None if each host has one.

    Raises:
        UsageError: a host lacks the role.
    """
    if mode == ONE:
        if found := next((host for host in hosts if SERVER in host.roles), None):
            return found
        raise UsageError(
            f"no host has the role {SERVER}: add it to the roles of one in the hosts' file, or use --route "
            "direct"
        )
    for host in containers:
        if SERVER not in host.roles:
            raise UsageError(
                f"host {host.name} has containers and not the role {SERVER}: add that to its roles in the "
                f"hosts' file, or use --servers {ONE}, or --route direct"
            )
    return None
