"""The help of a group: usage, options, and each command with its first sentence."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from formicary.cli import app


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], []])
def test_help_has_each_command_s_summary_and_fits_the_width(monkeypatch, arguments):
    monkeypatch.setenv("COLUMNS", "60")
    done = CliRunner().invoke(app, arguments)
    lines = done.output.splitlines()
    assert max(map(len, lines)) == 60
    said = " ".join(" ".join(line.strip("│ ") for line in lines).split())
    assert "Usage: formicary [OPTIONS] COMMAND [ARGS]..." in said.replace("root", "formicary")
    assert "--version Print the version." in said
    assert "Try: formicary bench run quick" in said  # without the markup
    assert "ps List the containers of a running platform." in said
    assert "hosts Check, prepare and clean up the hosts listed in hosts.toml." in said


def test_commands_are_in_panels_those_of_installed_packages_too():
    lines = CliRunner().invoke(app, ["--help"]).output.splitlines()
    panels = [line.strip("╭─╮ ") for line in lines if line.startswith("╭")]
    assert panels == [
        *("Options", "Run", "Inspect", "Control agents", "Servers and hosts", "Laboratory", "Learn")
    ]
