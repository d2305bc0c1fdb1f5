"""`formicary server`: a private XMPP server for this machine, and advice for a server of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from formicary.server import ServerStatus

app = typer.Typer(
    no_args_is_help=True,
    help="Start, stop and look at a private XMPP server (Prosody), at which containers meet.",
)

Folder = Annotated[
    Path | None,
    typer.Option(help="State folder of the server.", show_default="~/.local/state/formicary/server"),
]
Json = Annotated[bool, typer.Option("--json", help="Print one line of JSON.")]


def _examples(*commands: str) -> str:
    # One paragraph each: within a paragraph, Typer joins the lines.
    return "\n\n".join(["Examples:", *(f"  formicary server {command}" for command in commands)])


@app.command(
    epilog=_examples("start", "start --platform lab.localhost --port 5347", "start --folder /tmp/mine --json")
)
def start(
    *,
    folder: Folder = None,
    platform: Annotated[
        str | None,
        typer.Option(help="Domain to serve.", show_default="that of the last start, else lab.localhost"),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            help="TCP port for containers.",
            show_default="that of the last start, else a free one",
            max=65535,
            min=1,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Start the server in the background, on loopback only; if it runs already, say so.

    Containers then connect with Container("c1", server="local"), under any name.
    """
    from formicary import server

    already = server.status(folder).running
    server.start(folder, platform, port=port)
    _show(server.status(folder), "runs already" if already else "started", as_json=as_json)


@app.command(epilog=_examples("stop", "stop --folder /tmp/mine"))
def stop(*, folder: Folder = None) -> None:
    """Stop the server; it is no mistake if none runs (exit code 0).

    Accounts, ports and the secret stay in the state folder for the next start.
    """
    from formicary import server

    where = server.status(folder).folder.path
    typer.echo(f"stopped the server in {where}" if server.stop(folder) else f"no server runs in {where}")


@app.command(epilog=_examples("status", "status --json"))
def status(*, folder: Folder = None, as_json: Json = False) -> None:
    """Say whether the server runs and how to reach it; the exit code is 1 if it does not run."""
    from formicary import server

    found = server.status(folder)
    if found.running:
        _show(found, "runs", as_json=as_json)
        return
    if as_json:
        typer.echo(json.dumps({"running": False, "folder": str(found.folder.path)}))
    else:
        how = f"start one with: formicary server start{found.folder.option}"
        typer.echo(f"no server runs in {found.folder.path}; {how}")
    raise typer.Exit(1)


@app.command(
    epilog=_examples(
        "config --platform lab.example --containers c1,c2", "config --containers lobby > addition.cfg.lua"
    )
)
def config(
    *,
    containers: Annotated[
        str, typer.Option(help="Names of the containers that may connect, with commas.")
    ] = "c1,c2",
    platform: Annotated[str, typer.Option(help="Domain that your server serves.")] = "lab.example",
) -> None:
    """Print what to add to a Prosody of your own, why, and how containers then connect.

    Each call makes up a new secret. The private server of `formicary server start` needs none of this.
    """
    import secrets

    from formicary import names
    from formicary.server.configuration import advice

    chosen = [names.check_container(name.strip()) for name in containers.split(",")]
    typer.echo(advice(names.check_platform(platform), chosen, secrets.token_urlsafe(32)), nl=False)


def _show(found: ServerStatus, what: str, *, as_json: bool) -> None:
    """Print a server that runs; the secret stays in the state folder."""
    facts = _facts(found)
    if as_json:
        typer.echo(json.dumps({"running": found.running, "already": what == "runs already", **facts}))
        return
    typer.echo(
        f"Prosody {facts['version']} {what}, process {facts['pid']}, {facts['memory_bytes'] / 1e6:.0f} MB"
    )
    typer.echo(f"  platform    {facts['platform']}")
    typer.echo(
        f"  containers  {facts['host']}:{facts['port']}  {', '.join(facts['containers']) or 'none yet'}"
    )
    typer.echo(f"  clients     {facts['host']}:{facts['client_port']}  (ordinary XMPP accounts, no TLS)")
    typer.echo(f"  folder      {facts['folder']}")


def _facts(found: ServerStatus) -> dict[str, Any]:
    from formicary.errors import ServerError
    from formicary.server.address import LOOPBACK

    state = found.state
    if state is None or not found.running:
        raise ServerError(f"the server in {found.folder.path} has ended; its log is {found.folder.log}")
    return {
        "host": LOOPBACK,
        "port": state.port,
        "client_port": state.client_port,
        "platform": state.platform,
        "stanza_limit": state.stanza_limit,
        "version": state.version,
        "pid": state.pid,
        "memory_bytes": found.memory,
        "containers": found.containers,
        "folder": str(found.folder.path),
    }
