"""The command `formicary`: one file per command, errors turned into a sentence and an exit code here.

- a command each: `run`, `profile`, `server` and its `account`, `doctor`, `ps`, `top`, `agents`, `create`,
  `df`, and in `life` `kill`, `suspend` and `resume`
- `script`: loads the file that `run` and `profile` are given
- `connecting`: from options to a container that reaches others; `join_files` are join addresses as files
- `guest_session`: how commands get to a platform that runs; `guest_names` are their names there
- `options`, `values`: options that several commands have, and values as they are typed
- `output`, `top_view`: what is printed
- `signals`: runs a command until it ends, or a signal ends it
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import entry_points
from typing import Annotated

import typer

from formicary import __version__
from formicary.cli import agents, create, df, doctor, life, profile, ps, run, server, top
from formicary.cli.output import complain, say
from formicary.core.errors import FormicaryError

CPU_GROUP = "platform"

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 -- Typer calls it with the option's value
    if wanted:
        say(f"formicary {__version__}")
        raise typer.Exit


@app.callback()
def formicary(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Run software agents, and measure what their communication costs.

    Try: [bold]formicary bench run quick[/bold]
    """
    del version


app.command(name="run", epilog=run.EPILOG)(run.run)
app.command(name="profile", epilog=profile.EPILOG)(profile.profile)
app.command(name="doctor", epilog=doctor.EPILOG)(doctor.doctor)
app.command(name="ps", epilog=ps.EPILOG)(ps.ps)
app.command(name="top", epilog=top.EPILOG)(top.top)
app.command(name="agents", epilog=agents.EPILOG)(agents.agents)
app.command(name="create", epilog=create.EPILOG)(create.create)
app.command(name="kill", epilog=life.KILL)(life.kill)
app.command(name="suspend", epilog=life.SUSPEND)(life.suspend)
app.command(name="resume", epilog=life.RESUME)(life.resume)
app.add_typer(df.app, name="df")
app.add_typer(server.app, name="server")


@cache  # added again they would be there again, and making the tree of commands takes longer with each
def load_commands() -> None:
    """Add the command groups that installed packages bring, such as the laboratory's `bench`."""
    for command in sorted(entry_points(group="formicary.commands"), key=lambda entry: entry.name):
        app.add_typer(command.load(), name=command.name)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and end the process with its exit code.

    Args:
        arguments: what was typed after `formicary`; `sys.argv` when None.
    """
    try:
        load_commands()
        app(arguments, prog_name="formicary")
    except FormicaryError as error:
        complain(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        say("formicary: interrupted", err=True)
        sys.exit(130)
