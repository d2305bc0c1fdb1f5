"""`formicary hosts lab`: hosts on one machine, for trying, for teaching and for tests."""

from __future__ import annotations

import typer

app = typer.Typer(
    no_args_is_help=True, help="Make several hosts out of this machine, with a network of their own."
)
