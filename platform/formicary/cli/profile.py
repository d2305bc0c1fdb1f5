"""`formicary profile`: where the CPU time of a program goes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from formicary.cli.options import Json, examples
from formicary.cli.output import say

if TYPE_CHECKING:
    from rich.console import Console

    from formicary.profiling.analysis.attribution import CpuTime
    from formicary.profiling.model.groups import Rules
    from formicary.profiling.model.profile import Profile
    from formicary.profiling.sampling.measurement import Request

Flame = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write a flame graph as SVG.", show_default=False)
]
Speedscope = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write a profile for speedscope.app.", show_default=False)
]
Program = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="-- PROGRAM",
        help="A Python script, -m MODULE, or run SCRIPT as in `formicary run`, with its arguments.",
        show_default=False,
    ),
]
Pid = Annotated[int | None, typer.Option(min=1, help="Profile a running process.", show_default=False)]
Seconds = Annotated[
    float | None,
    typer.Option(
        "--for",
        metavar="SECONDS",
        min=0.1,
        help="How long to profile.",
        show_default="until it ends or Ctrl-C",
    ),
]
After = Annotated[
    float,
    typer.Option(metavar="SECONDS", min=0, help="Skip the first seconds, while the program starts."),
]
Groups = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=PATTERN", help="Define a group by its modules, such as planner=my_planner.*"),
]
ShowRules = Annotated[bool, typer.Option("--rules", help="Print which modules belong to which group.")]
Server = Annotated[
    str | None,
    typer.Option(
        metavar="FOLDER",
        help="Include this server; [bold]local[/bold] is the one started by `formicary server start`.",
        show_default="servers that the program starts",
    ),
]
Rate = Annotated[int, typer.Option(min=1, max=1000, help="Samples per second of each thread.")]
Native = Annotated[bool, typer.Option("--native", help="Include native code; this slows the program down.")]
Top = Annotated[int, typer.Option(min=1, help="How many agents, functions or threads to show.")]
By = Literal["group", "thread", "agent", "function"]

EPILOG = examples(
    "profile -- run echo.py --for 10",
    "profile -- my_program.py its arguments",
    "profile --pid 4711 --for 5 --by function",
    "profile --group 'planner=my_planner.*' --flame flame.svg -- my_program.py",
)


def profile(
    program: Program = None,
    *,
    pid: Pid = None,
    seconds: Seconds = None,
    after: After = 0.0,
    by: Annotated[By, typer.Option(help="How to group the CPU time.")] = "group",
    group: Groups = None,
    rules: ShowRules = False,
    server: Server = None,
    rate: Rate = 50,
    native: Native = False,
    top: Top = 20,
    flame: Flame = None,
    speedscope: Speedscope = None,
    as_json: Json = False,
) -> None:
    """Show where a program's CPU time goes: agents, communication, directory, platform, runtime.

    The program is sampled with py-spy, and its CPU clocks are read. If this
    command starts the program, the result also shows its garbage collector. With
    --by agent, the program is not sampled: it accounts for its agents itself.

    The exit code is the program's own if that is not 0; otherwise 0 on success, 1
    if some figures are missing, 2 if an option is invalid, and 130 after Ctrl-C.
    """
    from formicary.core.systems import need_posix
    from formicary.profiling.analysis.attribution import View, cpu_times
    from formicary.profiling.model.groups import Rules, own_rule
    from formicary.profiling.sampling.measurement import Request, measure

    known = Rules(map(own_rule, group or ()))
    if rules:
        from formicary.profiling.analysis.tables import rules_table

        _console().print(rules_table(known))
        return
    need_posix("profiles")
    request = Request(
        pid=pid,
        command=tuple(program or ()),
        seconds=seconds,
        after=after,
        rate=rate,
        native=native,
        server=server,
        is_quiet=as_json,
        by_agent=by == "agent",
    )
    if request.by_agent:
        _refuse_for_agents(request, {"--flame": flame, "--speedscope": speedscope})
    _refuse_unwritable(flame, speedscope)
    measured, exit_code = measure(request)
    found = cpu_times(measured, View(by), known)
    _write_files(measured, known, flame, speedscope)
    if as_json:
        _print_json(measured, found, by)
    else:
        _print_table(measured, found, by, top)
    if exit_code or measured.is_partial:
        raise typer.Exit(exit_code or 1)


def _console() -> Console:
    import sys

    from rich.console import Console

    width = None if sys.stdout.isatty() else 200
    return Console(highlight=False, markup=False, soft_wrap=not sys.stdout.isatty(), width=width)


def _print_table(profile: Profile, found: list[CpuTime], by: By, top: int) -> None:
    from formicary.profiling.analysis import tables
    from formicary.profiling.analysis.attribution import View

    tables.write(_console(), profile, found, View(by), top)
    for warning in profile.warnings:
        say(f"formicary: {warning}", err=True)


def _print_json(profile: Profile, found: list[CpuTime], by: By) -> None:
    from formicary.cli.output import show_json

    show_json(
        {
            "method": profile.method,
            "host": profile.host,
            "window_s": profile.window_s,
            "cost": profile.cost,
            "by": by,
            "figures": found,
            "processes": [
                {"pid": each.pid, "role": each.role, "name": each.name, "cpu_s": each.cpu_s}
                for each in profile.processes
            ],
            "warnings": profile.warnings,
            "is_partial": profile.is_partial,
            "version": profile.version,
        }
    )


def _refuse_for_agents(request: Request, files: dict[str, Path | None]) -> None:
    from formicary.core.errors import UsageError

    sampling = {f"--{name}": getattr(request, name) for name in ("pid", "after", "native", "server")}
    for name, given in (sampling | files).items():
        if given:
            raise UsageError(
                f"{name} needs samples, and --by agent takes none, because the program accounts for its "
                "agents itself: omit one of the two"
            )


def _refuse_unwritable(*paths: Path | None) -> None:
    from formicary.core.errors import UsageError

    for path in paths:
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise UsageError(f"{path} cannot be written: choose a file in an existing folder")


def _write_files(profile: Profile, known: Rules, flame: Path | None, speedscope: Path | None) -> None:
    from formicary.cli.output import write_file
    from formicary.profiling.analysis.flame import flame as drawn
    from formicary.profiling.analysis.speedscope import speedscope as listed

    if flame is not None:
        write_file(flame, drawn(profile, known).encode())
    if speedscope is not None:
        write_file(speedscope, listed(profile, known))
