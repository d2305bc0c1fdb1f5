"""The page about the commands names every command, and every option in its command's part."""

from __future__ import annotations

import pytest
import typer.main
from tests.plugins.paths import ROOT

from formicary import cli

PAGE = ROOT / "docs" / "commands.md"


def leaves(command, path=("formicary",)):
    """Give each command that does something, with its full name."""
    command = command.load() if hasattr(command, "load") else command
    if not hasattr(command, "commands"):
        yield " ".join(path), command
        return
    for name in command.list_commands(None):
        yield from leaves(command.get_command(None, name), (*path, name))


@pytest.fixture(scope="module")
def commands():
    found = dict(leaves(typer.main.get_command(cli.app)))
    assert {"formicary run", "formicary server start", "formicary bench run"} <= set(found)
    return found


def part(title):
    return PAGE.read_text(encoding="utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def part_about(name):
    """Give the part of the page that is about the command's group, and what it refers to."""
    own = part(" ".join(name.split()[:2]))
    return own + part("A platform that runs") if "(#a-platform-that-runs)" in own else own


def test_every_command_is_there(commands):
    assert [name for name in commands if f"$ {name}" not in part_about(name)] == []


def test_every_option_is_there(commands):
    missing = [
        f"{name} {option}"
        for name, command in commands.items()
        for parameter in command.params
        for option in parameter.opts
        if option.startswith("--") and option != "--help" and f"`{option}`" not in part_about(name)
    ]
    assert missing == []
