"""Resuming an interrupted run, with the same code on the same machine."""

from __future__ import annotations

import fcntl
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec

from formicary.errors import UsageError
from formicary_bench.experiments.registry import EXPERIMENTS
from formicary_bench.results.store.folder import RunFolder
from formicary_bench.results.store.machine import begin_manifest
from formicary_bench.runner.planning.run_plan import RunPlan, order_of
from formicary_bench.subjects.drivers.installed import versions
from formicary_bench.subjects.registry import subjects

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from formicary_bench.results.store.model import Machine, Manifest
    from formicary_bench.runner.execution.run_hosts import HostSelection

_VARYING = {"frequency_mhz", "prosody"}  # changes by itself; is known only if needed
_ANEW = "start a new run instead"


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Lock a run's folder for this process; raise a UsageError if another process has it."""
    folder = os.open(path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError(
                f"{path} is still being measured by another process: wait until that has ended"
            ) from None
        except OSError:
            pass  # a file system without locks
        yield
    finally:
        os.close(folder)


def reopen(path: Path, selection: HostSelection | None) -> tuple[RunFolder, RunPlan]:
    """Open a run to resume it, with its plan.

    Raises:
        UsageError: it is no run, is complete, or was made by another version or on another machine.
    """
    folder = RunFolder.open(path)
    manifest = folder.manifest
    refuse_unknown(path, manifest)
    _refuse_without_hosts(path, manifest, selection)
    order = order_of(manifest)
    others = versions(one.platform for one in manifest.configurations)
    refuse_other(path, manifest, begin_manifest({}, (), others=others))
    lost = folder.forget_lost()
    if not lost and len(folder.manifest.repetitions) >= len(order):
        raise UsageError(
            f"{path} is complete, with all of its {len(order)} measurements: show them with "
            f"formicary bench show {path}"
        )
    many = dict.fromkeys(manifest.configurations, 0)
    for configuration, _, _ in order:
        many[configuration] += 1
    notes = (f"{lost} measurements whose raw values are lost are repeated",) if lost else ()
    run_plan = RunPlan(path.name, dict(manifest.options), many, wants_server=True, notes=notes)
    return folder, run_plan


def refuse_other(path: Path, before: Manifest, now: Manifest) -> None:
    """Refuse runs of other versions or machines, by a UsageError that names the difference."""
    if before.formicary != now.formicary:
        raise UsageError(
            f"{path} was begun by formicary {before.formicary}, and this is {now.formicary}: resume it with "
            f"that version, or {_ANEW}"
        )
    if before.git != now.git:
        raise UsageError(
            f"{path} was begun with other code ({_commit(before)}; this is {_commit(now)}): check that out, "
            f"or {_ANEW}"
        )
    machines: dict[str, tuple[Machine | None, Machine]] = {"": (before.machine, now.machine)}
    machines |= {f"host {name}, ": (before.hosts.get(name), one) for name, one in now.hosts.items()}
    for name, (old, new) in machines.items():
        if different := _difference(old, new):
            raise UsageError(
                f"{path} was begun on another machine ({name}{different}), and figures of two machines "
                f"are not one run: resume it there, or {_ANEW}"
            )


def _difference(old: Machine | None, new: Machine | None) -> str:
    """Return the first difference of two machines, if any."""
    if old is None or new is None:
        return "which took no part"
    pairs = zip(msgspec.structs.asdict(old).items(), msgspec.structs.asdict(new).values(), strict=True)
    for (name, was), is_ in pairs:
        if name not in _VARYING and was != is_:
            return f"{name.replace('_', ' ')} {_shown(was)}, here {_shown(is_)}"
    if old.prosody and new.prosody and old.prosody != new.prosody:
        return f"Prosody {old.prosody}, here {new.prosody}"
    return ""


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {version}" for name, version in value.items()) or "none"
    return str(value) or "unknown"


def _commit(manifest: Manifest) -> str:
    if manifest.git is None:
        return "an installed package"
    return manifest.git.commit[:10] + (" with changes" if manifest.git.dirty else "")


def refuse_unknown(path: Path, manifest: Manifest) -> None:
    """Refuse a run of unknown experiments or platforms, by a UsageError that names the first."""
    known = {(one.platform, one.kind) for one in subjects()}
    for one in manifest.configurations:
        if one.experiment not in EXPERIMENTS or (one.platform, one.kind) not in known:
            raise UsageError(
                f"{path} measures {one.experiment} of {one.platform}, which this formicary "
                f"({manifest.formicary} began it) does not know: {_ANEW}"
            )


def _refuse_without_hosts(path: Path, manifest: Manifest, selection: HostSelection | None) -> None:
    """Refuse other hosts than before: their order decides who asks and who answers."""
    if not any(one.hosts for one in manifest.configurations):
        return
    asked = manifest.options.get("hosts")
    there = [host.name for host in selection.containers] if selection else []
    if asked != there:
        names = ", ".join(map(str, asked)) if isinstance(asked, list) else "its hosts"
        raise UsageError(
            f"{path} was begun over {names}, and continues over the same: name them with --hosts FILE, or "
            "--launcher, and --on and --servers as before"
        )
