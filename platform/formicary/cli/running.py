"""Shared by the variants of `formicary run`: what to run, and what to tell the user."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from formicary.cli.connecting import LOOPBACK
from formicary.cli.output import say
from formicary.core.errors import UsageError

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator
    from contextlib import AbstractAsyncContextManager

    from formicary.children.script import Script
    from formicary.cli.connecting import ConnectionSettings
    from formicary.container.container import Container

_SHOWN = 3  # reasons for dead letters, and names of agents


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to run, and how.

    Attributes:
        script: the script; None if others create agents or move them here.
        settings: how the container of this process reaches others.
        name: that container's name; None for the usual one.
        seed: of the agents' random generators.
        seconds: the time after which all end; None for no limit.
        cpu_by_group: whether to account for CPU time.
        is_watched: whether to serve the live view.
    """

    script: Script | None
    settings: ConnectionSettings
    name: str | None
    seed: int | None
    seconds: float | None
    cpu_by_group: bool
    is_watched: bool

    def view(self, container: Container) -> AbstractAsyncContextManager[None]:
        """Return a context manager that serves a container's live view, if wanted."""
        if not self.is_watched:
            return contextlib.nullcontext()
        from formicary.cli.watch import viewed

        return viewed(container)


def check_what_runs(plan: Plan) -> None:
    """Check that there is a script, or that agents can be created or move here, and that modules exist.

    Raises:
        UsageError: there is nothing to run, or a module does not exist.
    """
    from formicary.children.script import look_first_in
    from formicary.container.option_values import check_modules

    script, settings = plan.script, plan.settings
    if script is None and not settings.takes_agents:
        raise UsageError("nothing to run: specify a script, or a package with --allow-create or --accept")
    folder = script.path.resolve().parent if script is not None and script.module is None else Path.cwd()
    look_first_in(folder)  # where the agents' modules are
    check_modules("--allow-create", settings.creatable)
    check_modules("--accept", settings.accepts)


@contextlib.contextmanager
def to_be_joined(container: Container, listens: str | None, other: str = "c2") -> Iterator[list[str]]:
    """Publish the join address during the block, if the container listens; yield hints for the user.

    Args:
        container: the open container.
        listens: its address; None if it does not listen.
        other: a name for another container, as an example.
    """
    if listens is None:
        yield []
        return
    from formicary.cli.join_files import published

    name = container.name
    command = f"formicary run FILE --name {'c1' if name == other else other} --join"
    with published(container.domain, container.join_address) as path:
        hints = [f"from another terminal: {command} {name}"]
        if listens != LOOPBACK:
            hints.append(f"from another host, with a copy of the secret {path}: {command} COPY")
        yield hints


def what_runs(script: Script | None, names: list[str], container: Container) -> str:
    """Return a phrase that names the agents that run, or that are expected."""
    if not names or script is None:
        return waits_for(container)
    if script.has_own_main():
        return f"{shown(names)}, but not the main program of {script.file} (`python` runs that)"
    return shown(names)


def waits_for(container: Container) -> str:
    """Return a phrase for what a container without agents waits for."""
    what = ((container.creatable, "that others create"), (container.accepts, "that move here"))
    return "waiting for agents " + " and ".join(f"of {', '.join(of)} {how}" for of, how in what if of)


def shown(names: list[str]) -> str:
    """Return the first names of agents, and how many more there are."""
    first = ", ".join(names[:_SHOWN])
    return first if len(names) <= _SHOWN else f"{first} and {len(names) - _SHOWN} more"


def report_dead_letters(total: int, reasons: Counter[str]) -> None:
    """Print how many messages could not be delivered, and the most frequent reasons."""
    if total:
        say(f"dead letters: {total}", err=True)
        for reason, count in reasons.most_common(_SHOWN):
            say(f"  {count} x {reason}", err=True)
