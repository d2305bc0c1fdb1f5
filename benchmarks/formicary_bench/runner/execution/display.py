"""The display of a running measurement."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Column

from formicary.core.quoting import printable
from formicary_bench.runner.forecast.forecast import in_words
from formicary_bench.runner.observers.observer import RunListener
from formicary_bench.runner.planning.plan import describe
from formicary_bench.worker.interruption import allow_interrupts

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from formicary_bench.vocabulary.configuration import Configuration

_PER_SECOND = 4  # refreshes: each takes processor time from the measurement


class Display(RunListener):
    """A progress bar with the current measurement and rate; sentences go to standard error."""

    def __init__(self, *, quiet: bool = False, asks: bool = False) -> None:
        self._quiet = quiet
        self._asks = asks and sys.stdin.isatty() and sys.stdout.isatty()
        self._errors = Console(stderr=True, highlight=False, soft_wrap=True)
        console = Console(highlight=False)
        self._live = console.is_terminal and not quiet and not os.environ.get("NO_COLOR")
        wide = Column(no_wrap=True, overflow="ellipsis", ratio=1)
        self._progress = Progress(
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            TextColumn("{task.fields[rate]}", style="bold", markup=False),
            TextColumn("{task.description}", markup=False, table_column=wide),
            console=console,
            refresh_per_second=_PER_SECOND,
            expand=True,
            transient=True,
        )
        self._bar = self._progress.add_task("", total=None, rate="", left="")
        self._last = (0, 0)
        self._planned = ""

    def __enter__(self) -> Self:
        if self._live:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._progress.stop()

    def say(self, sentence: str) -> None:
        """Print a sentence above the bar."""
        console = self._progress.console if self._live else self._errors
        console.print(printable(f"! {sentence}"), style="yellow", markup=False, soft_wrap=True)

    def plan(self, folder: Path, configurations: int, repetitions: int) -> None:
        many = f"{configurations} configuration{'s' * (configurations != 1)}"
        often = f"{repetitions} measurement{'s' * (repetitions != 1)}"
        self._planned = f"Measuring {many}, {often}, into {folder}"
        self._progress.update(self._bar, total=repetitions)

    def agrees(self) -> bool:
        """Ask whether to continue."""
        if not self._asks:
            return True
        self._progress.stop()
        with allow_interrupts():
            try:
                answer = self._progress.console.input("Continue? [Y/n] ")
            except EOFError:
                answer = "no"
        if self._live:
            self._progress.start()
        return answer.strip().lower() in {"", "y", "yes"}

    def begin(self, configuration: Configuration) -> None:
        """Name what is measured now."""
        self._last = (0, 0)
        self._progress.update(self._bar, description=printable(describe(configuration)), rate="")

    def advance(self, done: int, at_ns: int) -> None:
        before, before_ns = self._last
        self._last = (done, at_ns)
        if before_ns and at_ns > before_ns:
            rate = (done - before) * 1e9 / (at_ns - before_ns)
            self._progress.update(self._bar, rate=f"{rate:,.0f}/s".replace(",", " "))

    def end(self) -> None:
        self._progress.advance(self._bar)

    def remains(self, seconds: float) -> None:
        """Show how long it still takes; the first time with what is planned."""
        about = in_words(seconds)
        if self._planned and not self._quiet:
            sentence = f"{self._planned}: {about if seconds < 1 else f'about {about}'}"
            self._progress.console.print(printable(sentence), markup=False, soft_wrap=True)
        self._planned = ""
        self._progress.update(self._bar, left=f"{about} left")
