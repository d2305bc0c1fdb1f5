"""`formicary bench platforms`: other platforms that can be measured, and their drivers."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.output import say, show_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from formicary_bench.cli.platform_tables import Listed


app = typer.Typer(invoke_without_command=True)

_Names = Annotated[
    list[str], typer.Argument(metavar="NAME...", help="Names, as in `formicary bench platforms`.")
]
_Jar = Annotated[
    Path | None,
    typer.Option(
        "--jar",
        metavar="FILE",
        envvar="MADKIT_JAR",
        help="The jar of a platform that is not in a registry (MaDKit).",
    ),
]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON lines only.")]


@app.callback(
    epilog="Examples:\n\n  formicary bench platforms\n\n  formicary bench platforms show jade\n\n"
    "  formicary bench platforms install jade jason mango spade\n\n"
    "  formicary bench platforms install madkit --jar madkit-5.3.1.jar\n\n"
    "  formicary bench platforms add -- python3 /home/me/my_driver.py\n\n"
    "  formicary bench run messaging/pairs --platform formicary,spade,jade"
)
def platforms(context: typer.Context, *, as_json: _Json = False) -> None:
    """List the platforms that can be measured, and install drivers for others."""
    if context.invoked_subcommand is not None:
        return
    from formicary_bench.cli.platform_tables import listed

    if as_json:
        _print_json(listed())
        return
    from formicary_bench.cli.platform_tables import overview
    from formicary_bench.reports.formats.terminal import console_for_reports

    console_for_reports().print(overview(listed()))


@app.command()
def show(names: _Names, *, as_json: _Json = False) -> None:
    """Show the details of some platforms."""
    from formicary.errors import UsageError
    from formicary_bench.cli.platform_tables import listed

    known = {one.name: one for one in listed()}
    for name in names:
        if name not in known:
            raise UsageError(f"no platform {name!r}; see: formicary bench platforms")
    if as_json:
        _print_json([known[name] for name in names])
        return
    from formicary_bench.cli.platform_tables import details
    from formicary_bench.reports.formats.terminal import console_for_reports

    for name in names:
        console_for_reports().print(details(known[name]))


@app.command()
def install(names: _Names, *, jar: _Jar = None) -> None:
    """Build the drivers of these platforms, with their dependencies, in ~/.cache/formicary/drivers.

    Maven and pip download what is needed. An existing driver is rebuilt, and kept
    if that fails.
    """
    from dataclasses import replace

    from formicary.errors import UsageError
    from formicary_bench.runner.execution.driver_trial import try_out
    from formicary_bench.subjects.drivers.installing import install as make
    from formicary_bench.subjects.drivers.recipes import RECIPES, JavaWithJar

    for name in names:
        if name not in RECIPES:
            raise UsageError(f"nothing to install for {name!r}; choose one of: {', '.join(RECIPES)}")
    for name in names:
        recipe = RECIPES[name]
        if isinstance(recipe, JavaWithJar):
            recipe = replace(recipe, jar=jar)
        say(f"installing {recipe.label} {recipe.version} and its driver", err=True)
        with _showing() as show_line:
            hello = make(recipe, show_line, try_out)
        say(f"{hello.name} {hello.version} can be measured: {', '.join(hello.placements)}")


@app.command()
def add(
    command: Annotated[
        list[str], typer.Argument(metavar="-- PROGRAM [ARGUMENT...]", help="Command that starts the driver.")
    ],
) -> None:
    """Add a platform with your own driver: any program that speaks the protocol of docs/drivers.md.

    The driver is started, asked for its name and abilities, and tried out; then
    `--platform` accepts that name.
    """
    from formicary_bench.runner.execution.driver_trial import try_out
    from formicary_bench.subjects.drivers.installing import add as keep

    hello = keep(command, try_out)
    say(f"{hello.name} {hello.version} can be measured: {', '.join(hello.placements)}")


@app.command()
def remove(names: _Names) -> None:
    """Remove drivers, with everything that was installed for them."""
    from formicary.errors import UsageError
    from formicary_bench.subjects.drivers import installed

    known = {path.name for path in installed.home().glob("*")}
    for name in names:
        if name not in known:
            raise UsageError(f"no driver of {name!r} is installed; see: formicary bench platforms")
    for name in names:
        installed.remove(name)


def _print_json(rows: list[Listed]) -> None:
    for row in rows:
        show_json(row)


@contextmanager
def _showing() -> Iterator[Callable[[str], None]]:
    """Show progress on a terminal, in one line that is erased afterwards."""
    from rich.console import Console
    from rich.text import Text

    from formicary.core.quoting import printable

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status("") as status:
        yield lambda line: status.update(Text(printable(line), no_wrap=True, overflow="ellipsis"))
