"""Runs the examples of README.md and docs/ as tests.

- A `python` block runs. With a file name as a comment in its first line, it is saved under that name and run
  as a program of its own; the other blocks of a page share their names, like a session. Those with an `await`
  at their top level are cells of a notebook, and share an event loop, too.
- A `text` block is what the block before it prints.
- In a `console` block, every command of ours must exist and have the options that it is given. Those that are
  `formicary run` of a container by itself also run, and print what the block says, if it says anything.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import shlex
import subprocess
import sys
import tempfile
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer.main
from sybil import Sybil
from sybil.parsers.myst import CodeBlockParser

if TYPE_CHECKING:
    from sybil import Example

PROMPT = "$ "


def set_up(namespace: dict[str, Any]) -> None:
    """Give a page a folder for the files that it saves."""
    namespace |= {"_folder": tempfile.TemporaryDirectory(prefix="formicary-docs-"), "__name__": "page"}


def tear_down(namespace: dict[str, Any]) -> None:
    """Remove the page's folder, and end its event loop."""
    namespace["_folder"].cleanup()
    if "_cells" in namespace:
        namespace["_cells"].close()


def run_python(example: Example) -> None:
    """Run a block, as a program or as part of the page's session."""
    code = example.parsed
    name = code.partition("\n")[0].removeprefix("# ")
    if name.endswith(".py"):
        Path(example.namespace["_folder"].name, name).write_text(code, encoding="utf-8")
        done = run_program(example, [name])
        assert done.returncode == 0, done.stderr
        example.namespace["_output"] = done.stdout
        return
    shift = "\n" * (example.line + code.line_offset)  # so that a traceback has the page's lines
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    compiled = compile(shift + code, example.path, "exec", flags=flags, dont_inherit=True)
    with contextlib.redirect_stdout(io.StringIO()) as output:
        done = eval(compiled, example.namespace)  # noqa: S307 -- as above
        if inspect.iscoroutine(done):
            example.namespace.setdefault("_cells", asyncio.Runner()).get_loop().run_until_complete(done)
    example.namespace["_output"] = output.getvalue()


def compare_output(example: Example) -> None:
    """Hold a block against what was printed before."""
    assert example.namespace["_output"].rstrip("\n") == example.parsed.rstrip("\n")


def run_console(example: Example) -> None:
    """Check a block's commands, and run those that are cheap."""
    first, *output = example.parsed.rstrip("\n").split("\n")
    commands = [line for line in (first, *output) if line.startswith(PROMPT)]
    for command in commands:
        called, *arguments = shlex.split(command.removeprefix(PROMPT), comments=True)
        if called != "formicary":
            continue
        check_command(arguments)
        if arguments[0] == "run" and not {"--server", "--listen", "--join"} & {*arguments}:
            program = ["-c", "from formicary.cli import main; main()", *arguments]
            done = run_program(example, program, stderr=subprocess.STDOUT)
            assert done.stdout.splitlines() == output or not output


@cache
def all_commands() -> Any:
    """Give the program with all of its commands, which takes a while to make."""
    from formicary import cli

    return typer.main.get_command(cli.app)


def check_command(arguments: list[str]) -> None:
    """Make sure that there is such a command and that it has such options."""
    command = all_commands()
    # A group such as `bench platforms` does something by itself, too; what stands in brackets is optional.
    while hasattr(command, "commands") and arguments and not arguments[0].startswith(("-", "[")):
        name, *arguments = arguments
        command = command.get_command(None, name)
        command = command.load() if hasattr(command, "load") else command
    known = {option for parameter in command.params for option in parameter.opts}
    own = takewhile(lambda argument: argument != "--", arguments)  # what follows is another program's
    assert {argument for argument in own if argument.startswith("-")} <= known


def run_program(
    example: Example, arguments: list[str], *, stderr: int = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    """Run Python in the page's folder."""
    return subprocess.run(  # noqa: S603 -- the project's own pages say what runs
        [sys.executable, *arguments],
        cwd=example.namespace["_folder"].name,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        timeout=120,
        check=False,
    )


pytest_collect_file = Sybil(
    parsers=[
        CodeBlockParser("python", run_python),
        CodeBlockParser("text", compare_output),
        CodeBlockParser("console", run_console),
    ],
    patterns=["README.md", "docs/*.md", "docs/labs/*.md", "docs/labs/*/*.md"],
    setup=set_up,
    teardown=tear_down,
).pytest()
