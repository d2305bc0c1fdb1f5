"""The commands page has the help of each command once, with all its options."""

from __future__ import annotations

import importlib.util

import pytest
from tests.plugins.paths import ROOT

PAGE = ROOT / "docs" / "commands.md"


@pytest.fixture(scope="module")
def writer():
    """Return the module that writes the page."""
    path = ROOT / "docs" / "extensions" / "command_line.py"
    spec = importlib.util.spec_from_file_location("command_line", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_has_the_help_of_every_command_once(writer):
    places = writer.PLACE.findall(PAGE.read_text(encoding="utf-8"))
    commands = [name for name, _ in writer.leaves()]
    assert {"formicary run", "formicary server start", "formicary bench run"} <= set(commands)
    for name in commands:
        covering = [place for place in places if name == place or name.startswith(f"{place} ")]
        assert len(covering) == 1, name


def test_every_option_is_in_what_is_written(writer):
    common = PAGE.read_text(encoding="utf-8").partition("\n## A running platform\n")[2].partition("\n## ")[0]
    written = {name: writer.helped(name) + common for name, _ in writer.leaves()}
    missing = [
        f"{name} {option}"
        for name, command in writer.leaves()
        for parameter in command.params
        for option in parameter.opts
        if option.startswith("--") and option != "--help" and f"`{option}`" not in written[name]
    ]
    assert missing == []
