from __future__ import annotations

import os
import pty

from formicary.cli.output import show_table

COLUMNS = ("NAME", "#COUNT", "LAST")


def test_a_table_is_one_line_for_each_row_with_nothing_cut_off(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    show_table(COLUMNS, [("a", "1", ""), ("蟻" * 40, "1000", "end"), ("[b]", "\x1b[2J", "x\ny")])
    assert capsys.readouterr().out.splitlines() == [
        f"NAME{' ' * 76}    COUNT  LAST",
        f"a{' ' * 79}        1",
        f"{'蟻' * 40}     1000  end",
        f"[b]{' ' * 77}  \\x1b[2J  x\\ny",
    ]


def test_a_table_without_rows_has_its_headings(capsys):
    show_table(COLUMNS, [])
    assert capsys.readouterr().out == "NAME  COUNT  LAST\n"


def test_a_terminal_has_what_is_too_wide_in_several_lines(monkeypatch):
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("TERM", "xterm-256color")
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w", encoding="utf-8") as terminal, os.fdopen(ours, "rb") as screen:
        monkeypatch.setattr("sys.stdout", terminal)
        show_table(COLUMNS, [("x" * 12, "7", "y" * 12)])
        terminal.flush()
        shown = os.read(screen.fileno(), 10_000).decode()
    assert "\x1b[" not in shown
    assert (shown.count("x"), shown.count("y")) == (12, 12)
    assert all(len(line.rstrip("\r")) <= 20 for line in shown.splitlines())
