"""Options shared by commands: where a platform is, and how to connect."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

CONNECTION = "Connection"
"""The panel of the connection options in a command's help."""

Platform = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=CONNECTION,
        help="The platform's domain.",
        show_default="the server's, or lab.localhost",
    ),
]
Server = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=CONNECTION,
        metavar="FOLDER|FILE",
        help="Folder of the server that connects containers; [bold]local[/bold] is the one started by "
        "`formicary server start`. Or a file that describes your own server.",
        show_default=False,
    ),
]
Account = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=CONNECTION,
        metavar="ADDRESS",
        help="Connect through an ordinary XMPP account, such as lab@example.org (requires "
        "formicary\\[accounts]).",
        show_default=False,
    ),
]
AccountServer = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=CONNECTION,
        metavar="HOST[:PORT]",
        help="Address of the account's server.",
        show_default="looked up in DNS",
    ),
]
PasswordFile = Annotated[
    Path | None,
    typer.Option(
        rich_help_panel=CONNECTION,
        metavar="FILE",
        help="File with the account's password.",
        show_default="prompted for",
    ),
]
Insecure = Annotated[
    bool,
    typer.Option(
        "--insecure", rich_help_panel=CONNECTION, help="Do not check the certificate of the account's server."
    ),
]
Join = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=CONNECTION,
        metavar="NAME|FILE|-",
        help="Join a listening container: its name on this host, the file with its join address, or - "
        "for standard input.",
        show_default=False,
    ),
]
Main = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=CONNECTION,
        metavar="NAME",
        help="With a server or an account: the platform's main container, which keeps the list of "
        "containers.",
        show_default="c1",
    ),
]
Tls = Annotated[
    bool | None,
    typer.Option(
        "--tls/--no-tls",
        rich_help_panel=CONNECTION,
        help="Use TLS for all connections, or for none.",
        show_default="only for direct connections to other hosts",
    ),
]
CONNECTIONS = {
    "join": Join,
    "server": Server,
    "main": Main,
    "account": Account,
    "account_server": AccountServer,
    "password_file": PasswordFile,
    "insecure": Insecure,
    "platform": Platform,
    "tls": Tls,
}
"""The options that locate a platform, by their names in `ConnectionSettings`."""

Folder = Annotated[
    Path | None,
    typer.Option(help="The server's state folder.", show_default="~/.local/state/formicary/server"),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def parameters_of(options: Mapping[str, Any]) -> list[inspect.Parameter]:
    """Return a command's parameters for options that may be omitted."""
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=kind,
            default=False if kind is Insecure else None,
        )
        for name, kind in options.items()
    ]


def with_parameters(
    command: Callable[..., None], parameters: Iterable[inspect.Parameter]
) -> Callable[..., None]:
    """Return a function that has these parameters for Typer."""
    signature = inspect.Signature([*parameters])
    command.__signature__ = signature  # type: ignore[attr-defined]  # functions may have one
    command.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
    return command


def with_options(options: Mapping[str, Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that adds options to a command in place of its `**` parameter."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        *own, _ = inspect.signature(command, eval_str=True).parameters.values()
        return with_parameters(command, [*own, *parameters_of(options)])

    return decorate


def examples(*commands: str) -> str:
    """Return the examples below a command's help."""
    # One paragraph each: within a paragraph, Typer joins the lines.
    return "\n\n".join(["Examples:", *(f"  formicary {command}" for command in commands)])
