"""Each program of docs/examples runs, prints the output quoted at its end, and is on the page."""

from __future__ import annotations

import ast
import runpy
import subprocess
import sys

import pytest
from tests.plugins.paths import ROOT

FOLDER = ROOT / "docs" / "examples"
PROGRAMS = sorted(path.name for path in FOLDER.glob("*.py"))
IN_PROCESSES = {"all_cores.py"}  # whose other processes import the program


def said_by(program):
    """Return the output that it quotes."""
    _, _, said = program.read_text(encoding="utf-8").partition("\n# It prints:\n")
    assert said
    return "".join(f"{line.removeprefix('#   ')}\n" for line in said.splitlines())


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_prints_the_output_quoted_at_its_end(name, capsys):
    program = FOLDER / name
    if name in IN_PROCESSES:
        done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stdout == said_by(program)
    else:
        runpy.run_path(str(program), run_name="__main__")
        assert capsys.readouterr().out == said_by(program)


def test_each_is_on_the_page_with_a_sentence_about_it():
    page = (FOLDER / "index.md").read_text(encoding="utf-8")
    listed = [line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")]
    assert sorted(listed) == PROGRAMS
    assert len(PROGRAMS) >= 12
    for name in PROGRAMS:
        assert ast.get_docstring(ast.parse((FOLDER / name).read_text(encoding="utf-8")))
