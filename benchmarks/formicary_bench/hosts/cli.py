"""`formicary hosts`: look at hosts, prepare them for measurements, clean up there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from formicary.cli.options import Json, examples
from formicary_bench.hosts.lab.cli import app as lab

if TYPE_CHECKING:
    from collections.abc import Sequence

    from formicary_bench.hosts.inventory import Host, Inventory

app = typer.Typer(
    no_args_is_help=True, help="Look at the hosts of a hosts.toml, prepare them for measurements, clean up."
)
app.add_typer(lab, name="lab")

HostsToml = Annotated[Path, typer.Argument(metavar="HOSTS_TOML", help="The file that names the hosts.")]
On = Annotated[
    str,
    typer.Option(
        metavar="NAME,...", help="Only these hosts, or groups of hosts.", show_default="all of them"
    ),
]


@app.command(epilog=examples("hosts check", "hosts check my-hosts.toml --on a,b", "hosts check --json"))
def check(hosts_toml: HostsToml = Path("hosts.toml"), *, on: On = "", as_json: Json = False) -> None:
    """Look at all hosts at once: what they are, what is installed, their clocks, the network between them.

    Nothing is changed there. All that is wrong is listed, with the next step for each; the exit code is 1 if
    a host cannot be used.
    """
    import asyncio

    from formicary.cli.showing import show_json
    from formicary_bench.hosts import check as checking
    from formicary_bench.hosts import check_view
    from formicary_bench.hosts.places import code_digest
    from formicary_bench.hosts.progress import Steps

    inventory, hosts = _chosen(hosts_toml, on)
    with Steps() as steps:
        checked = asyncio.run(checking.check(hosts, inventory.hosts, steps))
    if as_json:
        show_json(checked)
    else:
        check_view.show(checked, code_digest())
    if not checked.is_fit:
        raise typer.Exit(1)


def _chosen(path: Path, on: str) -> tuple[Inventory, Sequence[Host]]:
    from formicary_bench.hosts.inventory import choose, load

    inventory = load(path)
    return inventory, choose(inventory, [word.strip() for word in on.split(",") if word.strip()])
