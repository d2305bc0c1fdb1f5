"""`formicary server`: manages a private XMPP server, and helps to configure your own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from formicary.cli import account
from formicary.cli.options import Folder, Json, examples
from formicary.cli.output import say, show_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary.server import ServerStatus
    from formicary.server.federate import Federated

app = typer.Typer(
    no_args_is_help=True,
    help="Manage a private XMPP server (Prosody) that connects containers.",
)

app.add_typer(account.app, name="account")


def _examples(*commands: str) -> str:
    return examples(*(f"server {command}" for command in commands))


@app.command(
    epilog=_examples("start", "start --platform lab.localhost --port 5347", "start --folder /tmp/mine --json")
)
def start(
    *,
    folder: Folder = None,
    platform: Annotated[
        str | None,
        typer.Option(help="The domain to serve.", show_default="the last one used, or lab.localhost"),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            help="TCP port for containers.",
            show_default="the last one used, or a free one",
            max=65535,
            min=1,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Start the server in the background, on loopback only.

    Containers then connect with Container("c1",
    server=ServerAddress.load("local")), under any name.
    """
    from formicary import server

    already = server.status(folder).running
    server.start(folder, platform, port=port)
    _show(server.status(folder), "is already running" if already else "started", as_json=as_json)


@app.command(epilog=_examples("stop", "stop --folder /tmp/mine"))
def stop(*, folder: Folder = None) -> None:
    """Stop the server.

    Accounts, ports and the secret stay in the state folder for the next start.
    The exit code is also 0 if no server is running.
    """
    from formicary import server

    where = server.status(folder).folder.path
    say(f"stopped the server in {where}" if server.stop(folder) else f"no server is running in {where}")


@app.command(epilog=_examples("status", "status --json"))
def status(*, folder: Folder = None, as_json: Json = False) -> None:
    """Show whether the server is running, and how to reach it.

    The exit code is 1 if it is not running.
    """
    from formicary import server

    found = server.status(folder)
    if found.running:
        _show(found, "runs", as_json=as_json)
        return
    if as_json:
        show_json({"running": False, "folder": str(found.folder.path)})
    else:
        how = f"start one with: formicary server start{found.folder.option}"
        say(f"no server is running in {found.folder.path}; {how}")
    raise typer.Exit(1)


@app.command(
    epilog=_examples(
        "config --platform lab.example --containers c1,c2",
        "config --containers lobby > addition.cfg.lua",
        "config --platform lab.example --federate a=c1,c2@192.0.2.1 --federate b=c3,c4@192.0.2.2",
    )
)
def config(
    *,
    containers: Annotated[
        str | None,
        typer.Option(
            help="Names of the containers that may connect, separated by commas.", show_default="c1,c2"
        ),
    ] = None,
    platform: Annotated[str, typer.Option(help="The domain that your server serves.")] = "lab.example",
    federate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=CONTAINERS@IP[:PORT]",
            help="A server of a federation: its name, its containers and its host's address; repeat for "
            "each.",
            show_default="none",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            help="With --federate: the folder in which to create the servers' folders.",
            show_default="federation",
        ),
    ] = None,
    certificates: Annotated[
        Path | None,
        typer.Option(
            help="With --federate: a folder with ca.crt and each server's NAME.crt and NAME.key.",
            show_default="a new certificate authority",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Print what to add to the configuration of your own Prosody.

    The output has a new secret each time. With --federate, creates one server for
    each of several hosts; run it again with more containers or servers, and it
    keeps the federation's keys and secrets. The private server of a single host
    needs none of this.
    """
    from formicary.core.errors import UsageError

    if not federate:
        if output or certificates or as_json:
            raise UsageError("--output, --certificates and --json require --federate; omit them")
        _print_advice(containers or "c1,c2", platform)
        return
    if containers is not None:
        raise UsageError("with --federate, list each server's containers there, as in a=c1,c2@192.0.2.1")
    from formicary.server.federate import federate as make
    from formicary.server.federation import parse_member

    members = [parse_member(text) for text in federate]
    folder = output or Path("federation")
    _show_federation(make(platform, members, folder, certificates=certificates), as_json=as_json)


def _print_advice(containers: str, platform: str) -> None:
    import secrets

    from formicary.core import names
    from formicary.server.configuration import advice

    chosen = [names.check_container(name.strip()) for name in containers.split(",")]
    for line in advice(names.check_platform(platform), chosen, secrets.token_urlsafe(32)).splitlines():
        say(line)


def _show_federation(made: Sequence[Federated], *, as_json: bool) -> None:
    facts = [
        {
            "name": one.member.name,
            "folder": str(one.folder.path),
            "address": one.member.address,
            "port": one.member.port,
            "containers": one.member.containers,
        }
        for one in made
    ]
    if as_json:
        show_json(facts)
        return
    for one in made:
        say(f"{one.folder.path}")
        say(f"  containers  {', '.join(one.member.containers)}")
        say(f"  others at   {one.member.endpoint}")
    name, path = made[0].member.name, made[0].folder.path
    say("Copy each folder to its host (keep it private: it holds keys), and run there, for example:")
    say(f"  formicary server start --folder {name}        # {path}")
    say(f"  formicary run FILE --server {name} --name {made[0].member.containers[0]}")


def _show(found: ServerStatus, what: str, *, as_json: bool) -> None:
    """Print a running server; the secret stays in the state folder."""
    facts = _facts(found)
    if as_json:
        show_json({"running": found.running, "already": what == "is already running", **facts})
        return
    say(f"Prosody {facts['version']} {what}, process {facts['pid']}, {facts['memory_bytes'] / 1e6:.0f} MB")
    say(f"  platform    {facts['platform']}")
    there = ", ".join(facts["containers"]) or "none connected"
    say(f"  containers  {facts['host']}:{facts['port']}  {there}")
    if facts["not_connected"]:
        say(f"  missing     {', '.join(facts['not_connected'])}")
    say(f"  with TLS    {facts['host']}:{facts['tls_port']}  (containers, too)")
    say(f"  clients     {facts['host']}:{facts['client_port']}  (ordinary XMPP accounts, no TLS)")
    say(f"  folder      {facts['folder']}")


def _facts(found: ServerStatus) -> dict[str, Any]:
    from formicary.core.errors import ServerError
    from formicary.server.address import LOOPBACK
    from formicary.server.containers import connected

    state = found.state
    if state is None or not found.running:
        raise ServerError(
            f"the server in {found.folder.path} stopped unexpectedly; see its log, {found.folder.log}"
        )
    there = connected(found.folder, state.platform)
    return {
        "host": LOOPBACK,
        "port": state.port,
        "client_port": state.client_port,
        "tls_port": state.tls_port,
        "platform": state.platform,
        "stanza_limit": state.stanza_limit,
        "version": state.version,
        "pid": state.pid,
        "memory_bytes": found.memory,
        "containers": there,
        "not_connected": [name for name in found.containers if name not in there],
        "folder": str(found.folder.path),
    }
