"""`formicary hosts`: look at hosts, prepare them for measurements, clean up there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from formicary.cli.options import Json, examples
from formicary.cli.output import say
from formicary.core.systems import need_posix
from formicary_bench.cli.hosts_lab import app as lab

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from formicary_bench.remote import Steps
    from formicary_bench.remote.inventory import Host

app = typer.Typer(
    no_args_is_help=True,
    help="Check, prepare and clean up the hosts listed in hosts.toml.",
    rich_help_panel="Servers and hosts",
)
app.add_typer(lab, name="lab")


@app.callback()
def hosts() -> None:
    """Check, before any command, that measurements over hosts are possible."""
    need_posix("measurements over hosts")


_INTERRUPTED = 130  # as shells have it for a program that Ctrl-C has ended

T = TypeVar("T")

HostsToml = Annotated[Path, typer.Argument(metavar="HOSTS_TOML", help="The inventory file.")]
On = Annotated[
    str,
    typer.Option(metavar="NAME,...", help="Only these hosts or groups of hosts.", show_default="all"),
]


@app.command(epilog=examples("hosts check", "hosts check my-hosts.toml --on a,b", "hosts check --json"))
def check(hosts_toml: HostsToml = Path("hosts.toml"), *, on: On = "", as_json: Json = False) -> None:
    """Check all hosts: hardware, software, clocks, and the network between them.

    Changes nothing on the hosts. Lists every problem with the next step; the exit
    code is 1 if a host cannot be used.
    """
    from formicary_bench.remote import need_extra

    need_extra()
    from formicary.cli.output import show_json
    from formicary_bench.cli import hosts_view
    from formicary_bench.remote.checks import check as checking
    from formicary_bench.remote.folders import code_digest

    checked = _on_hosts(hosts_toml, on, checking.check)
    if as_json:
        show_json(checked)
    else:
        hosts_view.show(checked, code_digest())
    if not checked.is_fit:
        raise typer.Exit(1)


@app.command(epilog=examples("hosts prepare", "hosts prepare my-hosts.toml --on a,b"))
def prepare(hosts_toml: HostsToml = Path("hosts.toml"), *, on: On = "", as_json: Json = False) -> None:
    """Install this version of Formicary on all hosts.

    The hosts need no internet access, and you need no root there: everything is
    sent over SSH, into an environment in the host's folder. Where the inventory
    names a `venv`, nothing is installed, only compared.

    The old environment works until the new one does. The exit code is 1 if a host
    could not be prepared.
    """
    from formicary_bench.remote import need_extra

    need_extra()
    from formicary.cli.output import show_json
    from formicary_bench.cli.hosts_view import show_prepared
    from formicary_bench.remote.provisioning.prepare import prepare as prepare_all

    prepared = _on_hosts(hosts_toml, on, prepare_all)
    show_json(prepared) if as_json else show_prepared(prepared)
    if any(each.problem for each in prepared):
        raise typer.Exit(1)


@app.command(epilog=examples("hosts clean", "hosts clean my-hosts.toml --on a,b --json"))
def clean(hosts_toml: HostsToml = Path("hosts.toml"), *, on: On = "", as_json: Json = False) -> None:
    """Remove what `prepare` installed from all hosts, and end leftover processes.

    Nothing else is touched: a folder that is not ours is refused, and a process
    is only ended if it is certain to be ours. The exit code is 1 if a host could
    not be cleaned.
    """
    from formicary_bench.remote import need_extra

    need_extra()
    from formicary.cli.output import show_json
    from formicary_bench.cli.hosts_view import show_cleaned
    from formicary_bench.remote.provisioning.prepare import clean as clean_all

    cleaned = _on_hosts(hosts_toml, on, clean_all)
    show_json(cleaned) if as_json else show_cleaned(cleaned)
    if any(each.problem for each in cleaned):
        raise typer.Exit(1)


def _on_hosts(
    path: Path, on: str, work: Callable[[Sequence[Host], Sequence[Host], Steps], Coroutine[Any, Any, T]]
) -> T:
    """Do something on the chosen hosts; Ctrl-C ends it on all of them."""
    import asyncio

    from formicary_bench.cli.hosts_view import StepsDisplay
    from formicary_bench.remote.inventory import choose, load

    inventory = load(path)
    hosts = choose(inventory, [word.strip() for word in on.split(",") if word.strip()])
    try:
        with StepsDisplay() as steps:
            return asyncio.run(work(hosts, inventory.hosts, steps))
    except KeyboardInterrupt:
        say("formicary: interrupted", err=True)
        raise typer.Exit(_INTERRUPTED) from None
