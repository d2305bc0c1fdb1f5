"""What is loaded when a program starts: nothing that it may never need."""

from __future__ import annotations

import subprocess
import sys

import pytest


def loaded(program, *arguments):
    """Return the modules that a fresh process has at the end of a program, and those of asyncio alone."""
    command = [sys.executable, "-c", f"{program}\nimport sys; print('\\n', *sys.modules)", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return set(done.stdout.splitlines()[-1].split())


def test_the_platform_loads_little_besides_asyncio_and_msgspec():
    others = loaded("from formicary import Container") - loaded("import asyncio, msgspec")
    beside = {name for name in others if name.partition(".")[0] not in {"formicary", "_bisect", "bisect"}}
    assert beside == set()


def test_the_platform_loads_only_what_agents_of_one_container_need():
    rooms = {
        name.split(".")[1]
        for name in loaded("from formicary import Container")
        if name.startswith("formicary.")
    }
    assert rooms == {"core", "container", "delivery"}


def test_the_way_to_others_loads_neither_an_http_client_nor_email():
    names = loaded("import formicary.server, formicary.transport.router")
    assert not names & {"http.client", "urllib.request", "email", "xml.sax.saxutils"}


def of_commands(names):
    """Return the modules of commands among others, but for those that make the tree of them."""
    tree = {f"formicary.cli.{name}" for name in ("command_tree", "group_help", "output", "standard_output")}
    rooms = ("formicary.cli.", "formicary_bench.cli.")
    return {name for name in names if name.startswith(rooms)} - tree


def run(*arguments):
    return loaded(
        "from formicary.cli import main\nimport sys\ntry: main()\nexcept SystemExit: pass", *arguments
    )


def test_the_help_loads_no_command_and_no_parser_of_markdown():
    names = run("--help")
    assert of_commands(names) <= {
        "formicary_bench.cli.hosts",
        "formicary_bench.cli.hosts_lab",
        "formicary_bench.cli.lab",
        "formicary.cli.options",
    }
    assert not names & {"rich.markdown", "rich.traceback", "markdown_it", "pygments", "typer.rich_utils"}


def test_the_help_of_the_laboratory_loads_no_command_of_it():
    names = run("bench", "--help")
    assert of_commands(names) == set()
    assert "typer.rich_utils" not in names


@pytest.mark.parametrize(
    ("arguments", "module"), [(["run", "no.py"], "run"), (["server", "stop", "-h"], "server")]
)
def test_a_command_loads_no_other_and_does_not_look_for_those_of_other_packages(arguments, module):
    names = run(*arguments)
    known = {"run", "profile", "doctor", "ps", "top", "agents", "create", "life", "df", "groups", "server"}
    others = known - {module}
    assert f"formicary.cli.{module}" in names
    assert not names & {f"formicary.cli.{other}" for other in others}
    assert not any(name.startswith("formicary_bench") for name in names)


def test_the_version_loads_nothing_of_rich():
    assert not any(name.partition(".")[0] == "rich" for name in run("--version"))
