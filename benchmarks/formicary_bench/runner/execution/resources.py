"""What a run needs beside its workers: hosts, XMPP servers, a network of its own."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from formicary.errors import FormicaryError, ServerError
from formicary.server import ServerAddress, status
from formicary_bench.remote import HostError
from formicary_bench.results.store.machine import begin_manifest
from formicary_bench.runner.execution.own_network import check_delays, own_network
from formicary_bench.runner.execution.repetition import Task
from formicary_bench.runner.planning.plan import needs_server
from formicary_bench.subjects.drivers.installed import versions
from formicary_bench.subjects.registry import SUBJECTS, subject_of
from formicary_bench.subjects.subject import DOMAIN, HOLDERS, account
from formicary_bench.vocabulary.names import NETWORK
from formicary_bench.vocabulary.places import APART, HOSTED, SAME, XMPP
from formicary_bench.worker.messages import Server

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import ExitStack

    from formicary.server import ManagedServer
    from formicary_bench.results.store.model import Clock, Manifest
    from formicary_bench.runner.execution.run_hosts import HostSelection, RunHosts
    from formicary_bench.runner.planning.run_plan import RunPlan
    from formicary_bench.vocabulary.configuration import Configuration


class RunServer:
    """What a run needs of its server."""

    def __init__(self, managed: ManagedServer) -> None:
        self._managed = managed
        self._password = secrets.token_urlsafe(24)
        self._accounts: set[str] = set()

    @property
    def version(self) -> str:
        """Prosody's version."""
        state = status(self._managed.folder.path).state
        return state.version if state else ""

    def prepare(self, configuration: Configuration) -> Server:
        """Make the accounts that a configuration needs, and return how workers reach the server.

        Raises:
            ServerError: it has ended and cannot be started again, or refuses.
        """
        if not self._managed.running:
            self._managed.restart()
        if subject_of(configuration.platform, configuration.kind).accounts:
            self._make_accounts(configuration.exchange.load)
        has_tls = configuration.tls and configuration.route == XMPP
        address = ServerAddress.load(self._managed.folder.path, tls=has_tls)
        return Server(
            host=address.host,
            port=address.port,
            client_port=self._managed.client_port,
            secret=address.secret,
            password=self._password,
            platform=address.platform,
            stanza_limit=address.stanza_limit,
            certificate=str(address.certificate or ""),
            pid=self._managed.pid,
        )

    def _make_accounts(self, count: int) -> None:
        for name in (account(holder, number) for holder in HOLDERS for number in range(count)):
            if name not in self._accounts:
                self._managed.create_account(name, self._password, DOMAIN)
                self._accounts.add(name)


_LONGEST = 2000  # characters of a sentence in a manifest


