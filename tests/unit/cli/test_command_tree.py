"""Commands are loaded when used, and their group's help has the summaries of their own."""

from __future__ import annotations

import pytest
import typer.main
from typer.testing import CliRunner

from formicary import cli
from formicary.cli.command_tree import LazyCommand
from formicary_bench import cli as laboratory

GROUPS = {"formicary": cli.app, "bench": laboratory.app}


def commands(app):
    group = typer.main.get_group(app)
    return {name: group.get_command(None, name) for name in group.list_commands(None)}


@pytest.mark.parametrize("app", GROUPS.values(), ids=GROUPS)
def test_the_summary_is_the_first_sentence_of_the_help(app):
    for name, command in commands(app).items():
        whole = command.load()
        assert whole.name == name
        assert " ".join(whole.help.partition("\n\n")[0].split()) == command.help


def test_commands_of_other_packages_follow_the_platform_s():
    assert next(iter(commands(cli.app))) == "run"
    assert [*commands(cli.app)][-3:] == ["bench", "hosts", "lab"]


def test_a_mistyped_one_is_found_among_all():
    done = CliRunner().invoke(cli.app, ["host", "check"])
    assert done.exit_code == 2
    assert "formicary: `root` has no command 'host'; did you mean 'hosts'?" in done.output


def test_an_inner_group_is_loaded_too():
    done = CliRunner().invoke(cli.app, ["bench", "plan", "new", "--help"])
    assert done.exit_code == 0
    assert "bench plan new plan.toml" in done.output  # its examples


def test_a_command_says_its_own_examples():
    command = LazyCommand("kill", "formicary.cli.life:kill", "End agents.", "KILL")
    assert "formicary kill" in command.load().epilog


def completed(*words):
    """Return what bash offers for the last of some words."""
    typed = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    environment = {"_FORMICARY_COMPLETE": "complete_bash", **typed}
    return CliRunner().invoke(cli.app, [], prog_name="formicary", env=environment).output.split()


def test_the_shell_completes_commands_options_and_values():
    assert completed("formicary", "s") == ["suspend", "server"]
    assert {"bench", "hosts", "lab", "run"} < set(completed("formicary", ""))
    assert completed("formicary", "server", "st") == ["start", "stop", "status"]
    assert completed("formicary", "ps", "--j") == ["--json", "--join"]
    assert completed("formicary", "run", "--mode", "") == ["asynchronous", "synchronous", "pooled"]
