"""The options of `formicary run`, except those for connecting."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated, Literal

import typer

from formicary.cli.connecting import Design, Route
from formicary.cli.options import CONNECTION, CONNECTIONS, option


class Mode(enum.StrEnum):
    """When behaviours continue."""

    ASYNCHRONOUS = "asynchronous"
    SYNCHRONOUS = "synchronous"
    POOLED = "pooled"


File = Annotated[
    str | None,
    typer.Argument(help="A Python script; optional with --allow-create or --accept.", show_default=False),
]
Arguments = Annotated[
    list[str] | None,
    typer.Argument(
        help="The script's own arguments: everything after FILE from the first one that is not an "
        "option of this command or that the script itself mentions, and everything after --.",
        show_default=False,
    ),
]
IsModule = Annotated[bool, typer.Option("-m", help="Run FILE as a module or package, like `python -m`.")]
Spade = Annotated[
    bool,
    typer.Option(
        "--spade",
        help="Run a SPADE program as Python would, with `import spade` replaced by Formicary's.",
    ),
]
Containers = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        help="Spread the agents over this many containers, each in its own process, to use that many cores.",
        show_default="this process only",
    ),
]
LauncherName = Annotated[
    Literal["local", "slurm"] | None,
    typer.Option(
        help="Where to start these containers: on this machine, or on the nodes of the current "
        "Slurm job, one per node unless --containers is given.",
        show_default="local",
    ),
]
Interface = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="With --launcher slurm: the network interface to use.",
        show_default="the only one, or the one of the node's name; it is printed",
    ),
]
ModeOption = Annotated[
    Mode,
    typer.Option(
        help="How behaviours are scheduled: each as soon as it can run; all in lockstep cycles, so "
        "that a seed reproduces the order of messages; or each as soon as it can run, over all "
        "cores.",
    ),
]
Listen = Annotated[
    bool,
    typer.Option(
        "--listen",
        help="Let containers on this host join this one without a server.",
        rich_help_panel=CONNECTION,
    ),
]
ListenOn = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Like --listen, for other hosts: an IP address of this host, with or without :PORT. "
        "With a server, other containers send directly to it.",
        show_default=False,
        rich_help_panel=CONNECTION,
    ),
]
PLAN = {
    "name": option(str | None, "The container's name.", show_default="c1; with --containers, main"),
    "seed": option(int | None, "Seed of the agents' random generators."),
    "cpu_by_group": option(
        bool,
        "Account for CPU time by group and agent, for `formicary top`; this slows messages down.",
        "--cpu-by-group",
    ),
    "is_watched": option(
        bool, "Serve the live view and print its address; the page can also control agents.", "--watch"
    ),
    "seconds": option(float | None, "Stop after this time.", "--for", metavar="SECONDS", min=0),
}
"""Options by their names in `Plan`."""

SETTINGS = {
    "directory": option(
        Design | None,
        "How agents find each other: every container has all entries, or only the platform's main one has "
        "them. Must be the same for all containers of a platform.",
        show_default="replica",
    ),
    "directory_file": option(
        Path | None,
        "With --directory central, in the platform's main container: the file that keeps the entries.",
        metavar="FILE",
        show_default="only in memory",
    ),
    "creatable": option(
        list[str] | None,
        "Let others create agents of this package or module here, and of those below it; repeat for several.",
        "--allow-create",
        metavar="PACKAGE",
        show_default="none",
    ),
    "accepts": option(
        list[str] | None,
        "Let agents of this package or module move here from other containers; repeat for several.",
        "--accept",
        metavar="PACKAGE",
        show_default="none",
    ),
    "sleepers": option(
        Path | None,
        "File for sleeping agents, which survive a restart of the container.",
        metavar="FILE",
        show_default="a temporary file",
    ),
    "route": option(
        Route | None,
        "How messages reach other containers: direct connections, the XMPP server, or whichever is best.",
        show_default="auto",
        rich_help_panel=CONNECTION,
    ),
    **CONNECTIONS,
}
"""Options by their names in `ConnectionSettings`."""