@dataclass
class Resources:
    """What a run has.

    Attributes:
        plan: what can be measured with it.
        selection: the hosts that were asked for.
        server: the XMPP server of this machine, if one takes part.
        hosts: the hosts, if any take part.
        left_out: what of the plan cannot be measured, in sentences.
    """

    plan: Sequence[Configuration]
    selection: HostSelection | None = None
    server: RunServer | None = None
    hosts: RunHosts | None = None
    left_out: list[str] = field(default_factory=list)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of how hosts are reached, in sentences."""
        return self.hosts.notes if self.hosts else ()

    def manifest(self, run_plan: RunPlan) -> Manifest:
        """Describe the run.

        Raises:
            HostError: a host does not say what it is.
        """
        version = self.server.version if self.server else ""
        left_out = "; ".join(self.left_out)[:_LONGEST]
        others = versions(one.platform for one in self.plan)
        manifest = begin_manifest(
            run_plan.asked, self.plan, prosody=version, left_out=left_out, others=others
        )
        manifest = replace(manifest, repeats=tuple(run_plan.repeats[one] for one in self.plan))
        return self.hosts.describe(manifest) if self.hosts else manifest

    def task(self, configuration: Configuration, number: int, seed: int) -> Task:
        """Return what a repetition needs, ready.

        Raises:
            ServerError: the server has ended and cannot be started again, or refuses.
            HostError: a host is gone, or its server cannot be started again.
        """
        if configuration.hosts:
            assert self.hosts is not None
            slots = self.hosts.slots(configuration)
            return Task(configuration, number, seed, slots=slots, missing=self.hosts.missing)
        needed = self.server if needs_server(configuration) else None
        return Task(configuration, number, seed, needed.prepare(configuration) if needed else None)

    def missing(self) -> frozenset[str]:
        """Return the names of the hosts that do not answer."""
        return self.hosts.missing() if self.hosts else frozenset()

    def clocks(self) -> dict[str, Clock]:
        """Return how far the hosts' clocks are ahead of this machine's."""
        return self.hosts.clocks() if self.hosts else {}

    def options(self, configuration: Configuration) -> str:
        """Return the options of the command line that choose the hosts of a configuration."""
        return self.selection.command if self.selection and configuration.hosts else ""


def acquire(stack: ExitStack, run_plan: RunPlan, selection: HostSelection | None) -> Resources:
    """Connect to the hosts and start the servers that a plan needs.

    Raises:
        UsageError: a host that needs an XMPP server is not for that.
        HostError: a host cannot be used.
        LabError: packets are to be delayed, and this machine cannot do that.
        ServerError: all of the plan, or a route that was asked for, needs a server that cannot be started.
    """
    plan = run_plan.plan
    check_delays(plan)
    resources = Resources(plan, selection, left_out=list(run_plan.left_out))
    resources.left_out += _at_home() if run_plan.over_hosts else []
    over_hosts = [configuration for configuration in plan if configuration.hosts]
    if over_hosts:
        from formicary_bench.runner.execution.run_hosts import run_hosts

        assert selection is not None
        # Before there is a network of our own: the thread that talks to the hosts stays in that of all.
        resources.hosts = stack.enter_context(run_hosts(selection, over_hosts))
    if any(configuration.experiment == NETWORK for configuration in plan):
        stack.enter_context(own_network())
    for is_over_hosts in (True, False):
        if any(needs_server(one) and bool(one.hosts) == is_over_hosts for one in plan):
            try:
                _start_servers(resources, stack, is_over_hosts=is_over_hosts)
            except (ServerError, HostError) as error:
                _leave_out(resources, run_plan, error, is_over_hosts=is_over_hosts)
    return resources


def _start_servers(resources: Resources, stack: ExitStack, *, is_over_hosts: bool) -> None:
    if not is_over_hosts:
        resources.server = stack.enter_context(private_server())
    elif resources.hosts is not None:
        resources.hosts.start_servers()


@contextmanager
def private_server() -> Iterator[RunServer]:
    """Run an XMPP server of this machine's for as long as the block lasts.

    Raises:
        ServerError: it cannot be started.
    """
    from formicary.server import ManagedServer
    from formicary_bench.vocabulary.places import NAMES

    with ManagedServer(containers=NAMES) as managed:
        yield RunServer(managed)


def _leave_out(
    resources: Resources, run_plan: RunPlan, error: FormicaryError, *, is_over_hosts: bool
) -> None:
    """Leave out what needs a server, unless it was asked for by its route, and say what that is."""
    out = [one for one in resources.plan if needs_server(one) and bool(one.hosts) == is_over_hosts]
    resources.plan = [one for one in resources.plan if one not in out]
    if not resources.plan or run_plan.wants_server:
        raise error
    names = dict.fromkeys(map(_which, out))
    resources.left_out.append(f"left out for want of an XMPP server: {', '.join(names)} ({error})")


def _which(configuration: Configuration) -> str:
    name = subject_of(configuration.platform, configuration.kind).name
    return f"{name} in one process" if configuration.placement == SAME else f"{name} by {configuration.route}"


def _at_home() -> list[str]:
    """Return what is measured on one machine only, and so not over hosts."""
    names = [
        subject.name
        for subject in SUBJECTS
        if subject.is_installed() and not subject.hidden and APART in subject.carriers
        if not set(HOSTED) & set(subject.carriers)
    ]
    return [f"left out, as they cannot be measured over hosts: {', '.join(names)}"] if names else []
