"""A whole run: the server that it needs, its folder, one repetition after the other."""

from __future__ import annotations

import contextlib
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from formicary.errors import FormicaryError, ServerError
from formicary_bench.engine.errors import RepetitionError
from formicary_bench.engine.interruption import check, interruptible
from formicary_bench.engine.measures import measure_as_planned
from formicary_bench.engine.own_network import own_network
from formicary_bench.engine.plan import command, make_plan, needs_server, schedule
from formicary_bench.engine.repetition import Task, Watcher
from formicary_bench.experiments.catalogue import CREATE
from formicary_bench.platforms.catalogue import N_HOSTS, SAME, subject_of
from formicary_bench.results.folder import RUNS, RunFolder
from formicary_bench.results.machine import begin_manifest, load_average
from formicary_bench.results.model import DIRECTORY, MEMORY, NETWORK

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from formicary_bench.engine.options import Options
    from formicary_bench.engine.server import RunServer
    from formicary_bench.results.model import Configuration


class Audience(Watcher, Protocol):
    """Who follows a run."""

    def say(self, sentence: str) -> None:
        """Learn what a user should know at once."""

    def plan(self, folder: Path, configurations: int, repetitions: int) -> None:
        """Learn how much there is to do, and where it goes."""

    def begin(self, configuration: Configuration) -> None:
        """Learn that a repetition begins."""

    def end(self) -> None:
        """Learn that it has ended, well or not."""


@dataclass
class Outcome:
    """What came of a run.

    Attributes:
        folder: the run's folder; None if nothing was measured.
        problems: a sentence for each repetition that failed.
        interrupted: whether somebody ended it early.
    """

    folder: RunFolder | None = None
    problems: list[str] = field(default_factory=list)
    interrupted: bool = False


def perform(options: Options, output: Path | None, audience: Audience) -> Outcome:
    """Measure everything that the options ask for.

    A repetition that fails is left out with a sentence, and the run goes on. After an interruption (Ctrl-C,
    or a request to end) what was measured until then is kept. In every case no process and no port is left.

    Args:
        options: what to measure.
        output: the folder of the run; None for a new one below `runs`.
        audience: told what happens.

    Raises:
        UsageError: there is nothing to measure, or the folder cannot be made.
        ServerError: all that there is to measure, or a route that was asked for, needs an XMPP server, which
            cannot be started.
        FormicaryError: what was measured cannot be written; the folder has what was measured before.
    """
    plan = make_plan(options)
    with ExitStack() as stack:
        stack.enter_context(interruptible())
        if any(configuration.experiment == NETWORK for configuration in plan):
            stack.enter_context(own_network())
        server, left_out = None, ""
        if any(map(needs_server, plan)):
            try:
                server = stack.enter_context(_server())
            except ServerError as error:
                plan, left_out = _without_server(plan, options, error)
                audience.say(left_out)
        version = server.version if server else ""
        manifest = begin_manifest(options.as_asked(), plan, prosody=version, left_out=left_out)
        folder = RunFolder.create(manifest, output, label=options.experiment)
        try:
            return _Run(options, folder, server, audience).perform()
        finally:
            _tidy(folder, output)


class _Run:
    """One run, from its first repetition to its last."""

    def __init__(
        self, options: Options, folder: RunFolder, server: RunServer | None, audience: Audience
    ) -> None:
        self._options = options
        self._folder = folder
        self._server = server
        self._audience = audience
        self._outcome = Outcome()

    def perform(self) -> Outcome:
        plan = self._folder.manifest.configurations
        order = schedule(plan, self._options.repeat, self._options.seed)
        self._audience.plan(self._folder.path, len(plan), len(order))
        outcome = self._outcome
        try:
            for configuration, number, seed in order:
                check()
                self._audience.begin(configuration)
                self._measure(configuration, number, seed)
                self._audience.end()
        except KeyboardInterrupt:
            outcome.interrupted = True
        if self._folder.manifest.repetitions:
            outcome.folder = self._folder
            complete = not outcome.problems and not outcome.interrupted
            self._folder.finish(complete=complete, load_after=load_average())
        return outcome

    def _measure(self, configuration: Configuration, number: int, seed: int) -> None:
        try:
            needed = self._server if needs_server(configuration) else None
            server = needed.prepare(configuration) if needed else None
            task = Task(configuration, number, seed, server)
            measured = measure_as_planned(task, self._audience)
        except (RepetitionError, ServerError) as error:
            sentence = f"{describe(configuration)}, repetition {number}, was not measured: {error}; "
            self._outcome.problems.append(sentence + f"to see it alone: {command(configuration)}")
            self._audience.say(self._outcome.problems[-1])
        else:
            self._folder.add(*measured)


def describe(configuration: Configuration) -> str:
    """Say what a configuration is, for the display and for sentences."""
    kind = f"-{configuration.kind}" if configuration.kind else ""
    who = f"{configuration.experiment}, {configuration.platform}{kind}"
    profiled = ", profiled" if configuration.profiled else ""
    profiled = ", beside it not profiled" if configuration.reference else profiled
    if configuration.experiment in {CREATE.name, MEMORY}:
        return f"{who}, {configuration.agents} agents{profiled}"
    return f"{who}, {_where(configuration)}, {_size(configuration)}{profiled}"


def _where(configuration: Configuration) -> str:
    if configuration.placement == SAME:
        return configuration.placement
    many = [f"{configuration.hosts} hosts"] if configuration.placement == N_HOSTS else []
    traffic = [configuration.traffic] if configuration.traffic else []
    return f"{configuration.placement} ({', '.join([*many, *traffic, way_of(configuration)])})"


def _size(configuration: Configuration) -> str:
    if configuration.agents:
        return f"{configuration.agents} agents"
    if configuration.family == DIRECTORY:
        seen_by = f"{configuration.containers} other containers, " if configuration.containers else ""
        spread = f" ({configuration.spread})" if configuration.spread else ""
        return f"{seen_by}{configuration.services} services{spread}"
    word = ("sender" if configuration.senders else "pair") + "s" * (configuration.load > 1)
    return f"{configuration.load} {word}, {configuration.payload_bytes} bytes"


def way_of(configuration: Configuration) -> str:
    """Say what carries a configuration's messages."""
    return f"{configuration.route} with TLS" if configuration.tls else configuration.route


@contextmanager
def _server() -> Iterator[RunServer]:
    from formicary.server import ManagedServer
    from formicary_bench.engine.server import RunServer
    from formicary_bench.platforms.containers import NAMES

    with ManagedServer(containers=NAMES) as managed:
        yield RunServer(managed)


def _without_server(
    plan: list[Configuration], options: Options, error: ServerError
) -> tuple[list[Configuration], str]:
    """Leave out what needs a server, unless it was asked for by its route, and say what that is."""
    left = [configuration for configuration in plan if not needs_server(configuration)]
    out = [configuration for configuration in plan if needs_server(configuration)]
    if not left or options.routes is not None:
        raise error
    names = dict.fromkeys(f"{subject_of(one.platform, one.kind).name} by {one.route}" for one in out)
    return left, f"left out for want of an XMPP server: {', '.join(names)} ({error})"


def _tidy(folder: RunFolder, output: Path | None) -> None:
    """Leave no folder without a measurement."""
    if not folder.manifest.repetitions:
        with contextlib.suppress(OSError, FormicaryError):
            folder.discard()
            if output is None:
                RUNS.rmdir()  # which does nothing if there are other runs
