"""From a module to its test without searching: tests lie as packages lie, and are named after what they test.

`formicary/core/message.py` is tested by `test_message*.py` in `core/` of `unit`, `property` or `integration`;
or all modules of a room together by a test named after the room, as in `transport/link/test_link_many.py`.
The laboratory's rooms are below `bench/`. What is tested elsewhere is in the table here.
"""

from __future__ import annotations

import ast
from functools import cache

from tests.plugins.paths import ROOT

SOURCES = {"platform/formicary": "", "benchmarks/formicary_bench": "bench/"}
KINDS = ("unit", "property", "integration")

ELSEWHERE = {  # modules, or whole rooms, and the test that comes nearest
    "/__main__": "integration/cli/test_interrupted.py",
    "bench/experiments/messaging": "unit/bench/runner/planning/test_planning.py",
    "bench/subjects/baselines": "integration/bench/runner/execution/test_execution_run.py",
    "bench/subjects/ours": "integration/bench/runner/execution/test_execution_run.py",
    "bench/subjects/variants": "integration/bench/experiments/messaging/test_variants_designs.py",
    "core/conversing": "unit/protocols/test_conversations.py",
    "fipa/management_agent": "integration/management/requests/test_requests.py",
    "processes/parent": "integration/local/test_launchers.py",
}


def has_code(path):
    """Tell whether there is something to test: the body of a function."""
    found = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    functions = [node for node in found if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return any(len(node.body) > 1 or not isinstance(node.body[0], ast.Expr) for node in functions)


def modules():
    """Return all modules that can be tested, as their rooms and names."""
    for source, shelf in SOURCES.items():
        for path in sorted((ROOT / source).rglob("*.py")):
            room = shelf + path.parent.relative_to(ROOT / source).as_posix()
            if path.stem != "__init__" and "drivers/python" not in room and has_code(path):
                yield room.removesuffix("/.").removeprefix("."), path.stem


def is_tested(room, name):
    here = [path for kind in KINDS for path in (ROOT / "tests" / kind / room).glob("test_*.py")]
    own = {f"test_{name}", f"test_{room.rpartition('/')[2]}"}
    return any(path.stem == test or path.stem.startswith(f"{test}_") for path in here for test in own)


@cache
def untested():
    return [(room, name) for room, name in modules() if not is_tested(room, name)]


def test_each_module_has_its_test():
    assert [
        f"{room}/{name}" for room, name in untested() if not {f"{room}/{name}", room} & ELSEWHERE.keys()
    ] == []


def test_what_is_tested_elsewhere_is_there_and_has_no_test_of_its_own():
    assert [test for test in ELSEWHERE.values() if not (ROOT / "tests" / test).is_file()] == []
    known = {room for room, _ in untested()} | {"/".join(module) for module in untested()}
    assert ELSEWHERE.keys() - known == set()
