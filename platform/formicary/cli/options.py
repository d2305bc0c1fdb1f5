"""Options that several commands have: where a platform is, and how to get there."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Platform = Annotated[
    str | None,
    typer.Option(help="The platform's domain.", show_default="the server's, else lab.localhost"),
]
Server = Annotated[
    str | None,
    typer.Option(
        metavar="FOLDER|FILE",
        help="Folder of the server at which containers meet; [bold]local[/bold] is that of "
        "`formicary server start`. Or a file that says where a server of your own is.",
        show_default=False,
    ),
]
Account = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Connect through an ordinary XMPP account, such as lab@example.org (needs "
        "formicary\\[accounts]).",
        show_default=False,
    ),
]
AccountServer = Annotated[
    str | None,
    typer.Option(metavar="HOST[:PORT]", help="Where the account's server is.", show_default="asked of DNS"),
]
PasswordFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The account's password.", show_default="asked for"),
]
Insecure = Annotated[
    bool,
    typer.Option("--insecure", help="Do not check the certificate of the account's server."),
]
Join = Annotated[
    str | None,
    typer.Option(
        metavar="NAME|FILE|-",
        help="Join a container that listens: its name on this host, the file with its join address, or - "
        "for standard input.",
        show_default=False,
    ),
]
Main = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="With a server or an account: which container is the platform's, where the list of all is kept.",
        show_default="c1",
    ),
]
Tls = Annotated[
    bool | None,
    typer.Option(
        "--tls/--no-tls",
        help="Use TLS for all connections, or for none.",
        show_default="for direct ones to other hosts",
    ),
]
Folder = Annotated[
    Path | None,
    typer.Option(help="State folder of the server.", show_default="~/.local/state/formicary/server"),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def examples(*commands: str) -> str:
    """Return what stands below a command's help."""
    # One paragraph each: within a paragraph, Typer joins the lines.
    return "\n\n".join(["Examples:", *(f"  formicary {command}" for command in commands)])
