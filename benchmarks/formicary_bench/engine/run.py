"""A whole run: its folder, and one repetition after the other."""

from __future__ import annotations

import contextlib
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from formicary.errors import FormicaryError, ServerError
from formicary_bench.engine.describing import describe
from formicary_bench.engine.equipment import equip
from formicary_bench.engine.errors import RepetitionError
from formicary_bench.engine.interruption import check, interruptible
from formicary_bench.engine.measures import measure_as_planned
from formicary_bench.engine.plan import command, make_plan, schedule
from formicary_bench.engine.repetition import Watcher
from formicary_bench.hosts.errors import HostError
from formicary_bench.results.folder import RUNS, RunFolder
from formicary_bench.results.machine import load_average

if TYPE_CHECKING:
    from pathlib import Path

    from formicary_bench.engine.equipment import Equipment
    from formicary_bench.engine.hosting import Hosting
    from formicary_bench.engine.options import Options
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


def perform(
    options: Options, output: Path | None, audience: Audience, hosting: Hosting | None = None
) -> Outcome:
    """Measure everything that the options ask for.

    A repetition that fails is left out with a sentence, and the run goes on. After an interruption (Ctrl-C,
    or a request to end) what was measured until then is kept. In every case no process and no port is left.

    Args:
        options: what to measure.
        output: the folder of the run; None for a new one below `runs`.
        audience: told what happens.
        hosting: the hosts that take part, if there are any beside this machine.

    Raises:
        UsageError: there is nothing to measure, or the folder cannot be made.
        ServerError: all that there is to measure, or a route that was asked for, needs an XMPP server, which
            cannot be started.
        HostError: a host cannot be used.
        FormicaryError: what was measured cannot be written; the folder has what was measured before.
    """
    plan = make_plan(options)
    with ExitStack() as stack:
        stack.enter_context(interruptible())
        equipment = equip(stack, plan, options, hosting)
        for sentence in equipment.left_out:
            audience.say(sentence)
        folder = RunFolder.create(equipment.manifest(options), output, label=options.experiment)
        try:
            return _Run(options, folder, equipment, audience).perform()
        finally:
            _tidy(folder, output)


class _Run:
    """One run, from its first repetition to its last."""

    def __init__(self, options: Options, folder: RunFolder, equipment: Equipment, audience: Audience) -> None:
        self._options = options
        self._folder = folder
        self._equipment = equipment
        self._audience = audience
        self._outcome = Outcome()
        self._is_over = False

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
                if self._is_over:
                    break
        except KeyboardInterrupt:
            outcome.interrupted = True
        if self._folder.manifest.repetitions:
            outcome.folder = self._folder
            complete = not outcome.problems and not outcome.interrupted
            clocks = self._equipment.clocks()
            self._folder.finish(complete=complete, load_after=load_average(), clocks=clocks)
        return outcome

    def _measure(self, configuration: Configuration, number: int, seed: int) -> None:
        try:
            task = self._equipment.task(configuration, number, seed)
            measured = measure_as_planned(task, self._audience)
        except (RepetitionError, ServerError, HostError) as error:
            self._fail(configuration, number, error)
        else:
            self._folder.add(*measured)

    def _fail(self, configuration: Configuration, number: int, error: FormicaryError) -> None:
        """Note that a repetition has failed; all is over where a host is gone that does not come back."""
        alone = command(configuration) + self._equipment.options(configuration)
        what = f"{describe(configuration)}, repetition {number}"
        sentences = [f"{what}, was not measured: {error}; to see it alone: {alone}"]
        if isinstance(error, HostError) and (gone := self._equipment.missing()):
            self._is_over = True
            hosts = "hosts" if len(gone) > 1 else "host"
            sentences.append(
                f"the run ends here, as it needs the {hosts} {', '.join(sorted(gone))}: see whether what is "
                "gone is up and can be reached, and run again"
            )
        self._outcome.problems += sentences
        for sentence in sentences:
            self._audience.say(sentence)


def _tidy(folder: RunFolder, output: Path | None) -> None:
    """Leave no folder without a measurement."""
    if not folder.manifest.repetitions:
        with contextlib.suppress(OSError, FormicaryError):
            folder.discard()
            if output is None:
                RUNS.rmdir()  # which does nothing if there are other runs
