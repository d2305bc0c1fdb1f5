"""`formicary run`: its options, and the way to run a script that they ask for."""

from __future__ import annotations

import contextlib
import enum
import sys
from pathlib import Path  # noqa: TC003 -- Typer reads the types
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from formicary.cli.connecting import LOOPBACK, ConnectionSettings, Design, Route
from formicary.cli.options import (
    CONNECTION,
    Account,
    AccountServer,
    Insecure,
    Join,
    Main,
    PasswordFile,
    Platform,
    Server,
    Tls,
    examples,
)
from formicary.cli.program_command import ProgramCommand
from formicary.core.errors import UsageError
from formicary.core.logs import PlatformLog, get_logger

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractAsyncContextManager

    from formicary.cli.running import View
    from formicary.container.container import Container
    from formicary.local.launchers import Launcher
    from formicary.local.script import Script


class Mode(enum.StrEnum):
    """When behaviours continue."""

    ASYNCHRONOUS = "asynchronous"
    SYNCHRONOUS = "synchronous"
    POOLED = "pooled"


KIND = ProgramCommand

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

EPILOG = examples(
    "run echo.py",
    "run echo.py --server local --name c2",
    "run echo.py --listen",
    "run far.py --name c2 --join c1",
    "run market.py --seed 7 --for 60",
    "run market.py --containers 4",
    "run market.py --watch",
    "run market.py --mode synchronous --seed 7",
    "run --spade program.py --buyers 3 market",
    "run --seed 7 -m shop.market -- --seed 8",
    "run market.py --launcher slurm",
    "run --allow-create printers --name c2 --join c1",
)


