"""`formicary bench platforms`: what can be measured beside ours, and drivers for more of it."""

from __future__ import annotations

from typing import Annotated

import typer

app = typer.Typer(invoke_without_command=True)

_Names = Annotated[list[str], typer.Argument(metavar="NAME...", help="Of `formicary bench platforms`.")]


@app.callback(
    epilog="Examples:\n\n  formicary bench platforms\n\n"
    "  formicary bench platforms install jade jason mango\n\n"
    "  formicary bench platforms add -- python3 /home/me/my_driver.py\n\n"
    "  formicary bench run messaging/pairs --platform formicary,spade,jade"
)
def platforms(
    context: typer.Context,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print lines of JSON only.")] = False,
) -> None:
    """List all that can be measured, and what is missing to run each; install drivers of other platforms."""
    if context.invoked_subcommand is not None:
        return
    import msgspec

    from formicary_bench.drivers.listing import listed

    if as_json:
        for one in listed():
            typer.echo(msgspec.json.encode(one).decode())
        return
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from formicary_bench.reports.terminal import console_for_reports

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("platform", "experiments", "placements", "missing"):
        table.add_column(title)
    for one in listed():
        lacks = [*one.missing, *(f"for some routes, {note}" for note in one.notes)]
        can = ", ".join(one.experiments), ", ".join(one.placements)
        table.add_row(f"{one.name} {one.version}".strip(), *can, escape("\n".join(lacks)))
    console_for_reports().print(table)


@app.command()
def install(names: _Names) -> None:
    """Make the drivers of these platforms, with what they need, below ~/.cache/formicary/drivers.

    Maven and pip fetch what is needed. A driver that is there already is made again.
    """
    from formicary.errors import UsageError
    from formicary_bench.drivers.installing import install as make
    from formicary_bench.drivers.recipes import RECIPES

    for name in names:
        if name not in RECIPES:
            raise UsageError(f"there is nothing to install for {name!r}; take one of: {', '.join(RECIPES)}")
    for name in names:
        typer.echo(f"installing {RECIPES[name].what} and its driver", err=True)
        hello = make(RECIPES[name])
        typer.echo(f"{hello.name} {hello.version} can be measured: {', '.join(hello.placements)}")


@app.command()
def add(
    command: Annotated[
        list[str], typer.Argument(metavar="-- PROGRAM [ARGUMENT...]", help="What starts the driver.")
    ],
) -> None:
    """Add a platform by a driver of your own: any program that speaks the protocol of docs/drivers.md.

    It is started, asked for its name and what it can do, and tried; then `--platform` knows that name.
    """
    from formicary_bench.drivers.installing import add as keep

    hello = keep(command)
    typer.echo(f"{hello.name} {hello.version} can be measured: {', '.join(hello.placements)}")


@app.command()
def remove(names: _Names) -> None:
    """Remove drivers, with all that was installed for them."""
    from formicary.errors import UsageError
    from formicary_bench.drivers import registry

    known = {path.name for path in registry.home().glob("*")}
    for name in names:
        if name not in known:
            raise UsageError(f"no driver of {name!r} is installed; see: formicary bench platforms")
    for name in names:
        registry.remove(name)
