"""What a user sees while hosts are looked at or prepared: a line for each."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Column

from formicary.core.quoting import printable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType

    from rich.progress import TaskID

_PER_SECOND = 8


class StepsDisplay:
    """Shows on standard error what is done on each host, if that is a terminal; nothing is left of it."""

    def __init__(self) -> None:
        console = Console(stderr=True, highlight=False)
        self._is_shown = console.is_terminal and not os.environ.get("NO_COLOR")
        self._progress = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", style="bold", markup=False),
            TextColumn("{task.fields[what]}", markup=False, table_column=Column(no_wrap=True, ratio=1)),
            TimeElapsedColumn(),
            console=console,
            refresh_per_second=_PER_SECOND,
            transient=True,
            expand=True,
        )
        self._lines: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        if self._is_shown:
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_shown:
            self._progress.stop()

    def begin(self, hosts: Iterable[str]) -> None:
        """Give each host its line."""
        for host in hosts:
            self._lines[host] = self._progress.add_task(printable(host), total=None, what="connecting")

    def at(self, host: str, what: str) -> None:
        """Say what is done on a host now."""
        self._progress.update(self._lines[host], what=printable(what))

    def done(self, host: str, what: str = "done") -> None:
        """Say that a host is done with."""
        self._progress.update(self._lines[host], what=printable(what), total=1, completed=1)
