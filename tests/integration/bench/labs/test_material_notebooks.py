"""A lab as a notebook: Jupyter runs it from top to bottom, `await` at the top level of cells included."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from formicary.errors import UsageError
from formicary_bench.labs import material
from formicary_bench.labs.material import lab_named, make_folder


def printed(cell):
    return "".join(text for output in cell["outputs"] for text in output.get("text", []))


def test_a_notebook_runs_and_checks_the_program_in_it(tmp_path):
    make_folder(lab_named("ping-pong"), tmp_path / "lab", notebook=True)
    path = tmp_path / "lab" / "ping-pong.ipynb"
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from nbclient.cli import main; main()",
            "--inplace",
            "--timeout=100",
            path.name,
        ],
        cwd=path.parent,
        env={**os.environ, "PATH": programs, "IPYTHONDIR": str(tmp_path), "JUPYTER_PLATFORM_DIRS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if "outputs" in cell]
    outputs = [printed(cell) for cell in cells]
    assert "HELLO\n" in outputs[1]
    assert "\nno agent named 'nobody' lives in container c1\n" in outputs[2]
    assert "program.py" in outputs[-2]
    assert "0 of 6 passed" in outputs[-1]


def test_without_the_extra_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(material, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r'jupytext is not installed; install it with: pip install "'):
        material.notebook_of(lab_named("ping-pong"))
