"""`formicary server account`: ordinary XMPP accounts on this machine's private server."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from formicary.cli.options import Folder, Json, examples
from formicary.core.errors import UsageError

app = typer.Typer(
    no_args_is_help=True,
    help="Manage ordinary XMPP accounts on the private server.",
)

Account = Annotated[
    str,
    typer.Argument(
        metavar="NAME[@DOMAIN]",
        help="The account, on the server's own domain or on localhost.",
        show_default=False,
    ),
]

_LONGEST = 4096  # bytes read of a line; passwords are shorter
_RANDOM = 18  # bytes: too many to guess


@app.command(
    epilog=examples(
        "server account add alice",
        "server account add alice@localhost < password.txt",
        "server account add alice --generate",
    )
)
def add(
    account: Account,
    *,
    generate: Annotated[
        bool, typer.Option("--generate", help="Generate a password and print it once.")
    ] = False,
    folder: Folder = None,
) -> None:
    """Create an account; the password is prompted for, or read from standard input.

    The password is not an argument because everyone on this machine could read
    it. The exit code is 1 if the account already exists, and 3 if the server is
    not running.
    """
    import secrets

    from formicary.cli.output import say
    from formicary.server import accounts

    address = accounts.check(account, folder)  # before asking for a password in vain
    password = secrets.token_urlsafe(_RANDOM) if generate else _ask(address)
    accounts.add(address, password, folder)
    say(f"added {address}" + (f" with password {password}" if generate else ""))


@app.command(epilog=examples("server account remove alice"))
def remove(account: Account, *, folder: Folder = None) -> None:
    """Remove an account, and log out its user.

    The exit code is 1 if there is no such account, and 3 if the server is not
    running.
    """
    from formicary.cli.output import say
    from formicary.server import accounts

    say(f"removed {accounts.remove(account, folder)}")


@app.command(name="list", epilog=examples("server account list", "server account list --json"))
def list_(*, folder: Folder = None, as_json: Json = False) -> None:
    """List all accounts.

    The exit code is 3 if the server is not running.
    """
    from formicary.cli.output import say, show_json
    from formicary.server import accounts

    found = accounts.known(folder)
    if as_json:
        show_json({"accounts": found})
        return
    for address in found:
        say(address)


def _ask(address: str) -> str:
    """Return a password: typed twice, or the first line of standard input."""
    if not sys.stdin.isatty():
        try:
            line = sys.stdin.buffer.readline(_LONGEST).decode()
        except UnicodeDecodeError:
            raise UsageError("the password on standard input is not text") from None
        if not line:
            raise UsageError("no password on standard input; provide one, or use --generate")
        return line.rstrip("\r\n")
    from getpass import getpass

    try:
        password = getpass(f"password for {address}: ")
        if getpass("repeat password: ") != password:
            raise UsageError("the passwords do not match, so nothing was changed; try again")
    except EOFError:
        raise UsageError("no password was entered, so nothing was changed") from None
    return password
