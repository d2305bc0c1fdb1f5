"""Find runs by their manifests: experiment, date, host, version."""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from formicary.errors import FormicaryError, UsageError
from formicary_bench.results.store.folder import MANIFEST, RUNS, RunFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from formicary_bench.results.store.model import Manifest

KEYS = ("experiment", "date", "host", "version")
_TERM = re.compile(r"(\w+)(>=|<=|!=|=|>|<)(\S+)")
_ORDERS: dict[str, Callable[[date, date], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}
_HOW = "use, for example, 'experiment=messaging/pairs date>=2026-01-01 host=lab-3 version=0.1.0'"


@dataclass(frozen=True)
class Condition:
    """A condition on a run: one of `KEYS`, a comparison, and a value."""

    key: str
    order: str
    value: str

    def holds(self, manifest: Manifest) -> bool:
        if self.key == "date":
            return _ORDERS[self.order](manifest.started.date(), date.fromisoformat(self.value))
        return (self.value in facts(manifest)[self.key]) == (self.order == "=")


def conditions(text: str) -> list[Condition]:
    """Read conditions, all of which must hold.

    Raises:
        UsageError: one of them is not valid.
    """
    return [_condition(term) for term in text.split()]


def facts(manifest: Manifest) -> dict[str, set[str]]:
    """Return the facts of a run by key; a run may have several experiments and hosts."""
    return {
        "experiment": {one.experiment for one in manifest.configurations},
        "host": {manifest.machine.host, *manifest.hosts, *(one.host for one in manifest.hosts.values())},
        "version": {manifest.formicary},
    }


def find(folder: Path, wanted: Iterable[Condition]) -> tuple[list[RunFolder], list[str]]:
    """Find runs, the oldest first.

    Args:
        folder: the folder that contains them.
        wanted: the conditions on each.

    Returns:
        The runs, and a sentence for each that cannot be read.

    Raises:
        UsageError: the folder does not exist.
    """
    wanted = list(wanted)
    found, broken = [], []
    try:
        candidates = sorted(path for path in folder.iterdir() if (path / MANIFEST).exists())
    except OSError as error:
        raise UsageError(
            f"cannot list runs in {folder} ({error.strerror}): specify their folder with --runs"
        ) from error
    for path in candidates:
        try:
            run = RunFolder.open(path)
        except FormicaryError as error:
            broken.append(str(error))
            continue
        if all(condition.holds(run.manifest) for condition in wanted):
            found.append(run)
    return sorted(found, key=lambda run: run.manifest.started), broken


def find_all(folders: Iterable[Path] = ()) -> tuple[list[RunFolder], list[str]]:
    """Find all runs in some folders, the oldest first, each once.

    Args:
        folders: folders of runs, or runs; the default folder if empty.

    Returns:
        The runs, and a sentence for each that cannot be read.

    Raises:
        UsageError: one of the folders does not exist.
    """
    found: dict[Path, RunFolder] = {}
    broken: list[str] = []
    for folder in [*folders] or ([RUNS] if RUNS.is_dir() else []):
        try:
            runs, unread = (
                ([RunFolder.open(folder)], []) if (folder / MANIFEST).exists() else find(folder, ())
            )
        except OSError as error:
            raise UsageError(f"cannot list runs in {folder} ({error.strerror}): check --runs") from error
        found |= {run.path.resolve(): run for run in runs}
        broken += unread
    return sorted(found.values(), key=lambda run: run.manifest.started), list(dict.fromkeys(broken))


def _condition(term: str) -> Condition:
    match = _TERM.fullmatch(term)
    if not match:
        raise UsageError(f"{term!r} in --where is not a condition: {_HOW}")
    key, order, value = match.groups()
    if key not in KEYS:
        raise UsageError(f"{key!r} in --where is not one of {', '.join(KEYS)}: {_HOW}")
    if key != "date":
        if order not in {"=", "!="}:
            raise UsageError(f"{term!r} in --where: only dates can be ordered; for {key}, use = or !=")
        return Condition(key, order, value)
    try:
        date.fromisoformat(value)
    except ValueError:
        raise UsageError(f"{term!r} in --where is not a date: use, for example, date>=2026-01-31") from None
    return Condition(key, order, value)
