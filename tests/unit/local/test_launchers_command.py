"""Launchers that start programs on hosts by a command."""

import pytest

from formicary.errors import UsageError
from formicary.local.launchers import CommandLauncher, Elsewhere, starter


def test_containers_are_placed_on_the_hosts_in_turn():
    launcher = CommandLauncher("env 'TO={host} now'", ["one", "two"], "ib0")
    assert launcher.count == 2
    assert [launcher.place(number) for number in range(3)] == [
        Elsewhere(("env", f"TO={host} now"), "ib0") for host in ("one", "two", "one")
    ]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("env 'TO={host}", "cannot be read as a command .No closing quotation.; close its quotes"),
        ("env", "names no host; write {host}"),
        ("no-such-starter {host}", "there is no command 'no-such-starter'; load its module"),
    ],
)
def test_what_is_no_launchers_command_is_one_sentence(command, said):
    with pytest.raises(UsageError, match=said):
        starter(command)
