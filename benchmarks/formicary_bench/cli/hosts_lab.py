"""`formicary hosts lab`: hosts on one machine, for trials, teaching and tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.options import Json, examples
from formicary.cli.output import say
from formicary.core.quoting import counted

if TYPE_CHECKING:
    from formicary_bench.netlab.status import HostStatus, Status

app = typer.Typer(no_args_is_help=True, help="Create virtual hosts on this machine, with their own network.")

Folder = Annotated[
    Path | None,
    typer.Option(
        help="Folder for the lab's hosts.toml and keys.", show_default="~/.local/state/formicary/lab"
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
    count: Annotated[int, typer.Option(help="Number of hosts.", min=1, max=100)] = 3,
    rate: Annotated[
        str,
        typer.Option(help="Bandwidth of each host, such as 100mbit.", show_default="no limit"),
    ] = "",
    delay: Annotated[
        str,
        typer.Option(help="Delay of each host's packets, such as 2ms.", show_default="none"),
    ] = "",
    folder: Folder = None,
    as_json: Json = False,
) -> None:
    """Make hosts out of this machine, each with an SSH server, and write their hosts.toml.

    A host is a network namespace with an address that only this machine and the
    other hosts can reach; it cannot reach anything outside. Requires root.
    """
    from formicary_bench.netlab.make import up as make

    found, already = make(folder, count, rate, delay)
    _show(found, "was already up" if already else "is up", as_json=as_json)


@app.command(epilog=examples("hosts lab down", "hosts lab down --folder /tmp/mine"))
def down(*, folder: Folder = None, as_json: Json = False) -> None:
    """Remove the lab with its hosts, their processes and its files; does nothing if there is none."""
    from formicary.cli.output import show_json
    from formicary_bench.netlab.make import down as remove

    removed = remove(folder)
    if as_json:
        show_json(removed)
        return
    if not removed.namespaces and not removed.files:
        say(f"no lab in {removed.folder}")
        return
    say(f"removed the lab in {removed.folder}, and ended its {removed.processes} processes")


@app.command(epilog=examples("hosts lab status", "hosts lab status --json"))
def status(*, folder: Folder = None, as_json: Json = False) -> None:
    """Show whether the lab is up, and how to reach its hosts; the exit code is 1 if it is not."""
    from formicary_bench.netlab.status import look

    found = look(folder)
    _show(found, "is up", as_json=as_json)
    if found.state != "up":
        raise typer.Exit(1)


def _show(found: Status, what: str, *, as_json: bool) -> None:
    from formicary.cli.output import show_json, show_table
    from formicary_bench.netlab.folder import LabFolder

    if as_json:
        show_json(found)
        return
    option = LabFolder(Path(found.folder)).option
    if found.state == "down":
        say(f"no lab is up in {found.folder}; create one with: formicary hosts lab up{option}")
        return
    limits = "".join(f", {limit}" for limit in (found.rate, found.delay) if limit)
    say(
        f"the lab {what if found.state == 'up' else 'is incomplete'}: "
        f"{counted(len(found.hosts), 'host')}{limits}"
    )
    show_table(
        ("host", "address", "namespace", "#processes"),
        [(host.name, host.address, host.namespace, _running(host)) for host in found.hosts],
    )
    _say_next(found, option)


def _running(host: HostStatus) -> str:
    return str(host.processes) if host.server else "no SSH server"


def _say_next(found: Status, option: str) -> None:
    down = f"  formicary hosts lab down{option}"
    if found.state != "up":
        say("parts of it are missing; remove and recreate it:")
        say(down)
        return
    say("next, for example:")
    say(f"  formicary hosts check {found.inventory}")
    say(f"  formicary bench run quick --hosts {found.inventory} --placement two-hosts")
    say(
        f"  ssh -i {found.folder}/key -o UserKnownHostsFile={found.folder}/known_hosts "
        f"root@{found.hosts[0].address}"
    )
    say("when done:")
    say(down)
