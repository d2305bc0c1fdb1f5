"""`formicary hosts lab`: hosts on one machine, for trying, for teaching and for tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.options import Json, examples

if TYPE_CHECKING:
    from formicary_bench.hosts.lab.status import Status

app = typer.Typer(
    no_args_is_help=True, help="Make several hosts out of this machine, with a network of their own."
)

Folder = Annotated[
    Path | None,
    typer.Option(
        help="Folder of the lab: its hosts.toml, its keys.", show_default="~/.local/state/formicary/lab"
    ),
]


@app.command(
    epilog=examples(
        "hosts lab up",
        "hosts lab up --count 2 --rate 100mbit --delay 2ms",
        "hosts lab up --folder /tmp/mine --json",
    )
)
def up(
    *,
    count: Annotated[int, typer.Option(help="How many hosts.", min=1, max=100)] = 3,
    rate: Annotated[
        str | None,
        typer.Option(help="What each host can send, as in 100mbit.", show_default="no limit"),
    ] = None,
    delay: Annotated[
        str | None,
        typer.Option(help="How long each host's packets are on their way, as in 2ms.", show_default="none"),
    ] = None,
    folder: Folder = None,
    as_json: Json = False,
) -> None:
    """Make hosts out of this machine, each with an SSH server, and write the hosts.toml for them.

    A host is a network namespace: it has an address, which only this machine and the
    other hosts reach, and nothing outside is reached from there. Needs root.
    """
    from formicary_bench.hosts.lab import make

    status, already = make.up(folder, count, rate, delay)
    _show(status, "was up before" if already else "is up", as_json=as_json)


@app.command(epilog=examples("hosts lab down", "hosts lab down --folder /tmp/mine"))
def down(*, folder: Folder = None, as_json: Json = False) -> None:
    """Remove the lab: its hosts, all that runs there, its files; it is no mistake if there is none."""
    from formicary.cli.showing import show_json
    from formicary_bench.hosts.lab import remove

    removed = remove.down(folder)
    if as_json:
        show_json(removed)
    else:
        typer.echo(removed.sentence)


@app.command(epilog=examples("hosts lab status", "hosts lab status --json"))
def status(*, folder: Folder = None, as_json: Json = False) -> None:
    """Say whether the lab is up, and how to reach its hosts; the exit code is 1 if it is not up."""
    from formicary_bench.hosts.lab.status import look

    found = look(folder)
    _show(found, found.summary, as_json=as_json)
    if found.state != "up":
        raise typer.Exit(1)


def _show(status: Status, what: str, *, as_json: bool) -> None:
    from formicary.cli.showing import show_json

    if as_json:
        show_json(status)
        return
    typer.echo(f"the lab {what}")
