"""Others' text in the output of commands never controls the terminal, starts a line, or acts as markup."""

from __future__ import annotations

import json
import os
import pty
import re

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rich.console import Console
from tests.property.texts import HOSTILE, hostile_texts, unseen

from formicary import cli
from formicary.cli.output import complain, fitted, say, show_json, show_table
from formicary.errors import LinkError

capsys_is_read_each_time = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
STYLES = re.compile(r"\x1b\[[0-9;]*m")


@capsys_is_read_each_time
@given(text=hostile_texts)
@example(text="".join(HOSTILE))
def test_a_sentence_is_one_line(capsys, text):
    say(text)
    say(text, mark="problem:", err=True)
    printed = capsys.readouterr()
    for stream in printed:
        assert stream.count("\n") == 1
        assert unseen(stream, allowed="\n") == set()


@capsys_is_read_each_time
@given(text=hostile_texts)
@example(text="refused\nformicary: forged\x1b[2J")
def test_an_error_ends_a_command_with_a_sentence(capsys, monkeypatch, text):
    def fail(*_, **__):
        raise LinkError(text)

    monkeypatch.setattr(cli, "app", fail)
    with pytest.raises(SystemExit):
        cli.main(["ps"])
    printed = capsys.readouterr().err
    assert unseen(printed, allowed="\n") == set()
    first, *others = printed.rstrip("\n").split("\n")
    assert first.startswith("formicary: ")
    assert all(line.startswith("  ") for line in others)


@capsys_is_read_each_time
@given(rows=st.lists(st.tuples(hostile_texts, hostile_texts), max_size=4))
def test_a_table_has_a_line_for_each_row(capsys, rows):
    show_table(("NAME", "REASON"), rows)
    printed = capsys.readouterr().out
    assert unseen(printed, allowed="\n") == set()
    assert printed.count("\n") == 1 + len(rows)


@given(text=hostile_texts)
@example(text="[red]forged[/red]")
def test_a_table_on_a_terminal_takes_nothing_for_markup(text):
    console = Console(width=1000, force_terminal=True, color_system="standard")
    with console.capture() as printed:
        console.print(fitted(("NAME",), [(text,)]))
    shown = STYLES.sub("", printed.get())
    assert unseen(shown, allowed="\n") == set()
    assert shown.count("[") == text.count("[")


@capsys_is_read_each_time
@given(content=st.dictionaries(hostile_texts, hostile_texts, max_size=3))
@example(content={"\x9b\x7f": "\U000e0041\u202e"})
def test_json_says_the_same_without_what_steers_a_terminal(capsys, content):
    encodable = {
        key.encode(errors="replace").decode(): value.encode(errors="replace").decode()
        for key, value in content.items()
    }
    show_json(encodable)
    printed = capsys.readouterr().out
    assert json.loads(printed) == encodable
    assert unseen(printed, allowed="\n") == set()
    assert printed.count("\n") == 1


def test_errors_of_several_lines_keep_them(capsys):
    complain(LinkError("2 of 3 hosts cannot be used:\n  a: no route\n  b: \x1b]0;x\x07"))
    assert capsys.readouterr().err == (
        "formicary: 2 of 3 hosts cannot be used:\n  a: no route\n  b: \\x1b]0;x\\x07\n"
    )


def test_a_terminal_gets_the_same(monkeypatch):
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as terminal, os.fdopen(ours, "rb") as screen:
        monkeypatch.setattr("sys.stdout", terminal)
        say("[bold]dead\x1b[2J")
        terminal.flush()
        assert screen.readline().decode() == "[bold]dead\\x1b[2J\r\n"
