"""A run: its folder, and all repetitions."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from formicary.errors import FormicaryError, ServerError, UsageError
from formicary_bench.remote import HostError
from formicary_bench.results.store.folder import RUNS, RunFolder
from formicary_bench.results.store.machine import load_average
from formicary_bench.results.summary.commands import command
from formicary_bench.runner import RepetitionError
from formicary_bench.runner.execution.measures import measure_as_planned
from formicary_bench.runner.execution.resources import acquire
from formicary_bench.runner.execution.resume import alone, refuse_other, reopen
from formicary_bench.runner.forecast.forecast import Forecast, duration, earlier_durations, in_words, remember
from formicary_bench.runner.observers.observer import MachineUse
from formicary_bench.runner.planning.plan import describe
from formicary_bench.runner.planning.run_plan import order_of
from formicary_bench.statistics.comparisons import FEWEST
from formicary_bench.worker.interruption import defer_interrupts, raise_if_interrupted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from formicary_bench.results.store.model import Repetition
    from formicary_bench.runner.execution.measures import Measured
    from formicary_bench.runner.execution.resources import Resources
    from formicary_bench.runner.execution.run_hosts import HostSelection
    from formicary_bench.runner.observers.observer import RunListener
    from formicary_bench.runner.planning.run_plan import Order, RunPlan
    from formicary_bench.vocabulary.configuration import Configuration

_LONG = 600  # seconds: ask before longer runs

_OTHERS = 0.3  # cores: a repetition is measured again if other programs used more
_AGAIN = 2  # times at most
_IN_VAIN = 3  # repetitions in a row that this did not help: the machine is busy


@dataclass
class Outcome:
    """The outcome of a run.

    Attributes:
        folder: its folder; None if nothing was measured.
        problems: a sentence for each failed repetition.
        interrupted: whether the user ended it early.
        declined: whether the user declined its duration.
    """

    folder: RunFolder | None = None
    problems: list[str] = field(default_factory=list)
    interrupted: bool = False
    declined: bool = False


def perform_all(
    run_plan: RunPlan, output: Path | None, listener: RunListener, selection: HostSelection | None = None
) -> Outcome:
    """Measure a plan.

    Failed repetitions are left out, with a sentence. After an interruption, what was measured is kept. No
    process and no port is left.

    Args:
        run_plan: the plan.
        output: the run's folder; None for a new one below `runs`.
        listener: follows it.
        selection: the hosts, if any beside this machine.

    Raises:
        UsageError: the folder cannot be made.
        ServerError: all of the plan, or a requested route, needs an XMPP server that cannot be started.
        HostError: a host cannot be used.
        FormicaryError: a measurement cannot be written; the folder has the earlier ones.
    """
    with ExitStack() as stack:
        stack.enter_context(defer_interrupts())
        resources = acquire(stack, run_plan, selection)
        for sentence in (*resources.notes, *run_plan.notes, *resources.left_out):
            listener.say(sentence)
        folder = RunFolder.create(resources.manifest(run_plan), output, label=run_plan.label)
        stack.enter_context(alone(folder.path))
        try:
            return _Run(folder, resources, listener).perform()
        finally:
            _tidy(folder, output)


def resume(path: Path, listener: RunListener, selection: HostSelection | None = None) -> Outcome:
    """Resume an interrupted run: the same measurements, seeds and order.

    Args:
        path: the run's folder.
        listener: follows it.
        selection: its hosts, if any.

    Raises:
        UsageError: it cannot be resumed here, by this version.
        ServerError: its XMPP server cannot be started.
        HostError: a host cannot be used.
        FormicaryError: a measurement cannot be written; the folder has the earlier ones.
    """
    with ExitStack() as stack:
        stack.enter_context(defer_interrupts())
        RunFolder.open(path)  # a sentence, if there is none
        stack.enter_context(alone(path))
        folder, run_plan = reopen(path, selection)
        resources = acquire(stack, run_plan, selection)
        refuse_other(path, folder.manifest, resources.manifest(run_plan))
        for sentence in (*resources.notes, *run_plan.notes):
            listener.say(sentence)
        folder.proceed()
        return _Run(folder, resources, listener).perform()


class _Run:
    """A run, from its first missing repetition to its last."""

    def __init__(self, folder: RunFolder, resources: Resources, listener: RunListener) -> None:
        self._folder = folder
        self._resources = resources
        self._listener = listener
        self._outcome = Outcome()
        self._is_over = False
        self._in_vain = 0
        order = order_of(folder.manifest)
        self._repeats = Counter(one for one, _, _ in order)
        self._forecast = Forecast((one for one, _, _ in order), earlier_durations(folder.manifest.machine))
        self._left = self._without_known(order)

    def _without_known(self, order: Order) -> Order:
        """Return an order without what was measured before; learn its durations."""
        known = {(one.configuration, one.number): one for one in self._folder.manifest.repetitions}
        left = []
        for configuration, number, seed in order:
            if one := known.get((configuration.key, number)):
                self._forecast.measured(configuration, duration(one))
            else:
                left.append((configuration, number, seed))
        return left

    def perform(self) -> Outcome:
        plan = self._folder.manifest.configurations
        self._listener.plan(self._folder.path, len(plan), len(self._left))
        seconds = self._forecast.remaining()
        self._listener.remains(seconds)
        outcome = self._outcome
        if seconds > _LONG:
            self._listener.say(
                f"this takes about {in_words(seconds)}: Ctrl-C stops early and keeps what was measured; "
                f"--resume {self._folder.path} continues it"
            )
            if not self._listener.agrees():
                outcome.declined = True
                return outcome
        try:
            for configuration, number, seed in self._left:
                raise_if_interrupted()
                self._measure_timed(configuration, number, seed)
                if self._is_over:
                    break
        except KeyboardInterrupt:
            outcome.interrupted = True
        if self._folder.manifest.repetitions:
            outcome.folder = self._folder
            self._finish(interrupted=outcome.interrupted)
        return outcome

    def _finish(self, *, interrupted: bool) -> None:
        there = len(self._folder.manifest.repetitions)
        complete = not interrupted and there == len(order_of(self._folder.manifest))
        remember(self._folder.manifest.machine, self._forecast.took)
        with self._keeping():
            self._folder.finish(complete=complete, load_after=load_average(), clocks=self._resources.clocks())

    def _measure_timed(self, configuration: Configuration, number: int, seed: int) -> None:
        self._listener.begin(configuration)
        began = time.monotonic()
        try:
            measured = self._measure(configuration, number, seed)
            if self._is_disturbed(configuration, measured):
                measured = self._measure_again(configuration, number, seed, measured)
        except (RepetitionError, ServerError, HostError, UsageError) as error:
            # A UsageError: a platform's driver was removed.
            self._fail(configuration, number, error)
        else:
            with self._keeping():
                self._folder.add(*measured)
        self._forecast.measured(configuration, time.monotonic() - began)
        self._listener.end()
        self._listener.remains(self._forecast.remaining())

    def _measure(self, configuration: Configuration, number: int, seed: int) -> Measured:
        task = self._resources.task(configuration, number, seed)
        first = MachineUse.now()
        measured = measure_as_planned(task, self._listener)
        return measured._replace(repetition=self._with_others(measured.repetition, first, MachineUse.now()))

    def _is_disturbed(self, configuration: Configuration, measured: Measured) -> bool:
        """Return whether other programs disturbed a repetition, and measuring again may help.

        Too few repetitions decide nothing anyway, and a busy machine stays busy.
        """
        many = self._repeats[configuration]
        return many >= FEWEST and self._in_vain < _IN_VAIN and _others(measured) > _OTHERS

    def _measure_again(
        self, configuration: Configuration, number: int, seed: int, measured: Measured
    ) -> Measured:
        """Measure once or twice more, and return the least disturbed, whatever its figures."""
        for _ in range(_AGAIN):
            raise_if_interrupted()
            measured = min(measured, self._measure(configuration, number, seed), key=_others)
            if _others(measured) <= _OTHERS:
                self._in_vain = 0
                return measured
        self._in_vain += 1
        if self._in_vain == _IN_VAIN:
            self._listener.say(
                f"other programs keep using {_others(measured):.1f} cores: close them for exact figures"
            )
        return measured

    def _with_others(self, repetition: Repetition, first: MachineUse, last: MachineUse) -> Repetition:
        """Note what other programs used of this machine, in a run without hosts."""
        manifest = self._folder.manifest
        if manifest.hosts:
            return repetition
        others = last.others_since(first, manifest.machine.threads or 1)
        return msgspec.structs.replace(repetition, others_cores=others, stolen=last.stolen_since(first))

    @contextlib.contextmanager
    def _keeping(self) -> Iterator[None]:
        """Add to an error that what was measured is kept, and how to resume."""
        try:
            yield
        except FormicaryError as error:
            many = len(self._folder.manifest.repetitions)
            if not many:
                raise
            raise type(error)(
                f"{error}; the {many} measurements made so far are kept: resume with "
                f"formicary bench run --resume {self._folder.path}"
            ) from error

    def _fail(self, configuration: Configuration, number: int, error: FormicaryError) -> None:
        """Note that a repetition failed; end the run if a host is gone."""
        what = f"{describe(configuration)}, repetition {number}"
        sentences = [f"{what}, was not measured: {error}"]
        if not isinstance(error, UsageError):
            alone = command(configuration) + self._resources.options(configuration)
            sentences[0] += f"; to see it alone: {alone}"
        if isinstance(error, HostError) and (gone := self._resources.missing()):
            self._is_over = True
            hosts = "hosts" if len(gone) > 1 else "host"
            sentences.append(
                f"the run ends here, as it needs the {hosts} {', '.join(sorted(gone))}: make sure that all "
                "are up and reachable, and run again"
            )
        self._outcome.problems += sentences
        for sentence in sentences:
            self._listener.say(sentence)


def _others(measured: Measured) -> float:
    """Return the cores that other programs used, if known."""
    return measured.repetition.others_cores or 0.0


def _tidy(folder: RunFolder, output: Path | None) -> None:
    """Remove a folder without measurements."""
    if not folder.manifest.repetitions:
        with contextlib.suppress(OSError, FormicaryError):
            folder.discard()
            if output is None:
                RUNS.rmdir()  # which does nothing if there are other runs
