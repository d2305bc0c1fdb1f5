"""Each program of docs/examples runs, prints what stands at its end, and is on the page."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest
from tests.plugins.paths import ROOT

FOLDER = ROOT / "docs" / "examples"
PROGRAMS = sorted(path.name for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_prints_what_stands_at_its_end(name):
    program = FOLDER / name
    _, _, said = program.read_text(encoding="utf-8").partition("\n# It prints:\n")
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0, done.stderr
    assert said
    assert done.stdout == "".join(f"{line.removeprefix('#   ')}\n" for line in said.splitlines())


def test_each_is_on_the_page_with_a_sentence_about_it():
    page = (FOLDER / "index.md").read_text(encoding="utf-8")
    listed = [line.removeprefix("## ") for line in page.splitlines() if line.startswith("## ")]
    assert sorted(listed) == PROGRAMS
    assert len(PROGRAMS) >= 12
    for name in PROGRAMS:
        assert ast.get_docstring(ast.parse((FOLDER / name).read_text(encoding="utf-8")))
