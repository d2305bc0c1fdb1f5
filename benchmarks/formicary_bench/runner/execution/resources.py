"""The resources of a run beside its workers: hosts, XMPP servers, a network of its own."""

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
    """The XMPP server of a run on this machine."""

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
        """Create the accounts of a configuration, and return the server's address.

        Raises:
            ServerError: it refuses, or has ended and cannot be restarted.
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
    """The resources of a run.

    Attributes:
        plan: what can be measured with them.
        selection: the selected hosts.
        server: the XMPP server of this machine, if one takes part.
        hosts: the hosts, if any take part.
        left_out: sentences on what cannot be measured.
    """

    plan: Sequence[Configuration]
    selection: HostSelection | None = None
    server: RunServer | None = None
    hosts: RunHosts | None = None
    left_out: list[str] = field(default_factory=list)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the user on how hosts are reached."""
        return self.hosts.notes if self.hosts else ()

    def manifest(self, run_plan: RunPlan) -> Manifest:
        """Describe the run; raise a HostError if a host does not answer."""
        version = self.server.version if self.server else ""
        left_out = "; ".join(self.left_out)[:_LONGEST]
        others = versions(one.platform for one in self.plan)
        manifest = begin_manifest(
            run_plan.asked, self.plan, prosody=version, left_out=left_out, others=others
        )
        manifest = replace(manifest, repeats=tuple(run_plan.repeats[one] for one in self.plan))
        return self.hosts.describe(manifest) if self.hosts else manifest

    def task(self, configuration: Configuration, number: int, seed: int) -> Task:
        """Return a repetition, with its servers and hosts ready.

        Raises:
            ServerError: the server refuses, or has ended and cannot be restarted.
            HostError: a host is gone, or its server cannot be restarted.
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
        """Return the options that select the hosts of a configuration."""
        return self.selection.command if self.selection and configuration.hosts else ""


def acquire(stack: ExitStack, run_plan: RunPlan, selection: HostSelection | None) -> Resources:
    """Connect to the hosts and start the servers of a plan.

    Raises:
        UsageError: a host lacks the role of an XMPP server.
        HostError: a host cannot be used.
        LabError: this machine cannot delay packets as planned.
        ServerError: all of the plan, or a requested route, needs a server that cannot be started.
    """
    plan = run_plan.plan
    check_delays(plan)
    resources = Resources(plan, selection, left_out=list(run_plan.left_out))
    resources.left_out += _at_home() if run_plan.over_hosts else []
    over_hosts = [configuration for configuration in plan if configuration.hosts]
    if over_hosts:
        from formicary_bench.runner.execution.run_hosts import run_hosts

        assert selection is not None
        # Before entering our own network: the session's thread stays in the usual one.
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
    """Run an XMPP server on this machine for the time of the block."""
    from formicary.server import ManagedServer
    from formicary_bench.vocabulary.places import NAMES

    with ManagedServer(containers=NAMES) as managed:
        yield RunServer(managed)


def _leave_out(
    resources: Resources, run_plan: RunPlan, error: FormicaryError, *, is_over_hosts: bool
) -> None:
    """Leave out what needs a server, with a sentence, unless its route was requested."""
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
    """Return a sentence on what cannot be measured over hosts."""
    names = [
        subject.name
        for subject in SUBJECTS
        if subject.is_installed() and not subject.hidden and APART in subject.carriers
        if not set(HOSTED) & set(subject.carriers)
    ]
    return [f"left out, as they cannot be measured over hosts: {', '.join(names)}"] if names else []