def run(
    file: File = None,
    arguments: Arguments = None,
    *,
    is_module: Annotated[
        bool, typer.Option("-m", help="Run FILE as a module or package, like `python -m`.")
    ] = False,
    spade: Annotated[
        bool,
        typer.Option(
            "--spade",
            help="Run a SPADE program as Python would, with `import spade` replaced by Formicary's.",
        ),
    ] = False,
    name: Annotated[
        str | None,
        typer.Option(help="The container's name.", show_default="c1; with --containers, main"),
    ] = None,
    containers: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            help="Spread the agents over this many containers, each in its own process, to use that "
            "many cores.",
            show_default="this process only",
        ),
    ] = None,
    launcher: Annotated[
        Literal["local", "slurm"] | None,
        typer.Option(
            help="Where to start these containers: on this machine, or on the nodes of the current "
            "Slurm job, one per node unless --containers is given.",
            show_default="local",
        ),
    ] = None,
    interface: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="With --launcher slurm: the network interface to use.",
            show_default="the only one, or the one of the node's name; it is printed",
        ),
    ] = None,
    mode: Annotated[
        Mode,
        typer.Option(
            help="How behaviours are scheduled: each as soon as it can run; all in lockstep cycles, so "
            "that a seed reproduces the order of messages; or each as soon as it can run, over all "
            "cores.",
        ),
    ] = Mode.ASYNCHRONOUS,
    platform: Platform = None,
    server: Server = None,
    main: Main = None,
    account: Account = None,
    account_server: AccountServer = None,
    password_file: PasswordFile = None,
    insecure: Insecure = False,
    listen: Annotated[
        bool,
        typer.Option(
            "--listen",
            help="Let containers on this host join this one without a server.",
            rich_help_panel=CONNECTION,
        ),
    ] = False,
    listen_on: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Like --listen, for other hosts: an IP address of this host, with or without :PORT. "
            "With a server, other containers send directly to it.",
            show_default=False,
            rich_help_panel=CONNECTION,
        ),
    ] = None,
    join: Join = None,
    route: Annotated[
        Route | None,
        typer.Option(
            help="How messages reach other containers: direct connections, the XMPP server, or "
            "whichever is best.",
            show_default="auto",
            rich_help_panel=CONNECTION,
        ),
    ] = None,
    tls: Tls = None,
    directory: Annotated[
        Design | None,
        typer.Option(
            help="How agents find each other: every container has all entries, or only the platform's "
            "main one has them. Must be the same for all containers of a platform.",
            show_default="replica",
        ),
    ] = None,
    directory_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --directory central, in the platform's main container: the file that keeps the "
            "entries.",
            show_default="only in memory",
        ),
    ] = None,
    allow_create: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PACKAGE",
            help="Let others create agents of this package or module here, and of those below it; "
            "repeat for several.",
            show_default="none",
        ),
    ] = None,
    accept: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PACKAGE",
            help="Let agents of this package or module move here from other containers; repeat for several.",
            show_default="none",
        ),
    ] = None,
    sleepers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File for sleeping agents, which survive a restart of the container.",
            show_default="a temporary file",
        ),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the agents' random generators.")] = None,
    cpu_by_group: Annotated[
        bool,
        typer.Option(
            "--cpu-by-group",
            help="Account for CPU time by group and agent, for `formicary top`; this slows messages down.",
        ),
    ] = False,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch", help="Serve the live view and print its address; the page can also control agents."
        ),
    ] = False,
    seconds: Annotated[
        float | None, typer.Option("--for", metavar="SECONDS", min=0, help="Stop after this time.")
    ] = None,
) -> None:
    """Run the agents of a script until all of them have ended, or until Ctrl-C.

    Starts the Agent and MicroAgent objects at the script's top level, including
    those in lists and tuples. If there are none, creates one agent of each class
    that the script defines and that only needs a name: the class's name in lower
    case, so EchoAgent becomes echoagent. A leading underscore hides an object or
    a class. Code under `if __name__ == "__main__":` does not run.

    With --allow-create or --accept, the script may be omitted or have no agents:
    the container then stays open until Ctrl-C, for agents that others create or
    that move here.

    With --containers, or --mode pooled, every container runs the script and
    starts its share of the agents, round robin. Agents find each other by their
    short names. With --launcher slurm, the containers run on the nodes of a job.

    With --sleepers, agents of the script that are asleep in that file stay
    asleep.

    With --spade, the script runs as a program, including `if __name__ ==
    "__main__":`, and its agents live in the container without an XMPP server or
    logins. The command ends with the script, and with its exit code.

    The exit code is 0 on success, 1 if something failed (see standard error), 2
    if the script or an option is invalid, 3 if the server cannot be used, and 130
    after Ctrl-C. If an agent calls `sys.exit`, it is that code.
    """
    launched = _launched(launcher, interface)
    is_spread = containers is not None or launched is not None or mode is Mode.POOLED
    view = _view() if watch else _no_view
    log = PlatformLog()
    get_logger("formicary").addHandler(log)
    try:
        script = _script(file, arguments or (), is_module=is_module)
        settings = ConnectionSettings(
            platform=platform,
            server=server,
            main=main,
            account=account,
            account_server=account_server,
            password_file=password_file,
            insecure=insecure,
            listen=listen_on or (LOOPBACK if listen else None),
            join=join,
            route=route,
            tls=tls,
            directory=directory,
            directory_file=directory_file,
            creatable=tuple(allow_create or ()),
            accepts=tuple(accept or ()),
            sleepers=sleepers,
            spread_at=(launched.address if launched else LOOPBACK) if is_spread else None,
            is_synchronous=mode is Mode.SYNCHRONOUS,
        )
        if spade:
            from formicary.cli.run_spade import run_spade

            refused = {
                "--containers": containers,
                "--launcher": launcher,
                "--mode": mode if mode is Mode.POOLED else None,
                "--sleepers": sleepers,
                "--for": seconds,
                "--cpu-by-group": cpu_by_group or None,
                "--watch": watch or None,
            }
            run_spade(script, settings, name or "c1", seed, refused)
        elif is_spread:
            from formicary.cli.run_spread import run_spread

            failed = run_spread(
                script,
                settings,
                containers,
                launched,
                name=name,
                seed=seed,
                seconds=seconds,
                cpu_by_group=cpu_by_group,
                view=view,
            )
            log.errors += failed
        else:
            from formicary.cli.run_alone import run_alone

            run_alone(script, settings, name or "c1", seed, seconds, cpu_by_group=cpu_by_group, view=view)
    finally:
        get_logger("formicary").removeHandler(log)
    if log.errors:
        raise typer.Exit(1)


def _script(file: str | None, arguments: Sequence[str], *, is_module: bool) -> Script | None:
    """Return the script to run, if any, and set `sys.argv` for it.

    Raises:
        UsageError: there is no such module.
    """
    if file is None:
        if is_module:
            raise UsageError("-m requires the name of a module")
        return None
    from formicary.local.script import Script

    script = Script.of_module(file) if is_module else Script(file)
    sys.argv = [script.file, *arguments]
    return script


def _view() -> View:
    """Return what shows a container's platform in a browser.

    Raises:
        UsageError: what that needs is not installed.
    """
    from formicary.cli.watch import require, viewed

    require("aiohttp")
    return viewed


def _no_view(_: Container) -> AbstractAsyncContextManager[None]:
    return contextlib.nullcontext()


def _launched(launcher: str | None, interface: str | None) -> Launcher | None:
    """Return what starts containers on other hosts, if something is to."""
    if launcher == "slurm":
        from formicary.local.launchers import SlurmLauncher

        return SlurmLauncher(interface or "")
    if interface is not None:
        raise UsageError(
            "--interface selects how containers on other hosts are reached: add --launcher slurm"
        )
    return None
