"""`formicary run`: a script's agents, in a container that the command makes."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import logging
import sys
from pathlib import Path
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
from formicary.cli.output import say
from formicary.cli.signals import run_until_signal
from formicary.core.errors import FormicaryError, UsageError
from formicary.core.event_loop import loop_factory
from formicary.core.logs import ErrorCount, get_logger

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator
    from contextlib import AbstractAsyncContextManager

    from formicary.container.container import Container
    from formicary.core.agent import Agent
    from formicary.core.micro import MicroAgent
    from formicary.local.launchers import Launcher
    from formicary.profiling.accounting.accounting import Accounting

    View = Callable[[Container], AbstractAsyncContextManager[None]]


class Mode(enum.StrEnum):
    """When behaviours go on."""

    ASYNCHRONOUS = "asynchronous"
    SYNCHRONOUS = "synchronous"
    POOLED = "pooled"


_SHOWN = 3  # reasons for dead letters, and names of agents

File = Annotated[
    Path | None,
    typer.Argument(
        help="A Python script; with --allow-create or --accept it may be left out.", show_default=False
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
    "run --spade program.py",
    "run market.py --launcher slurm",
    "run --allow-create printers --name c2 --join c1",
)


def run(
    file: File = None,
    *,
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

    With --spade the script runs as a program, with `if __name__ == "__main__":`,
    and its agents live in the container: no XMPP server is needed, nor a login.
    It ends when the script ends, with the script's exit code.

    The exit code is 0 if all went well, 1 if something failed (standard error
    says what), 2 if the script or an option cannot be used, 3 if the server
    cannot, and 130 after Ctrl-C. If an agent calls `sys.exit`, it is that one.
    """
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    launched = _launched(launcher, interface)
    is_spread = containers is not None or launched is not None or mode is Mode.POOLED
    view = _view() if watch else _no_view
    errors = ErrorCount()
    get_logger("formicary").addHandler(errors)
    try:
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
            spread_at=(launched.address if launched else LOOPBACK) if is_spread else None,
            is_synchronous=mode is Mode.SYNCHRONOUS,
        )
        if spade:
            from formicary.cli.run_spade import run_spade

            refused = {
                "--containers": containers,
                "--launcher": launcher,
                "--mode": mode if mode is Mode.POOLED else None,
                "--for": seconds,
                "--cpu-by-group": cpu_by_group or None,
                "--watch": watch or None,
            }
            run_spade(file, settings, name or "c1", seed, refused)
        elif is_spread:
            from formicary.cli.run_spread import run_spread

            failed = run_spread(
                file,
                settings,
                containers,
                launched,
                name=name,
                seed=seed,
                seconds=seconds,
                cpu_by_group=cpu_by_group,
                view=view,
            )
            errors.count += failed
        else:
            _run_alone(file, settings, name or "c1", seed, seconds, cpu_by_group=cpu_by_group, view=view)
    finally:
        get_logger("formicary").removeHandler(errors)
    if errors.count:
        raise typer.Exit(1)


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


def _run_alone(
    file: Path | None,
    settings: ConnectionSettings,
    name: str,
    seed: int | None,
    seconds: float | None,
    *,
    cpu_by_group: bool,
    view: View,
) -> None:
    container = settings.container(name, seed)
    agents = _agents(file, settings)
    listens = settings.can_be_joined_at
    try:
        run_until_signal(
            _live(container, agents, seconds, listens, cpu_by_group=cpu_by_group, view=view), loop_factory()
        )
    finally:
        letters = container.dead_letters
        report_dead_letters(letters.total, letters.reasons)


def _agents(file: Path | None, settings: ConnectionSettings) -> list[Agent | MicroAgent]:
    """Return the script's agents; none only where others can create some, or some can come.

    Raises:
        UsageError: there are none and nobody can, or the script cannot be used.
    """
    from formicary.local.script import load_agents

    can_come = bool(settings.creatable or settings.accepts)
    if file is not None:
        agents = load_agents(file, needs_some=not can_come)
    elif can_come:
        sys.path.insert(0, str(Path.cwd()))  # where agents' modules are, as the script's folder would be
        agents = []
    else:
        raise UsageError(
            "there is nothing to run: name a script, or a package with --allow-create or --accept"
        )
    if not agents and settings.is_alone:
        raise UsageError(
            "there are no agents, and nobody can reach this container to create some, nor can any come: add "
            "--listen, --join or --server, or agents to the script"
        )
    return agents


async def _live(
    container: Container,
    agents: list[Agent | MicroAgent],
    seconds: float | None,
    listens: str | None,
    *,
    cpu_by_group: bool,
    view: View,
) -> None:
    accounted = _accounted(container) if cpu_by_group else contextlib.nullcontext()
    async with container, accounted, view(container):
        with to_be_joined(container, listens) as hints:
            for line in (f"{container.domain}: {_what_lives(container, agents)}; Ctrl-C ends it", *hints):
                say(line, err=True)
            for agent in agents:
                await _start(container, agent)
            with contextlib.suppress(Exception):  # its time is over, or an agent has failed, which is logged
                async with asyncio.timeout(seconds):
                    await (container.join() if agents else asyncio.Event().wait())


def _accounted(container: Container) -> Accounting:
    from formicary.profiling.accounting.accounting import accounting

    return accounting(container)


@contextlib.contextmanager
def to_be_joined(container: Container, listens: str | None, other: str = "c2") -> Iterator[list[str]]:
    """Let others join the container meanwhile, if it listens, and give what to tell the user.

    Args:
        container: the container, which is open.
        listens: where; None if it does not.
        other: a name that one of the others may have.
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


async def _start(container: Container, agent: Agent | MicroAgent) -> None:
    try:
        await container.start(agent)
    except FormicaryError:
        raise
    except Exception:  # noqa: BLE001 -- its setup failed: the container has logged that, and the others go on
        return


def _what_lives(container: Container, agents: list[Agent | MicroAgent]) -> str:
    return shown([agent.name for agent in agents]) if agents else waits_for(container)


def waits_for(container: Container) -> str:
    """Return what a container without agents waits for."""
    what = ((container.creatable, "that others create"), (container.accepts, "that come from elsewhere"))
    return "waits for agents " + " and ".join(f"of {', '.join(of)} {how}" for of, how in what if of)


def shown(names: list[str]) -> str:
    """Return the first names of agents, and how many more there are."""
    first = ", ".join(names[:_SHOWN])
    return first if len(names) <= _SHOWN else f"{first} and {len(names) - _SHOWN} more"


def report_dead_letters(total: int, reasons: Counter[str]) -> None:
    """Say how many messages could not be delivered, and the most frequent reasons."""
    if total:
        say(f"dead letters: {total}", err=True)
        for reason, count in reasons.most_common(_SHOWN):
            say(f"  {count} x {reason}", err=True)
