"""`formicary run`: runs a script's agents."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Any

import typer

from formicary.cli.connecting import LOOPBACK, ConnectionSettings
from formicary.cli.options import examples, with_options
from formicary.cli.program_command import ProgramCommand
from formicary.cli.run_options import (
    PLAN,
    SETTINGS,
    Arguments,
    Containers,
    File,
    Interface,
    IsModule,
    LauncherName,
    Listen,
    ListenOn,
    Mode,
    ModeOption,
    Spade,
)
from formicary.cli.running import Plan
from formicary.core.errors import UsageError
from formicary.core.logs import PlatformLog, get_logger

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from formicary.children.script import Script
    from formicary.local.launchers import Launcher

KIND = ProgramCommand

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


@with_options(PLAN | SETTINGS)
def run(
    file: File = None,
    arguments: Arguments = None,
    *,
    is_module: IsModule = False,
    spade: Spade = False,
    containers: Containers = None,
    launcher: LauncherName = None,
    interface: Interface = None,
    mode: ModeOption = Mode.ASYNCHRONOUS,
    listen: Listen = False,
    listen_on: ListenOn = None,
    **given: Any,
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
    planned = {name: given.pop(name) for name in PLAN}
    if planned["is_watched"]:
        from formicary.cli.watch import require

        require("aiohttp")
    with _logged() as log:
        plan = Plan(
            script=_script(file, arguments or (), is_module=is_module),
            settings=ConnectionSettings(
                listen=listen_on or (LOOPBACK if listen else None),
                spread_at=(launched.address if launched else LOOPBACK) if is_spread else None,
                is_synchronous=mode is Mode.SYNCHRONOUS,
                **{name: value for name, value in given.items() if value is not None},
            ),
            **planned,
        )
        if spade:
            pooled = mode if mode is Mode.POOLED else None
            _run_spade(plan, {"--containers": containers, "--launcher": launcher, "--mode": pooled})
        elif is_spread:
            from formicary.cli.run_spread import run_spread

            failed = run_spread(plan, containers, launched)
            log.errors += failed  # beside those of this process, which are counted meanwhile
        else:
            from formicary.cli.run_alone import run_alone

            run_alone(plan)


@contextlib.contextmanager
def _logged() -> Iterator[PlatformLog]:
    """Print what the platform logs in the block, and end with exit code 1 if there were errors."""
    log = PlatformLog()
    get_logger("formicary").addHandler(log)
    try:
        yield log
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
    from formicary.children.script import Script

    script = Script.of_module(file) if is_module else Script(file)
    sys.argv = [script.file, *arguments]
    return script


def _run_spade(plan: Plan, refused: dict[str, Any]) -> None:
    from formicary.cli.run_spade import run_spade

    refused |= {
        "--sleepers": plan.settings.sleepers,
        "--for": plan.seconds,
        "--cpu-by-group": plan.cpu_by_group or None,
        "--watch": plan.is_watched or None,
        "--allow-create": plan.settings.creatable or None,
        "--accept": plan.settings.accepts or None,
    }
    run_spade(plan, refused)


def _launched(launcher: str | None, interface: str | None) -> Launcher | None:
    """Return the launcher of containers on other hosts; None for this host."""
    if launcher == "slurm":
        from formicary.local.launchers import SlurmLauncher

        return SlurmLauncher(interface or "")
    if interface is not None:
        raise UsageError(
            "--interface selects how containers on other hosts are reached: add --launcher slurm"
        )
    return None
