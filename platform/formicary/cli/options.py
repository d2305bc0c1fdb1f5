"""Options shared by commands: where a platform is, and how to connect."""

from __future__ import annotations

import inspect
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

CONNECTION = "Connection"
"""The panel of the connection options in a command's help."""


def option(kind: Any, text: str, *flags: str, **shown: Any) -> Any:
    """Return the annotation of an option with a help text; the rest as of `typer.Option`."""
    shown.setdefault("show_default", False)
    return Annotated[kind, typer.Option(*flags, help=text, **shown)]


_connection = partial(option, rich_help_panel=CONNECTION)
CONNECTIONS = {
    "join": _connection(
        str | None,
        "Join a listening container: its name on this host, the file with its join address, or - for "
        "standard input.",
        metavar="NAME|FILE|-",
    ),
    "server": _connection(
        str | None,
        "Folder of the server that connects containers; [bold]local[/bold] is the one started by "
        "`formicary server start`. Or a file that describes your own server.",
        metavar="FOLDER|FILE",
    ),
    "main": _connection(
        str | None,
        "With a server or an account: the platform's main container, which keeps the list of containers.",
        metavar="NAME",
        show_default="c1",
    ),
    "account": _connection(
        str | None,
        "Connect through an ordinary XMPP account, such as lab@example.org (requires formicary\\[accounts]).",
        metavar="ADDRESS",
    ),
    "account_server": _connection(
        str | None, "Address of the account's server.", metavar="HOST[:PORT]", show_default="looked up in DNS"
    ),
    "password_file": _connection(
        Path | None, "File with the account's password.", metavar="FILE", show_default="prompted for"
    ),
    "insecure": _connection(
        bool, "Do not check the certificate of the account's server.", "--insecure", show_default=True
    ),
    "platform": _connection(
        str | None, "The platform's domain.", show_default="the server's, or lab.localhost"
    ),
    "tls": _connection(
        bool | None,
        "Use TLS for all connections, or for none.",
        "--tls/--no-tls",
        show_default="only for direct connections to other hosts",
    ),
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
            default=False if get_args(kind)[0] is bool else None,
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
