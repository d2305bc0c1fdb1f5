"""What SECURITY.md says: its tests are there, and no code comes out of bytes."""

from __future__ import annotations

import ast
import re

import pytest
from tests.plugins.paths import ROOT

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
THREATS = TEXT.partition("\n## Threats\n")[2].partition("\n## ")[0]
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in THREATS.splitlines()
    if line.startswith("| ") and "**" not in line
][1:]
SOURCES = sorted(
    path for folder in ("platform", "benchmarks", "deploy") for path in (ROOT / folder).rglob("*.py")
)
UNSAFE = {"dill", "cloudpickle", "joblib", "jsonpickle", "marshal", "pickle", "shelve", "yaml"}
COMPILING = {  # scripts that commands are given, and comparisons with values that stay values
    "benchmarks/formicary_bench/labs/programs.py",
    "platform/formicary/children/script.py",
    "platform/formicary/core/template.py",
}


SUSPICIOUS = re.compile(rf"\b(eval|exec|shell|system|popen|create_subprocess_shell|{'|'.join(UNSAFE)})\b")


@pytest.fixture(scope="module")
def calls():
    """Calls and imports in our sources, with the file's name, in those files that have a word of interest."""
    found, imported = [], set()
    for path in SOURCES:
        name, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if SUSPICIOUS.search(text) else ():
            match node:
                case ast.Call(func=function):
                    found.append((name, ast.unparse(function), {keyword.arg for keyword in node.keywords}))
                case ast.Import():
                    imported |= {(name, alias.name.partition(".")[0]) for alias in node.names}
                case ast.ImportFrom(module=str(module)):
                    imported.add((name, module.partition(".")[0]))
    return found, imported


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:60])
def test_each_row_names_tests_that_there_are(row):
    assert len(row) == 3
    named = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row[2])
    assert named
    assert row[2] == ", ".join(f"`{file}::{test}`" for file, test in named)
    for file, test in named:
        assert re.search(
            rf"^ *(async )?def {test}\(", (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE
        ), f"{file} has no {test}"


def test_nothing_turns_bytes_into_code(calls):
    found, imported = calls
    assert [(name, module) for name, module in imported if module in UNSAFE] == []
    assert {name for name, function, _ in found if function in {"eval", "exec"}} == COMPILING


def test_pickle_is_for_a_containers_own_workers_alone():
    pickling = re.compile(r"\b(ForkingPickler|ProcessPoolExecutor|reduction|multiprocessing)\b")
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in SOURCES}
    found = {
        name
        for name, text in texts.items()
        for node in (ast.walk(ast.parse(text)) if pickling.search(text) else ())
        if isinstance(node, ast.Import | ast.ImportFrom) and pickling.search(ast.unparse(node))
    }
    assert found == {
        "platform/formicary/compute/calls.py",
        "platform/formicary/compute/workers.py",
        "benchmarks/formicary_bench/experiments/compute/mix.py",  # a baseline
    }


def test_no_shell_is_used(calls):
    found, _ = calls
    assert [
        (name, function)
        for name, function, keywords in found
        if "shell" in keywords or function in {"os.system", "os.popen", "asyncio.create_subprocess_shell"}
    ] == []
