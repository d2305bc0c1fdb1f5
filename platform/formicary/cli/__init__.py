"""The command `formicary`: one file per command, errors turned into a sentence and an exit code here.

- one module per command: `run`, `profile`, `server` and its `account`, `doctor`, `ps`, `top`, `watch`,
  `agents`, `create`, `df`, `groups`, `gateway`; `life` has the commands that actions declare, and `move` also
  `retract` and `clone`
- `run_alone`, `run_spread`, `run_spade`: `run` with one container, with several, and of a SPADE program;
  `running` is what they share
- `connecting`: from options to a container that reaches others; `join_files` are join addresses as files
- `guest_session`: sessions with a running platform, and what they find; `guest_names` are commands' names
  there
- `options`, `values`: options that commands share, and parsing of typed values
- `output`, `top_view`: what is printed; `standard_output`: where it goes
- `command_tree`: loads only the module of the typed command; `group_help` is the help of a group, and
  `mistakes` explains errors in the command line
- `signals`: runs a command until it ends or a signal ends it
"""

from __future__ import annotations

import gc
import sys
from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

import formicary as package
from formicary.cli import standard_output
from formicary.cli.command_tree import LazyCommand, group_of, in_panel
from formicary.cli.output import complain, say
from formicary.core.errors import FormicaryError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CPU_GROUP = "platform"

# Copies of the commands' own summaries, so that help loads none of their modules; a test compares them.
_COMMANDS = (
    *in_panel(
        "Run",
        LazyCommand(
            "run",
            "formicary.cli.run:run",
            "Run the agents of a script until all of them have ended, or until Ctrl-C.",
        ),
    ),
    *in_panel(
        "Inspect",
        LazyCommand("ps", "formicary.cli.ps:ps", "List the containers of a running platform."),
        LazyCommand(
            "agents",
            "formicary.cli.agents:agents",
            "List the agents of a running platform: name, state, container and class.",
        ),
        LazyCommand(
            "groups",
            "formicary.cli.groups:groups",
            "List the groups of a running platform, and who plays which role.",
        ),
        LazyCommand(
            "df",
            "formicary.cli.df:app",
            "Search the directory of a running platform for services and the agents that offer them.",
        ),
        LazyCommand(
            "top",
            "formicary.cli.top:top",
            "Show the live CPU, memory, messages and links of a platform's containers.",
        ),
        LazyCommand(
            "watch",
            "formicary.cli.watch:watch",
            "Watch messages, agents, dead letters and links, live or from a recording.",
        ),
        LazyCommand(
            "profile",
            "formicary.cli.profile:profile",
            "Show where a program's CPU time goes: agents, communication, directory, platform, runtime.",
        ),
        LazyCommand(
            "doctor",
            "formicary.cli.doctor:doctor",
            "Check this machine and suggest fixes.",
        ),
    ),
    *in_panel(
        "Control agents",
        LazyCommand(
            "create",
            "formicary.cli.create:create",
            "Create and start an agent, and print its full name.",
        ),
        LazyCommand("kill", "formicary.cli.life:kill", "Stop agents, as if they called stop().", "KILL"),
        LazyCommand(
            "suspend",
            "formicary.cli.life:suspend",
            "Suspend agents; their messages wait until they are resumed.",
            "SUSPEND",
        ),
        LazyCommand("resume", "formicary.cli.life:resume", "Resume suspended agents.", "RESUME"),
        LazyCommand(
            "deactivate",
            "formicary.cli.life:deactivate",
            "Save agents to a file, where they sleep until a message wakes them.",
            "DEACTIVATE",
        ),
        LazyCommand("activate", "formicary.cli.life:activate", "Wake sleeping agents.", "ACTIVATE"),
        LazyCommand(
            "move",
            "formicary.cli.move:move",
            "Move an agent to another container, keeping its name.",
            "MOVE",
        ),
        LazyCommand(
            "retract",
            "formicary.cli.move:retract",
            "Move an agent to the platform's main container.",
            "RETRACT",
        ),
        LazyCommand(
            "clone",
            "formicary.cli.move:clone",
            "Copy an agent to a container under a new name.",
            "CLONE",
        ),
    ),
    *in_panel(
        "Servers and hosts",
        LazyCommand(
            "server",
            "formicary.cli.server:app",
            "Manage a private XMPP server (Prosody) that connects containers.",
        ),
        LazyCommand(
            "gateway",
            "formicary.cli.gateway:gateway",
            "Connect a running platform to other FIPA platforms, such as JADE.",
        ),
    ),
)


def _plugged() -> Iterator[LazyCommand]:
    """Return the command groups that installed packages add, such as the laboratory's `bench`."""
    from importlib.metadata import entry_points

    for command in sorted(entry_points(group="formicary.commands"), key=lambda entry: entry.name):
        yield LazyCommand(command.name, command.value)


app = typer.Typer(
    cls=group_of(_COMMANDS, _plugged),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:  # noqa: FBT001 -- Typer calls it with the option's value
    if wanted:
        say(f"formicary {package.__version__}")
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


def main(arguments: list[str] | None = None, *, when_loaded: Callable[[], object] | None = None) -> None:
    """Run the command line and end the process with its exit code.

    Args:
        arguments: what was typed after `formicary`; `sys.argv` when None.
        when_loaded: called once the typed command has been loaded, before it runs.
    """
    if arguments is None:
        LazyCommand.after_loading = partial(_begin, when_loaded)
    try:
        with nullcontext() if arguments is not None else standard_output.checked():
            app(arguments, prog_name="formicary")
    except FormicaryError as error:
        complain(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)


def _begin(when_loaded: Callable[[], object] | None) -> None:
    # Modules stay loaded until the process ends: collecting garbage among them, above all at exit, would take
    # a fifth of a short command's time.
    gc.freeze()
    if when_loaded is not None:
        when_loaded()
