"""The command `formicary`: one file per command, errors turned into a sentence and an exit code here.

- a command each: `run`, `profile`, `server` and its `account`, `doctor`, `ps`, `top`, `watch`, `agents`,
  `create`, `df`, `groups`, `gateway`, in `life` `kill`, `suspend`, `resume`, `deactivate` and `activate`, and
  in `move` that, `retract` and `clone`
- `run_alone`, `run_spread`, `run_spade`: `run` with one container, with several, and of a program for SPADE;
  `running`: what they have in common
- `script`: loads the file that `run` and `profile` are given
- `connecting`: from options to a container that reaches others; `join_files` are join addresses as files
- `guest_session`: how commands get to a platform that runs; `guest_names` are their names there
- `agent_names`: agents as they are named on the command line; `located`: where those of the directory are
- `options`, `values`: options that several commands have, and values as they are typed
- `output`, `top_view`: what is printed
- `command_tree`: loads the module of the command that is used; `group_help` is the help of a group
- `signals`: runs a command until it ends, or a signal ends it
"""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from formicary import __version__
from formicary.cli.command_tree import LazyCommand, group_of
from formicary.cli.output import complain, say
from formicary.core.errors import FormicaryError

if TYPE_CHECKING:
    from collections.abc import Iterator

CPU_GROUP = "platform"

# Summaries are those of the commands themselves, which a test compares: help loads none of their modules.
_COMMANDS = (
    LazyCommand(
        "run",
        "formicary.cli.run:run",
        "Run the agents of a script in a container, until all of them are gone or Ctrl-C is pressed.",
    ),
    LazyCommand(
        "profile",
        "formicary.cli.profile:profile",
        "Tell where a program's CPU time goes: the platform, agents, communication, the directory, the "
        "runtime.",
    ),
    LazyCommand(
        "doctor",
        "formicary.cli.doctor:doctor",
        "Say what this machine can do and what is missing, a line each, with the cause and the next step.",
    ),
    LazyCommand("ps", "formicary.cli.ps:ps", "List the containers of a platform that runs."),
    LazyCommand(
        "top",
        "formicary.cli.top:top",
        "Show what the containers of a platform that runs do now: CPU, memory, messages, links.",
    ),
    LazyCommand(
        "watch",
        "formicary.cli.watch:watch",
        "Watch messages, agents, dead letters and links, as they are or as they were recorded.",
    ),
    LazyCommand(
        "agents",
        "formicary.cli.agents:agents",
        "List the agents of a platform that runs: name, state, container and class.",
    ),
    LazyCommand(
        "create",
        "formicary.cli.create:create",
        "Have an agent made and started, and print its full name when its setup is done.",
    ),
    LazyCommand("kill", "formicary.cli.life:kill", "End agents, as their stop() does.", "KILL"),
    LazyCommand(
        "suspend",
        "formicary.cli.life:suspend",
        "Hold agents until they are resumed; their messages wait meanwhile.",
        "SUSPEND",
    ),
    LazyCommand("resume", "formicary.cli.life:resume", "Let agents go on that are suspended.", "RESUME"),
    LazyCommand(
        "deactivate",
        "formicary.cli.life:deactivate",
        "Have agents sleep in their container's file until a message wakes them.",
        "DEACTIVATE",
    ),
    LazyCommand("activate", "formicary.cli.life:activate", "Wake agents that sleep.", "ACTIVATE"),
    LazyCommand(
        "move",
        "formicary.cli.move:move",
        "Have an agent go on in another container, under the same name.",
        "MOVE",
    ),
    LazyCommand(
        "retract",
        "formicary.cli.move:retract",
        "Have an agent come to the platform's container, under the same name.",
        "RETRACT",
    ),
    LazyCommand(
        "clone",
        "formicary.cli.move:clone",
        "Have a copy of an agent begin in a container, under a name of its own.",
        "CLONE",
    ),
    LazyCommand(
        "df",
        "formicary.cli.df:app",
        "Look into the directory of a platform that runs: which agents offer which services.",
    ),
    LazyCommand(
        "groups",
        "formicary.cli.groups:groups",
        "List the groups of a platform that runs: who plays which role, and where.",
    ),
    LazyCommand(
        "gateway",
        "formicary.cli.gateway:gateway",
        "Let agents of a platform that runs and those of other FIPA platforms, as JADE, write to each other.",
    ),
    LazyCommand(
        "server",
        "formicary.cli.server:app",
        "Start, stop and look at a private XMPP server (Prosody), at which containers meet.",
    ),
)


def _plugged() -> Iterator[LazyCommand]:
    """Give the command groups that installed packages bring, such as the laboratory's `bench`."""
    from importlib.metadata import entry_points

    for command in sorted(entry_points(group="formicary.commands"), key=lambda entry: entry.name):
        yield LazyCommand(command.name, command.value)


app = typer.Typer(
    cls=group_of(_COMMANDS, _plugged),
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


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and end the process with its exit code.

    Args:
        arguments: what was typed after `formicary`; `sys.argv` when None.
    """
    if arguments is None:
        # In a process of its own, modules stay to the end: searching them for garbage, above all at exit,
        # would take a fifth of a short command's time.
        LazyCommand.after_loading = gc.freeze
    try:
        app(arguments, prog_name="formicary")
    except FormicaryError as error:
        complain(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        say("formicary: interrupted", err=True)
        sys.exit(130)
