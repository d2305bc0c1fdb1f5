"""`formicary hosts`: look at hosts, prepare them for measurements, clean up there."""

from __future__ import annotations

import typer

from formicary_bench.hosts.lab.cli import app as lab

app = typer.Typer(
    no_args_is_help=True, help="Look at the hosts of a hosts.toml, prepare them for measurements, clean up."
)
app.add_typer(lab, name="lab")
