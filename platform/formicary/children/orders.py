"""Orders of a program to its containers in other processes, and what they report.

An answer contains names of agents, if any; `Stop` closes the container.
"""

from __future__ import annotations

from typing import Any

import msgspec

from formicary.children.script import Script  # noqa: TC001 -- msgspec reads the types
from formicary.processes.messages import Stop
from formicary.processes.requests import Answer, Refusal


class Open(msgspec.Struct, tag="open", frozen=True):
    """The first order: open a container, which joins another.

    Args:
        name: its own name.
        join: the other's join address, a secret.
        options: further options of `Container`.
        path: Python's module search path.
        arguments: `sys.argv` of the program.
        interface: on another host, the network interface to listen on; empty for the only one, or that of the
            host's name. None on the program's host.
    """

    name: str
    join: str
    options: dict[str, Any]
    path: list[str]
    arguments: list[str]
    interface: str | None = None


class Meet(msgspec.Struct, tag="meet", frozen=True):
    """Wait until links to all containers of the local platform are open, and find agents there by name."""

    domains: list[str]


class Allow(msgspec.Struct, tag="allow", frozen=True):
    """Allow agents of a module to be created.

    Args:
        module: its name.
        file: its file, if it cannot be imported by name.
    """

    module: str
    file: str | None = None


class LoadScript(msgspec.Struct, tag="load-script", frozen=True):
    """Run a script as `formicary run` does; the answer contains the names of its agents."""

    script: Script
    needs_some: bool = True


class StartLoaded(msgspec.Struct, tag="start-loaded", frozen=True):
    """Start one of the script's agents."""

    name: str


class Join(msgspec.Struct, tag="join", frozen=True):
    """Wait until no agent is left; the answer contains the container's name if there were any at first."""


Order = Open | Meet | Allow | LoadScript | StartLoaded | Join | Stop


class Gone(msgspec.Struct, tag="gone", frozen=True):
    """Agents have ended."""

    names: list[str]


class Ended(msgspec.Struct, tag="ended", frozen=True):
    """The last report: the container has closed, and its process ends.

    Args:
        errors: how many errors the platform logged there.
        dead_letters: how many messages could not be delivered.
        reasons: the most frequent reasons, and how often.
        exit_code: the exit code with which an agent ended the program, if any; as text if it is not a number.
        has_exited: whether an agent ended the program.
    """

    errors: int = 0
    dead_letters: int = 0
    reasons: list[tuple[str, int]] = []
    exit_code: int | str | None = None
    has_exited: bool = False


Report = Answer[list[str]] | Refusal | Gone | Ended
