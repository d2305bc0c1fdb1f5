"""The hosts of a run, and where its workers run."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.errors import UsageError
from formicary_bench.remote.host_agent.protocol import Describe
from formicary_bench.remote.inventory import CONTAINERS, choose
from formicary_bench.remote.launchers.launcher import provider
from formicary_bench.remote.session import Session
from formicary_bench.results.store.model import Clock
from formicary_bench.runner.execution.host_servers import EACH, MODES, ONE, HostServers, server_host
from formicary_bench.runner.execution.repetition import roles_of
from formicary_bench.runner.execution.worker_hosts import WorkerSlot
from formicary_bench.runner.planning.plan import needs_server
from formicary_bench.vocabulary.places import N_HOSTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from formicary_bench.remote.inventory import Host
    from formicary_bench.remote.launchers.launcher import Provider
    from formicary_bench.results.store.model import Manifest
    from formicary_bench.vocabulary.configuration import Configuration


@dataclass(frozen=True)
class HostSelection:
    """The selected hosts.

    Attributes:
        provider: lists all hosts.
        chosen: names of the selected hosts or groups; all if empty.
        servers: whether each host has an XMPP server, or one for all.
    """

    provider: Provider
    chosen: tuple[str, ...] = ()
    servers: str = EACH

    @property
    def hosts(self) -> tuple[Host, ...]:
        """The selected hosts, in the inventory's order; raises a UsageError for unknown names."""
        return choose(self.provider.inventory, self.chosen)

    @property
    def containers(self) -> tuple[Host, ...]:
        """Those of them with the role containers."""
        return tuple(host for host in self.hosts if CONTAINERS in host.roles)

    @property
    def command(self) -> str:
        """The options that select these hosts."""
        chosen = f" --on {','.join(self.chosen)}" if self.chosen else ""
        servers = f" --servers {self.servers}" if self.servers != EACH else ""
        return f" {self.provider.options}{chosen}{servers}"


def read_host_selection(
    path: Path | None,
    on: str | None,
    servers: str | None,
    launcher: str | None = None,
    interface: str | None = None,
) -> HostSelection | None:
    """Read the options about hosts.

    Args:
        path: the inventory.
        on: names of hosts and groups, separated by commas.
        servers: one of `MODES`.
        launcher: as of `provider`.
        interface: the network interface between hosts.

    Raises:
        UsageError: an option is invalid, or does not fit the others.
    """
    source = provider(launcher, path, interface)
    if source is None:
        for option, value in (("--on", on), ("--servers", servers)):
            if value is not None:
                raise UsageError(f"{option} needs hosts: name them with --hosts hosts.toml, or --launcher")
        return None
    if servers not in {None, *MODES}:
        raise UsageError(
            f"--servers is {' or '.join(MODES)}, not {servers!r:.40}; write --servers {ONE}, say"
        )
    words = tuple(dict.fromkeys(word.strip() for word in on.split(","))) if on is not None else ()
    selection = HostSelection(source, words, servers or EACH)
    if not selection.containers:
        raise UsageError(
            f"none of the hosts {', '.join(host.name for host in selection.hosts)} has the role "
            f"{CONTAINERS}: "
            f"choose others with --on, or add it to their roles in {source.inventory.source}"
        )
    return selection


@dataclass(frozen=True)
class Participants:
    """The hosts of a plan.

    Attributes:
        containers: the hosts of workers, in order.
        server: the host of the XMPP server for all; None if each has its own, or none is needed.
        servers: whether each has a server, or one for all.
    """

    containers: tuple[Host, ...]
    server: Host | None
    servers: str

    @property
    def hosts(self) -> tuple[Host, ...]:
        return tuple({host.name: host for host in (*self.containers, self.server) if host}.values())


def participants_of(selection: HostSelection, plan: Sequence[Configuration]) -> Participants:
    """Return the hosts of a plan; raise a UsageError if one lacks the role of a server."""
    containers = selection.containers[: max(configuration.hosts for configuration in plan)]
    has_servers = any(map(needs_server, plan))
    server = server_host(containers, selection.hosts, selection.servers) if has_servers else None
    return Participants(containers, server, selection.servers)


class RunHosts:
    """The connected hosts of a run."""

    def __init__(self, participants: Participants, session: Session) -> None:
        self._participants = participants
        self._session = session
        self._listen = {host.name: session.address(host.name) for host in participants.hosts}
        self._servers: HostServers | None = None

    def start_servers(self) -> None:
        """Start the XMPP servers.

        Raises:
            HostError: a server cannot be started.
            ServerError: their keys cannot be made.
        """
        self._servers = HostServers(
            self._session, self._participants.containers, self._participants.server, self._listen
        )
        self._servers.start()

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the user on how hosts are reached."""
        return self._session.notes

    def missing(self) -> frozenset[str]:
        """Return the names of hosts that do not answer."""
        return frozenset(self._session.missing)

    def slots(self, configuration: Configuration) -> tuple[WorkerSlot, ...]:
        """Return the workers of a configuration, with hosts and servers ready; raise a HostError if not."""
        roles = roles_of(configuration)
        hosts = self._participants.containers[: len(roles)]
        servers = self._servers if needs_server(configuration) else None
        used = dict.fromkeys(
            host.name for host in (*hosts, *([self._participants.server] if servers else [])) if host
        )
        for name in used:
            self._session.revive(name)
        if servers is not None:
            servers.keep_up(used)
        # Of two, the first one asks; the one that answers is prepared before it.
        order = hosts if configuration.placement == N_HOSTS else hosts[::-1]
        return tuple(
            WorkerSlot(
                role,
                self._session.worker_hosts[host.name],
                self._listen[host.name],
                None if servers is None else servers.server_for(configuration, host),
            )
            for role, host in zip(roles, order, strict=True)
        )

    def describe(self, manifest: Manifest) -> Manifest:
        """Return a manifest with descriptions of the hosts; raise a HostError if one does not answer."""
        found = self._session.ask_all({host.name: Describe() for host in self._participants.hosts})
        versions = self._servers.versions if self._servers else {}
        machines = {name: replace(machine, prosody=versions.get(name, "")) for name, machine in found.items()}
        return replace(
            manifest,
            hosts=machines,
            roles={host.name: host.roles for host in self._participants.hosts},
            servers=self._participants.servers if self._servers else "",
        )

    def clocks(self) -> dict[str, Clock]:
        """Return how far the hosts' clocks are ahead of ours, if known."""
        known = {host.name: self._session.clock(host.name) for host in self._participants.hosts}
        return {
            name: Clock(offset_ns=offset.offset_ns, uncertainty_ns=offset.uncertainty_ns)
            for name, offset in known.items()
            if offset
        }


@contextmanager
def run_hosts(selection: HostSelection, plan: Sequence[Configuration]) -> Iterator[RunHosts]:
    """Connect to the hosts of a plan; clean up after the block.

    Raises:
        UsageError: a host lacks the role of an XMPP server.
        HostError: hosts cannot be used; with all problems.
    """
    participants = participants_of(selection, plan)
    with Session(participants.hosts, launcher=selection.provider.launcher()) as session:
        yield RunHosts(participants, session)
