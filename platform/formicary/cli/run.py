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
    """When behaviours go on."""

    ASYNCHRONOUS = "asynchronous"
    SYNCHRONOUS = "synchronous"
    POOLED = "pooled"


KIND = ProgramCommand

File = Annotated[
    str | None,
    typer.Argument(
        help="A Python script; with --allow-create or --accept it may be left out.", show_default=False
    ),
]
Arguments = Annotated[
    list[str] | None,
    typer.Argument(
        help="The script's own arguments: everything behind FILE from the first one that is no option of "
        "this command, or that the script itself mentions; and everything behind --.",
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
        bool, typer.Option("-m", help="Run FILE as a module or package, as `python -m` does.")
    ] = False,
    spade: Annotated[
        bool,
        typer.Option(
            "--spade",
            help="The script is a program for SPADE: run it as Python does; its `import spade` gets ours.",
        ),
    ] = False,
    name: Annotated[
        str | None,
        typer.Option(help="Name of the container.", show_default="c1; with --containers, main"),
    ] = None,
    containers: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            help="Spread the agents over so many containers in processes of their own, to use as many cores.",
            show_default="this process alone",
        ),
    ] = None,
    launcher: Annotated[
        Literal["local", "slurm"] | None,
        typer.Option(
            help="Where these containers are: on this machine, or on the nodes of the Slurm job that this is "
            "run in, one on each if --containers says nothing.",
            show_default="local",
        ),
    ] = None,
    interface: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="With --launcher slurm: the network interface by which they talk.",
            show_default="the only one, or that of the node's name; it is printed",
        ),
    ] = None,
    mode: Annotated[
        Mode,
        typer.Option(
            help="When behaviours go on: each as soon as it can; all cycle by cycle, so that a seed gives "
            "the same order of messages again; or each as soon as it can, over all cores.",
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
        typer.Option("--listen", help="Let containers of this host join this one, where there is no server."),
    ] = False,
    listen_on: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="The same for other hosts: an IP address of this host, with or without :PORT. With a "
            "server, other containers send directly there.",
            show_default=False,
        ),
    ] = None,
    join: Join = None,
    route: Annotated[
        Route | None,
        typer.Option(
            help="Which way messages to other containers take: direct connections, the XMPP server, or what "
            "is best.",
            show_default="auto",
        ),
    ] = None,
    tls: Tls = None,
    directory: Annotated[
        Design | None,
        typer.Option(
            help="How agents find each other: each container has all entries, or the platform's has "
            "them, or has them until they expire. The same for all containers of a platform.",
            show_default="replica",
        ),
    ] = None,
    directory_file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --directory central, in the platform's container: where entries are kept.",
            show_default="in memory only",
        ),
    ] = None,
    allow_create: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PACKAGE",
            help="Let others create agents here of this package or module, and below; once for each.",
            show_default="none",
        ),
    ] = None,
    accept: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PACKAGE",
            help="Let agents of this package or module come from other containers; once for each.",
            show_default="none",
        ),
    ] = None,
    sleepers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where agents sleep, and are there again when the container is started again.",
            show_default="a temporary file",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Make the agents' random generators give the same again.")
    ] = None,
    cpu_by_group: Annotated[
        bool,
        typer.Option(
            "--cpu-by-group",
            help="Account for CPU time by group and agent, for `formicary top`; it slows messages down.",
        ),
    ] = False,
    watch: Annotated[
        bool,
        typer.Option("--watch", help="Print the address of a page that shows what goes on; it may act, too."),
    ] = False,
    seconds: Annotated[
        float | None, typer.Option("--for", metavar="SECONDS", min=0, help="End after this time.")
    ] = None,
) -> None:
    """Run the agents of a script in a container, until all of them are gone or Ctrl-C is pressed.

    It starts the Agent and MicroAgent objects at the script's top level, also
    those in lists and tuples there. If there are none, it makes one agent of each
    class that the script defines and that needs only a name: the class's name in
    lower case, so EchoAgent becomes echoagent. A leading underscore hides an
    object or a class. What is under `if __name__ == "__main__":` does not run.

    With --allow-create or --accept there may be no script, or no agents in it:
    the container then stays open for those that others create, or that come from
    elsewhere, until Ctrl-C.

    With --containers, or --mode pooled, each of them runs the script, and starts
    its share of the agents, one after the other in turn. All find each other by
    their short names. With --launcher slurm they are on the nodes of a job.

    With --sleepers, agents of the script that sleep in that file sleep on.

    With --spade the script runs as a program, with `if __name__ == "__main__":`,
    and its agents live in the container: no XMPP server is needed, nor a login.
    It ends when the script ends, with the script's exit code.

    The exit code is 0 if all went well, 1 if something failed (standard error
    says what), 2 if the script or an option cannot be used, 3 if the server
    cannot, and 130 after Ctrl-C. If an agent calls `sys.exit`, it is that one.
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
            raise UsageError("-m runs a module: give its name")
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
        raise UsageError("--interface says where containers of other hosts are reached: add --launcher slurm")
    return None
