"""Runs the examples of README.md and docs/ as tests.

- A `python` block runs. With a file name as a comment in its first line, it is saved under that name and run
  as a program of its own; the other blocks of a page share their names, like a session.
- A `text` block is what the block before it prints.
- In a `console` block, every command of ours must exist and have the options that it is given. Those that are
  `formicary run` without a server also run, and print what the block says, if it says anything.
"""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer.main
from sybil import Sybil
from sybil.parsers.myst import CodeBlockParser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sybil import Example

PROMPT = "$ "


def set_up(namespace: dict[str, Any]) -> None:
    """Give a page a folder for the files that it saves."""
    namespace |= {"_folder": tempfile.TemporaryDirectory(prefix="formicary-docs-"), "__name__": "page"}


def tear_down(namespace: dict[str, Any]) -> None:
    """Remove the page's folder."""
    namespace["_folder"].cleanup()


def run_python(example: Example) -> None:
    """Run a block, as a program or as part of the page's session."""
    code = example.parsed
    name = code.partition("\n")[0].removeprefix("# ")
    with inside(example), contextlib.redirect_stdout(io.StringIO()) as output:
        if name.endswith(".py"):
            Path(name).write_text(code, encoding="utf-8")
            runpy.run_path(name, run_name="__main__")
        else:
            shift = "\n" * (example.line + code.line_offset)  # so that a traceback has the page's lines
            exec(compile(shift + code, example.path, "exec", dont_inherit=True), example.namespace)  # noqa: S102
    example.namespace["_output"] = output.getvalue()


def compare_output(example: Example) -> None:
    """Hold a block against what was printed before."""
    assert example.namespace["_output"].rstrip("\n") == example.parsed.rstrip("\n")


def run_console(example: Example) -> None:
    """Check a block's commands, and run those that are cheap."""
    first, *output = example.parsed.rstrip("\n").split("\n")
    commands = [line for line in (first, *output) if line.startswith(PROMPT)]
    for command in commands:
        program, *arguments = shlex.split(command.removeprefix(PROMPT), comments=True)
        if program != "formicary":
            continue
        check_command(arguments)
        if arguments[0] == "run" and "--server" not in arguments:
            printed = run_command(example, arguments)
            assert printed.splitlines() == output or not output


def check_command(arguments: list[str]) -> None:
    """Make sure that there is such a command and that it has such options."""
    from formicary import cli

    cli.load_commands()
    command: Any = typer.main.get_command(cli.app)
    while hasattr(command, "commands") and not arguments[0].startswith("-"):
        name, *arguments = arguments
        command = command.commands[name]
    known = {option for parameter in command.params for option in parameter.opts}
    assert {argument for argument in arguments if argument.startswith("-")} <= known


def run_command(example: Example, arguments: list[str]) -> str:
    """Run a command in the page's folder; give all that it prints."""
    program = [sys.executable, "-c", "from formicary.cli import main; main()"]
    done = subprocess.run(  # noqa: S603 -- the project's own pages say what runs
        [*program, *arguments],
        cwd=example.namespace["_folder"].name,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=30,
        check=False,
    )
    return done.stdout


@contextlib.contextmanager
def inside(example: Example) -> Iterator[None]:
    """Work in the page's folder meanwhile."""
    before = Path.cwd()
    os.chdir(example.namespace["_folder"].name)
    try:
        yield
    finally:
        os.chdir(before)


pytest_collect_file = Sybil(
    parsers=[
        CodeBlockParser("python", run_python),
        CodeBlockParser("text", compare_output),
        CodeBlockParser("console", run_console),
    ],
    patterns=["README.md", "docs/**/*.md"],
    setup=set_up,
    teardown=tear_down,
).pytest()
